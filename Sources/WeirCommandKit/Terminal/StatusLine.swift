/// A line at the bottom of the terminal that is drawn over itself.
///
/// On a terminal each update returns to the line's start and erases it. Elsewhere nothing is written, unless progress
/// was asked for (`--progress`): then each update is a line of its own, at a slower pace, fit for a log.
public struct StatusLine: Sendable {
  private enum Mode { case redrawn, logged, silent }

  private var mode: Mode
  private let width: Int
  private let interval: Duration
  private let write: @Sendable ([UInt8]) -> Void
  private var shown: String?
  private var lastUpdate: Duration?

  /// A status line. `isForced` is the user's `--progress`; `write` puts bytes out at once (errors are its affair).
  public init(device: TerminalDevice, isForced: Bool, write: @escaping @Sendable ([UInt8]) -> Void) {
    mode = device.isInteractive ? .redrawn : isForced ? .logged : .silent
    // One cell stays free: some terminals wrap when the last one is written.
    width = max(1, device.width - 1)
    interval = device.isInteractive ? .milliseconds(100) : .seconds(5)
    self.write = write
  }

  /// A status line on standard error. A terminal that cannot be written to is no reason to stop, so errors are ignored.
  public static func standardError(isForced: Bool) -> StatusLine {
    StatusLine(device: TerminalDevice(descriptor: 2), isForced: isForced) { bytes in
      var rest = bytes
      try? OpenFile(borrowing: 2).write(&rest)
    }
  }

  /// Cells a line may take.
  public var availableWidth: Int { width }

  /// True when an update at `now` would be shown: enough time has gone by since the last one.
  public func isDue(at now: Duration) -> Bool {
    guard mode != .silent else { return false }
    guard let lastUpdate else { return true }
    return now - lastUpdate >= interval
  }

  /// Shows `text` if an update is due; `text` is asked for only then, and gets the cells it may take.
  public mutating func update(at now: Duration, _ text: (_ width: Int) -> String) {
    guard isDue(at: now) else { return }
    lastUpdate = now
    let line = DisplayWidth.truncate(printable(text(width)), to: width)
    shown = line
    switch mode {
    case .redrawn: put("\r\(line)\u{1B}[K")
    case .logged: put(line + "\n")
    case .silent: break
    }
  }

  /// Prints a line above the status line, in every mode. `text` may hold line breaks; each line is made printable.
  public mutating func print(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) + "\n" }
    switch (mode, shown) {
    case (.redrawn, .some(let shown)): put("\r\u{1B}[K" + lines.joined() + shown)
    default: put(lines.joined())
    }
  }

  /// Erases the status line and, unless silent, prints a closing line instead.
  public mutating func finish(_ closing: String? = nil) {
    if mode == .redrawn, shown != nil { put("\r\u{1B}[K") }
    shown = nil
    guard let closing, mode != .silent else { return }
    put(printable(closing) + "\n")
  }

  private func put(_ text: String) { write(Array(text.utf8)) }
}
