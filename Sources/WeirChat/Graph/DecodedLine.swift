import Weir

/// What became of a line in a ``DecodeStage``: every line comes out as at least one of these, so none is lost. A line may
/// hold several facts and events; a refusal of one of its parts carries the whole line.
public enum DecodedLine<Line: Sendable>: Sendable {
  /// A fact for the store.
  case fact(Fact)
  /// Something that is not stored: typing, an online-only message, a notice, a line to ignore by rule.
  case event(Decoded)
  /// A line that was refused, as it was read, and why.
  case refused(Line, DecodeError)

  /// The cases without their values, to route by.
  public enum Kind: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// Lines that became a fact.
    case facts
    /// Lines that became something that is not stored.
    case events
    /// Lines that could not be read.
    case refused

    /// The case in one word, as diagrams show it.
    public var description: String {
      switch self {
      case .facts: "facts"
      case .events: "events"
      case .refused: "refused"
      }
    }
  }

  /// Which case it is.
  public var kind: Kind {
    switch self {
    case .fact: .facts
    case .event: .events
    case .refused: .refused
    }
  }

  /// The fact, if it is one.
  public var fact: Fact? {
    if case .fact(let fact) = self { fact } else { nil }
  }

  /// The outcomes that one part of a payload comes to.
  static func outcomes(of part: Decoded, line: Line) -> [DecodedLine] {
    if case .refused(let error) = part { return [.refused(line, error)] }
    let facts = part.facts
    return facts.isEmpty ? [.event(part)] : facts.map { .fact($0) }
  }
}

extension DecodedLine: Weighted where Line: Weighted {
  /// What it keeps alive, in bytes.
  public var weight: Int {
    switch self {
    case .fact(let fact): fact.weight
    case .event(.onlineOnly(let message)): Fact.message(message).weight
    case .event(.notice(let notice)): MemoryLayout<Self>.stride + notice.detail.count
    case .event: MemoryLayout<Self>.stride
    case .refused(let line, _): line.weight
    }
  }
}
