#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is known about the terminal behind a descriptor.
public struct TerminalDevice: Sendable, Equatable {
  /// True when it is a terminal that understands cursor movement.
  public let isInteractive: Bool
  /// Columns; 80 when unknown.
  public let width: Int

  /// Describes a terminal.
  public init(isInteractive: Bool, width: Int) {
    self.isInteractive = isInteractive
    self.width = width
  }

  /// Asks the system about a descriptor (1 standard output, 2 standard error).
  public init(descriptor: Int32) {
    let term = getenv("TERM").map { String(cString: $0) } ?? ""
    isInteractive = isatty(descriptor) == 1 && !term.isEmpty && term != "dumb"
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    width = isKnown ? Int(size.ws_col) : 80
  }
}
