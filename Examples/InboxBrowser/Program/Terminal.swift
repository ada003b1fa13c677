import InboxScreen

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The terminal while the browser has it: raw input, the alternate screen, no cursor. Used by one node at a time.
final class Terminal: Sendable {
  private let saved: termios

  /// Takes over the terminal of standard input; nil when there is none.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
      return nil
    }
    saved = settings
    cfmakeraw(&settings)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    // Alternate screen, no cursor, no wrapping at the edge.
    Self.put("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
  }

  /// Gives the terminal back as it was.
  func restore() {
    Self.put("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    var settings = saved
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  /// Columns and rows; 80 by 24 when unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws the lines that differ from those drawn before; all of them when there are none.
  static func draw(_ lines: [ScreenLine], over before: [ScreenLine]?) {
    var text = before?.count == lines.count ? "" : "\u{1b}[2J"
    for (row, line) in lines.enumerated() where text.hasPrefix("\u{1b}[2J") || before?[row] != line {
      text += "\u{1b}[\(row + 1);1H\(line.ansi)"
    }
    put(text)
  }

  /// Writes all of a text, however often the system takes only a part.
  static func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR && errno != EAGAIN { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}
