/// What a simulated modem says, in the words of its dialect.
struct ModemWords: Sendable {
  let dialect: ModemDialect

  var success: [UInt8] { line(dialect.success.first?.text ?? "OK", kiss: [0xF0]) }

  func failure(_ reason: Reason) -> [UInt8] {
    switch dialect.send {
    case .kiss: return KissFraming.frame(type: 6, [0xF1, reason.kiss])
    case .counted: return text("+ERR=\(reason.number)")
    case .hex: return text(reason == .busy ? "AT_BUSY_ERROR" : "AT_PARAM_ERROR")
    }
  }

  enum Reason: Sendable {
    case unknown, parameter, busy, tooLong

    var number: Int {
      switch self {
      case .unknown: 4
      case .parameter: 5
      case .busy: 17
      case .tooLong: 13
      }
    }

    var kiss: UInt8 {
      switch self {
      case .unknown: 5
      case .parameter, .tooLong: 2
      case .busy: 7
      }
    }
  }

  /// The report that a frame was sent, or not.
  func report(_ isSent: Bool) -> [UInt8] {
    if dialect.framing == .kiss { return KissFraming.frame(type: 6, [0xF8, isSent ? 1 : 0]) }
    if dialect.isSentByResult { return isSent ? success : text("+ERR=10") }
    let token = (isSent ? dialect.sent : dialect.notSent).first?.text ?? ""
    return text(isSent ? token : token + " TIMEOUT")
  }

  /// What it says when it starts, with the byte of noise that comes before.
  var banner: [UInt8] {
    guard dialect.framing == .lines, let banner = dialect.banners.first?.text else { return [] }
    return [0xFF] + text(dialect.name == "TurMass" ? "TurMass.TurMass.TurMass.\(banner)" : banner)
  }

  func received(_ frame: ReceivedFrame) -> [UInt8] {
    let (rssi, snr) = (frame.rssi ?? 0, frame.snr ?? 0)
    switch dialect.receive {
    case .raw(let mark): return Array("+RX: RSSI \(rssi), SNR \(snr)\(mark)".utf8) + frame.payload + [0x0D, 0x0A]
    case .hex(let prefix):
      return Array("\(prefix)\(rssi):\(snr):".utf8) + HexText.digits(frame.payload) + [0x0D, 0x0A]
    case .counted(let prefix):
      return Array("\(prefix)0,\(frame.payload.count),".utf8) + frame.payload + Array(",\(rssi),\(snr)\r\n".utf8)
    case .kiss:
      let quarters = Int8(clamping: Int((snr * 4).rounded()))
      return KissFraming.frame(type: 0, frame.payload)
        + KissFraming.frame(type: 6, [0xF9, UInt8(bitPattern: quarters), UInt8(bitPattern: Int8(clamping: rssi))])
    }
  }

  func text(_ line: String) -> [UInt8] { Array(line.utf8) + [0x0D, 0x0A] }

  private func line(_ words: String, kiss: [UInt8]) -> [UInt8] {
    dialect.framing == .kiss ? KissFraming.frame(type: 6, kiss) : text(words)
  }
}

/// What a host says to a modem. A value; the split of the reads does not matter.
struct HostParser: Sendable {
  enum Request: Sendable, Equatable {
    case command(String)
    case payload([UInt8])
    /// A payload in digits that are none, or longer than the modem takes.
    case badPayload
    /// TXDELAY, P or SLOTTIME of KISS, by its number.
    case timing(Int, UInt8)
  }

  private let dialect: ModemDialect
  private var buffer: [UInt8] = []
  private var remaining: Int?
  private var isEscaped = false
  /// Bytes of the request that has just ended, for the time they took on the line.
  private(set) var lineBytes = 0

  init(_ dialect: ModemDialect) { self.dialect = dialect }

  mutating func feed(_ byte: UInt8) -> Request? {
    lineBytes += 1
    return dialect.framing == .kiss ? feedKiss(byte) : feedLine(byte)
  }

  mutating func takeLineBytes() -> Int {
    defer { lineBytes = 0 }
    return lineBytes
  }

  private mutating func feedLine(_ byte: UInt8) -> Request? {
    buffer.append(byte)
    if let left = remaining {
      remaining = left - 1
      guard left == 1 else { return nil }
      remaining = nil
      defer { buffer = [] }
      return .payload(buffer)
    }
    if case .counted(let prefix) = dialect.send, byte == 0x2C, buffer.starts(with: prefix.utf8),
      let count = Int(String(decoding: buffer.dropFirst(prefix.utf8.count).dropLast(), as: UTF8.self)),
      (1...dialect.maximumPayload).contains(count)
    {
      buffer = []
      remaining = count
      return nil
    }
    guard byte == 0x0A else {
      if buffer.count > dialect.maximumLine { buffer = [] }
      return nil
    }
    defer { buffer = [] }
    let line = buffer.filter { $0 != 0x0D && $0 != 0x0A }
    if line.isEmpty { return nil }
    switch dialect.send {
    case .hex(let prefix) where line.starts(with: prefix.utf8):
      guard let payload = HexText.bytes(line.dropFirst(prefix.utf8.count)),
        (1...dialect.maximumPayload).contains(payload.count)
      else { return .badPayload }
      return .payload(payload)
    case .counted(let prefix) where line.starts(with: prefix.utf8): return .badPayload
    default: return .command(String(decoding: line, as: UTF8.self))
    }
  }

  private mutating func feedKiss(_ byte: UInt8) -> Request? {
    switch (byte, isEscaped) {
    case (KissFraming.end, _):
      defer { (buffer, isEscaped) = ([], false) }
      guard let type = buffer.first else { return nil }
      let body = Array(buffer.dropFirst())
      if type == 6 { return .command(String(decoding: HexText.digits(body), as: UTF8.self)) }
      if (1...3).contains(type), let value = body.first { return .timing(Int(type), value) }
      guard type == 0 else { return nil }
      return body.count <= dialect.maximumPayload ? .payload(body) : .badPayload
    case (KissFraming.escape, false): isEscaped = true
    case (_, true):
      isEscaped = false
      buffer.append(byte == KissFraming.escapedEnd ? KissFraming.end : KissFraming.escape)
    default: if buffer.count < 1_024 { buffer.append(byte) }
    }
    return nil
  }
}
