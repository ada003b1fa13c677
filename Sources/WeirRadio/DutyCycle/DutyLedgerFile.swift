import Glibc
import Synchronization
import Weir

/// Keeps the time on air used over restarts of the process, in a file of its own.
///
/// Each transmission is written, and on the disk, before it starts, so that neither a crash nor a loss of power forgets one. Times
/// are those of the machine since it was started, which nobody can set back; after a restart of the machine nobody knows how
/// long it was off, so that everything noted counts as sent just now. A file that is missing, damaged, or of another version
/// says nothing, and what is not known counts as spent: the first start with a new file waits for a window unless
/// `assumingSilence` says that the radio was silent.
///
/// One process at a time: the file is locked. Size: at 8,192 lines it is written anew, with those of the last window; where those
/// are too many, two at a time become one that ended with the later.
public final class DutyLedgerFile: Sendable {
  private struct Line {
    let subBand: String
    let boot: String
    /// Nanoseconds since the machine was started.
    let end: Int64
    let airtime: Int64
  }

  private struct State {
    let descriptor: Int32
    /// Nil while nothing is known of the past.
    var lines: [Line]?
  }

  private static let header = "weir-airtime 1"
  private static let mostLines = 8_192
  private let path: String
  private let boot: String
  private let state: Mutex<State>

  /// Opens the file, or makes it.
  /// - Parameters:
  ///   - assumingSilence: what a missing file means: that nothing was sent within the last window, instead of that nothing
  ///     is known.
  /// - Throws: ``RadioError`` `ledgerFailed` when it cannot be opened, or another process has it.
  public init(path: String, assumingSilence: Bool = false) throws(RadioError) {
    self.path = path
    boot = DutyLedgerFile.bootIdentity()
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o644)
    guard descriptor >= 0 else { throw DutyLedgerFile.failure("cannot be opened", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = DutyLedgerFile.failure("is another process's, or cannot be locked", path)
      close(descriptor)
      throw error
    }
    let bytes: [UInt8]
    do {
      bytes = try DutyLedgerFile.contents(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    let isNew = bytes.isEmpty && assumingSilence
    state = Mutex(State(descriptor: descriptor, lines: isNew ? [] : DutyLedgerFile.parse(bytes)))
  }

  deinit { _ = state.withLock { close($0.descriptor) } }

  /// What the sub-bands were used for, in the times of a clock that says `now`. What is not known, or was noted before the
  /// machine was started, is written down as sent now, so that a window later it is past.
  func histories(
    of limits: [(name: String, airtime: Duration)], at now: Duration
  ) throws(RadioError) -> [String: [DutyLedger.Entry]] {
    let machine = DutyLedgerFile.now()
    return try state.withLock { (state) throws(RadioError) in
      let lines =
        state.lines?.map { line in
          line.boot == boot
            ? line : Line(subBand: line.subBand, boot: boot, end: machine, airtime: line.airtime)
        }
        ?? limits.map {
          Line(subBand: $0.name, boot: boot, end: machine, airtime: DutyLedgerFile.nanoseconds($0.airtime))
        }
      state.lines = lines
      try rewrite(state)
      return Dictionary(grouping: lines, by: \.subBand).mapValues { lines in
        lines.map { line in
          DutyLedger.Entry(
            end: now - .nanoseconds(max(0, machine - line.end)), airtime: .nanoseconds(line.airtime))
        }
      }
    }
  }

  /// Notes a transmission that ends at `end`, by a clock that says `now`.
  func append(
    _ airtime: Duration, ofSubBand name: String, window: Duration, endingAt end: Duration, at now: Duration
  ) throws(RadioError) {
    let machine = DutyLedgerFile.now()
    let line = Line(
      subBand: name, boot: boot, end: machine + DutyLedgerFile.nanoseconds(end - now),
      airtime: DutyLedgerFile.nanoseconds(airtime))
    try state.withLock { (state) throws(RadioError) in
      var lines = state.lines ?? []
      if lines.count >= DutyLedgerFile.mostLines {
        let horizon = machine - DutyLedgerFile.nanoseconds(window)
        lines.removeAll { $0.subBand == name && $0.end < horizon }
        if lines.count >= DutyLedgerFile.mostLines { lines = DutyLedgerFile.paired(lines) }
        state.lines = lines
        try rewrite(state)
      }
      state.lines = lines + [line]
      try write(DutyLedgerFile.text(line), to: state.descriptor)
    }
  }

  /// Half as many lines: two of a sub-band become one that ended with the later.
  private static func paired(_ lines: [Line]) -> [Line] {
    var paired: [Line] = []
    var open: [String: Int] = [:]
    for line in lines {
      if let index = open.removeValue(forKey: line.subBand) {
        paired[index] = Line(
          subBand: line.subBand, boot: line.boot, end: max(line.end, paired[index].end),
          airtime: line.airtime + paired[index].airtime)
      } else {
        open[line.subBand] = paired.count
        paired.append(line)
      }
    }
    return paired
  }

  // MARK: The file

  private func rewrite(_ state: State) throws(RadioError) {
    // A crash in between leaves a file that says nothing, and so counts as spent.
    guard ftruncate(state.descriptor, 0) == 0 else { throw DutyLedgerFile.failure("cannot be written", path) }
    let lines = (state.lines ?? []).map(DutyLedgerFile.text).joined()
    try write("\(DutyLedgerFile.header)\n\(lines)", to: state.descriptor)
  }

  private func write(_ text: String, to descriptor: Int32) throws(RadioError) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        buffer.baseAddress.map { Glibc.write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw DutyLedgerFile.failure("cannot be written", path) }
      written += count
    }
    guard fdatasync(descriptor) == 0 else { throw DutyLedgerFile.failure("cannot be brought to the disk", path) }
  }

  private static func contents(_ descriptor: Int32, _ path: String) throws(RadioError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("cannot be read", path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      // Far more than it ever holds: not ours.
      if bytes.count > 1 << 22 { return bytes }
    }
  }

  /// The lines of a file; nil when it is not one, or is damaged. A last line that was cut off, by a
  /// crash while it was written, is one whose transmission had not begun.
  private static func parse(_ bytes: [UInt8]) -> [Line]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard rows.count >= 2, rows[0] == header else { return nil }
    rows.removeLast()
    var lines: [Line] = []
    for row in rows.dropFirst() {
      let fields = row.split(separator: " ", omittingEmptySubsequences: false)
      guard fields.count == 4, let end = Int64(fields[2]), let airtime = Int64(fields[3]), airtime > 0 else {
        return nil
      }
      lines.append(Line(subBand: String(fields[0]), boot: String(fields[1]), end: end, airtime: airtime))
    }
    return lines
  }

  private static func text(_ line: Line) -> String { "\(line.subBand) \(line.boot) \(line.end) \(line.airtime)\n" }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return Int64(clamping: seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue)
      &+ attoseconds / 1_000_000_000
  }

  /// The identity of this start of the machine.
  private static func bootIdentity() -> String {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "unknown" }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
  }

  private static func failure(_ what: String, _ path: String) -> RadioError {
    RadioError(.ledgerFailed, "\(path) \(what): \(String(cString: strerror(errno)))")
  }
}
