/// Turns the bytes of a modem into events. A value; however the bytes are split over reads, the events are the same.
///
/// Memory: one line or frame of the dialect, whichever is longer; what goes beyond is discarded and told.
public struct ModemParser: Sendable {
  private enum State: Sendable {
    /// A line of text, up to here.
    case line
    /// The rest of a line that is too long.
    case skipping(Int)
    /// The payload of a line without a length.
    case raw(header: [UInt8])
    /// The payload of a line that tells its length.
    case counted(remaining: Int)
    /// What stands behind such a payload.
    case trailer(payload: [UInt8])
  }

  private let dialect: ModemDialect
  private let mark: [UInt8]
  private let countedPrefix: [UInt8]
  private var state = State.line
  private var buffer: [UInt8] = []
  private var kiss: KissParser?

  /// A parser at the beginning of a line.
  public init(_ dialect: ModemDialect) {
    self.dialect = dialect
    if case .raw(let text) = dialect.receive { mark = Array(text.utf8) } else { mark = [] }
    if case .counted(let text) = dialect.receive { countedPrefix = Array(text.utf8) } else { countedPrefix = [] }
    if dialect.framing == .kiss { kiss = KissParser(maximum: dialect.maximumPayload + 256) }
  }

  /// Whether something waits for a silence of the line: call ``silence(_:)`` after the dialect's gap without a byte.
  public var needsSilence: Bool {
    if let kiss { return kiss.holdsFrame }
    if case .raw = state { return HexText.holds(buffer.suffix(2), [0x0D, 0x0A]) }
    return false
  }

  /// Takes bytes in.
  public mutating func feed(_ bytes: some Sequence<UInt8>, _ emit: (ModemEvent) -> Void) {
    for byte in bytes {
      if kiss != nil {
        kiss?.feed(byte, emit)
      } else {
        feed(byte, emit)
      }
    }
  }

  /// The line has been silent for the dialect's gap.
  public mutating func silence(_ emit: (ModemEvent) -> Void) {
    kiss?.silence(emit)
    if needsSilence, case .raw(let header) = state { endRaw(header, emit) }
  }

