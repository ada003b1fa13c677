/// A fault in the text of a marble diagram.
public struct MarbleSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Fault: String, Sendable {
    /// `-` between brackets.
    case stepInGroup = "marble-step-in-group"
    /// `[` between brackets.
    case nestedGroup = "marble-nested-group"
    /// Brackets with no event between them.
    case emptyGroup = "marble-empty-group"
    /// `]` without `[`.
    case unopenedGroup = "marble-unopened-group"
    /// `[` without `]`.
    case unclosedGroup = "marble-unclosed-group"
    /// A quote without its partner.
    case unclosedText = "marble-unclosed-text"
    /// An event after the finish or the failure.
    case eventAfterEnd = "marble-event-after-end"
    /// `;` or `,` in a diagram of a source.
    case consumerEventInInput = "marble-consumer-event-in-input"
    /// A line break, tab or the like.
    case controlCharacter = "marble-control-character"
  }

  /// What is wrong.
  public var fault: Fault
  /// The whole text.
  public var notation: String
  /// The character at fault, counted from 0; for something unclosed, the character that opened it.
  public var offset: Int

  /// A stable word for the kind of fault.
  public var code: String { fault.rawValue }

  /// What went wrong and what to do, with the text and a mark under the character.
  public var description: String {
    """
    \(explanation) (column \(offset + 1))
      \(notation)
      \(String(repeating: " ", count: offset))^
    """
  }

  private var explanation: String {
    switch fault {
    case .stepInGroup: "a group is one tick and cannot contain '-'; close it with ']' first"
    case .nestedGroup: "groups cannot be nested; close the first with ']'"
    case .emptyGroup: "a group needs at least one event; write '-' for an empty tick"
    case .unopenedGroup: "']' closes a group that was not opened with '['"
    case .unclosedGroup: "this group is not closed; add ']'"
    case .unclosedText: "this text is not closed; add a quote"
    case .eventAfterEnd: "nothing can happen after '|' or '^'; only '-' may follow"
    case .consumerEventInInput: "';' and ',' tell what the consumer does; they belong in the expectation"
    case .controlCharacter: "line breaks, tabs and other control characters are not part of the notation"
    }
  }
}
