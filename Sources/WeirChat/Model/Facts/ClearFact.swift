/// A conversation was emptied: what lies at or below the marks is hidden, also when it arrives later. Marks join as
/// maxima.
public struct ClearFact: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Which conversation.
  public var conversationID: String
  /// The last seq that is cleared; 0 when the source names none.
  public var upToSeq: Int64
  /// Messages of the server sent at this time or earlier are cleared; milliseconds since 1970, 0 for none. A
  /// notification (1703) names no seq, only its own time.
  public var upToTime: Int64
  /// Whether the conversation also leaves the list until its next message.
  public var hidesConversation: Bool

  /// A clear of its parts.
  public init(
    account: String, conversationID: String, upToSeq: Int64 = 0, upToTime: Int64 = 0, hidesConversation: Bool = false
  ) {
    self.account = account
    self.conversationID = conversationID
    self.upToSeq = upToSeq
    self.upToTime = upToTime
    self.hidesConversation = hidesConversation
  }
}
