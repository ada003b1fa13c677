/// Someone has read messages: the account itself on any device, the peer of a single chat, or a member of a group.
public struct ReadFact: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Where.
  public var conversationID: String
  /// Who has read. The account itself for own read marks.
  public var readerID: String
  /// Everything up to this seq; 0 for no watermark. Watermarks join as maxima and never walk back.
  public var upToSeq: Int64
  /// Single messages beyond the watermark.
  public var messages: [MessageReference]
  /// When, in milliseconds since 1970; 0 when unknown. The smallest known time of a message stands.
  public var time: Int64

  /// A read mark of its parts.
  public init(
    account: String, conversationID: String, readerID: String, upToSeq: Int64 = 0, messages: [MessageReference] = [],
    time: Int64 = 0
  ) {
    self.account = account
    self.conversationID = conversationID
    self.readerID = readerID
    self.upToSeq = upToSeq
    self.messages = messages
    self.time = time
  }
}
