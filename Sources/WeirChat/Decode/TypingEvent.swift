/// Someone is typing in a conversation, or has stopped.
public struct TypingEvent: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Where.
  public var conversationID: String
  /// Who.
  public var userID: String
  /// The platform number; 0 when the source named none or several.
  public var platformID: Int32
  /// Typing, or stopped.
  public var isTyping: Bool
}