  private mutating func feed(_ byte: UInt8, _ emit: (ModemEvent) -> Void) {
    switch state {
    case .line: feedLine(byte, emit)
    case .skipping(let count):
      state = .skipping(count &+ 1)
      if byte == 0x0A {
        emit(.discarded(bytes: count &+ 1))
        state = .line
      }
    case .raw(let header):
      buffer.append(byte)
      // Lines of others may be heard right behind the payload.
      if buffer.count >= dialect.maximumPayload + 512 {
        emit(.discarded(bytes: header.count + buffer.count))
        buffer.removeAll(keepingCapacity: true)
        state = .skipping(0)
      }
    case .counted(let remaining):
      buffer.append(byte)
      if remaining > 1 {
        state = .counted(remaining: remaining - 1)
      } else {
        state = .trailer(payload: buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    case .trailer(let payload):
      buffer.append(byte)
      if byte == 0x0A {
        endCounted(payload, emit)
      } else if buffer.count > 64 {
        emit(.discarded(bytes: payload.count + buffer.count))
        buffer.removeAll(keepingCapacity: true)
        state = .skipping(0)
      }
    }
  }

  private mutating func feedLine(_ byte: UInt8, _ emit: (ModemEvent) -> Void) {
    buffer.append(byte)
    if byte == 0x0A {
      endLine(emit)
    } else if !mark.isEmpty, byte == mark.last, buffer.count >= mark.count, buffer.suffix(mark.count) == mark[...] {
      state = .raw(header: buffer)
      buffer.removeAll(keepingCapacity: true)
    } else if byte == 0x2C, !countedPrefix.isEmpty, buffer.starts(with: countedPrefix) {
      let fields = buffer.dropFirst(countedPrefix.count).split(separator: 0x2C, omittingEmptySubsequences: false)
      if fields.count == 3, let length = Self.number(fields[1]), (1...dialect.maximumPayload).contains(length) {
        state = .counted(remaining: length)
        buffer.removeAll(keepingCapacity: true)
      }
    } else if buffer.count > dialect.maximumLine {
      state = .skipping(buffer.count)
      buffer.removeAll(keepingCapacity: true)
    }
  }

  private mutating func endLine(_ emit: (ModemEvent) -> Void) {
    let line = Self.text(of: buffer)
    buffer.removeAll(keepingCapacity: true)
    if !line.isEmpty { emit(event(of: line)) }
  }

  private func event(of line: String) -> ModemEvent {
    if case .hex(let prefix) = dialect.receive, line.utf8.starts(with: prefix.utf8) {
      return received(hex: Array(line.utf8.dropFirst(prefix.utf8.count))) ?? .discarded(bytes: line.utf8.count)
    }
    switch dialect.meaning(of: line) {
    case .success: return .result(isSuccess: true, line: line)
    case .failure: return .result(isSuccess: false, line: line)
    case .sent: return .sent(isSuccess: true, line: line)
    case .notSent: return .sent(isSuccess: false, line: line)
    case .banner: return .banner(line)
    case .unsolicited: return .unsolicited(line)
    case nil: return .line(line)
    }
  }

  /// The payload ends at the last CR LF, less the whole lines of the dialect that stand behind it: without a length, no more can be
  /// known.
  private mutating func endRaw(_ header: [UInt8], _ emit: (ModemEvent) -> Void) {
    var payload = buffer.dropLast(2)
    var lines: [ModemEvent] = []
    while let start = Self.lastLineStart(payload) {
      let line = Self.text(of: payload[start...])
      guard dialect.meaning(of: line) != nil else { break }
      lines.append(event(of: line))
      payload = payload[..<(start - 2)]
    }
    if payload.count <= dialect.maximumPayload {
      let numbers = Self.signal(in: header)
      emit(.received(ReceivedFrame(payload: Array(payload), rssi: numbers.rssi, snr: numbers.snr)))
    } else {
      emit(.discarded(bytes: header.count + payload.count))
    }
    for line in lines.reversed() { emit(line) }
    buffer.removeAll(keepingCapacity: true)
    state = .line
  }

  private mutating func endCounted(_ payload: [UInt8], _ emit: (ModemEvent) -> Void) {
    let fields = Self.text(of: buffer).split(separator: ",", omittingEmptySubsequences: false)
    if fields.count == 3, fields[0].isEmpty, let rssi = Int(fields[1]), let snr = Double(fields[2]), snr.isFinite {
      emit(.received(ReceivedFrame(payload: payload, rssi: rssi, snr: snr)))
    } else {
      emit(.discarded(bytes: payload.count + buffer.count))
    }
    buffer.removeAll(keepingCapacity: true)
    state = .line
  }

  private func received(hex line: [UInt8]) -> ModemEvent? {
    let fields = line.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3, let rssi = Int(Self.text(of: fields[0])), let snr = Double(Self.text(of: fields[1])),
      snr.isFinite, let payload = HexText.bytes(fields[2]), payload.count <= dialect.maximumPayload
    else { return nil }
    return .received(ReceivedFrame(payload: payload, rssi: rssi, snr: snr))
  }
}

extension ModemParser {
  /// The text of a line without its end and without bytes that are no text, as modems send some while they start.
  private static func text(of line: some Sequence<UInt8>) -> String {
    String(decoding: line.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
  }

  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Where the last line begins, behind a CR LF.
  private static func lastLineStart(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 2 else { return nil }
    for index in stride(from: bytes.endIndex - 1, through: bytes.startIndex + 1, by: -1)
    where bytes[index] == 0x0A && bytes[index - 1] == 0x0D {
      return index + 1
    }
    return nil
  }

  /// The numbers behind RSSI and SNR in the text before a payload, whatever else stands there.
  private static func signal(in header: [UInt8]) -> (rssi: Int?, snr: Double?) {
    let words = text(of: header).uppercased().split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
    func value(after name: String) -> Double? {
      guard let index = words.firstIndex(where: { $0 == name }), index + 1 < words.count else { return nil }
      return Double(words[index + 1]).flatMap { abs($0) < 1_000 ? $0 : nil }
    }
    return (value(after: "RSSI").map { Int($0) }, value(after: "SNR"))
  }
}
