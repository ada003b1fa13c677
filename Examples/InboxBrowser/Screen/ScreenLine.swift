/// How text looks.
public enum ScreenStyle: String, Sendable {
  case plain = "0"
  case bold = "1"
  case dim = "2"
  case inverse = "7"
}

/// A line of the screen: pieces of text, each with its look.
public struct ScreenLine: Sendable, Equatable {
  private struct Piece: Sendable, Equatable {
    let text: String
    let style: ScreenStyle
  }

  private var pieces: [Piece]

  public init(_ text: String, _ style: ScreenStyle) { pieces = [Piece(text: text, style: style)] }

  public static func + (left: ScreenLine, right: ScreenLine) -> ScreenLine {
    var sum = left
    sum.pieces += right.pieces
    return sum
  }

  /// The text alone.
  public var text: String { pieces.map(\.text).joined() }

  /// The text as a terminal is told it.
  public var ansi: String {
    pieces.map { $0.style == .plain ? $0.text : "\u{1b}[\($0.style.rawValue)m\($0.text)\u{1b}[0m" }.joined()
  }
}
