/// Events on a line of ticks, written as text.
///
/// One character is one tick, the first character is tick 1, and reading begins at tick 0:
///
/// | Notation | Meaning |
/// |---|---|
/// | `-` | a tick on which nothing happens |
/// | `a` | the value `a`; any character without another meaning |
/// | `'text'` | the value `text`, in one tick; there is no way to write a quote inside |
/// | `[ab]` | several events on one tick, in this order |
/// | <code>&#124;</code> | the sequence finishes |
/// | `^` | the sequence fails |
/// | `;` | the consumer is cancelled just before this tick begins (expectation only) |
/// | `,` | the consumer does not pull again before the tick after this one (expectation only) |
/// | space | ignored |
///
/// The notation and its timing are those of the async operators spec §4.
public struct MarbleDiagram: Equatable, Sendable, CustomStringConvertible {
  /// One thing that happens.
  public enum Event: Equatable, Sendable {
    /// An element.
    case value(String)
    /// The normal end.
    case finish
    /// The end by an error; which error is not part of a diagram.
    case failure
    /// The consumer is cancelled.
    case cancel
    /// The consumer delays its next pull.
    case delay
  }

  /// An event and its tick, counted from 1.
  public struct Entry: Equatable, Sendable {
    /// The tick, counted from 1.
    public var tick: Int
    /// What happens on it.
    public var event: Event

    /// Makes the entry.
    public init(tick: Int, event: Event) {
      self.tick = tick
      self.event = event
    }
  }

  /// Who a diagram describes.
  public enum Role: Sendable {
    /// A source: it cannot cancel or delay its consumer.
    case input
    /// What a consumer should see and do.
    case expectation
  }

  /// The events in order; ticks never decrease.
  public let entries: [Entry]

  /// How many ticks the diagram spans.
  public let length: Int

  /// Reads a diagram.
  ///
  /// - Throws: ``MarbleSyntaxError`` with the position of the first fault.
  public init(_ notation: String, role: Role = .expectation) throws(MarbleSyntaxError) {
    var parser = MarbleParser(notation, role: role)
    try parser.parse()
    entries = parser.entries
    length = parser.tick
  }

  /// Makes a diagram from events in the order of their ticks, spanning at least `length` ticks.
  public init(entries: [Entry], length: Int = 0) {
    self.entries = entries
    self.length = max(length, entries.last?.tick ?? 0)
  }

  /// The diagram in its notation.
  public var description: String { cells().joined() }

  /// The text of each tick, beginning with what happened before tick 1, if anything.
  func cells() -> [String] {
    var eventsByTick: [Int: [Event]] = [:]
    for entry in entries { eventsByTick[entry.tick, default: []].append(entry.event) }
    let first = min(1, entries.first?.tick ?? 1)
    guard first <= length else { return [] }
    return (first...length).map { tick in
      let texts = eventsByTick[tick, default: []].map(\.notation)
      switch texts.count {
      case 0: return tick < 1 ? "" : "-"
      case 1: return texts[0]
      default: return "[" + texts.joined() + "]"
      }
    }
  }

  /// The diagrams one under the other, each tick in a column of its own; spaces fill up, so each line is still a valid
  /// diagram. Events before tick 1 get a column on the left.
  static func align(_ rows: [(label: String, diagram: MarbleDiagram)]) -> String {
    let hasTickZero = rows.contains { ($0.diagram.entries.first?.tick ?? 1) < 1 }
    let cells = rows.map { row -> [String] in
      let own = row.diagram.cells()
      let startsEarly = (row.diagram.entries.first?.tick ?? 1) < 1
      return hasTickZero && !startsEarly ? [""] + own : own
    }
    let columns = cells.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      cells.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    let labelWidth = rows.map(\.label.count).max() ?? 0
    return zip(rows, cells).map { row, cells in
      let padded = zip(cells.dropLast(), widths).map { pad($0, to: $1) }.joined()
      return "  \(pad(row.label, to: labelWidth)) : \(padded)\(cells.last ?? "")"
    }.joined(separator: "\n")
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension MarbleDiagram.Event {
  /// The event as a diagram writes it.
  var notation: String {
    switch self {
    case .value(let text):
      if text.count == 1, let character = text.first, !MarbleParser.isSpecial(character) { text } else { "'\(text)'" }
    case .finish: "|"
    case .failure: "^"
    case .cancel: ";"
    case .delay: ","
    }
  }
}
