/// What is known of the seqs of a conversation, beside the messages that carry them. All parts are unions or maxima.
public struct SeqFact: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Which conversation.
  public var conversationID: String
  /// Seqs that will never carry a message (receiving spec §1.7 rule 1).
  public var closed: [ClosedRange<Int64>]
  /// Ranges of which the server has answered every seq: what no message came for is closed. Only for a page that was
  /// really complete, never for a range that was merely asked for.
  public var answered: [ClosedRange<Int64>]
  /// The greatest seq the server has; 0 when not told. Seqs up to it that are neither known nor closed are missing.
  public var serverMaxSeq: Int64
  /// The smallest seq the account may see; 0 when not told. What lies below is closed.
  public var serverMinSeq: Int64

  /// Knowledge of its parts.
  public init(
    account: String, conversationID: String, closed: [ClosedRange<Int64>] = [], answered: [ClosedRange<Int64>] = [],
    serverMaxSeq: Int64 = 0, serverMinSeq: Int64 = 0
  ) {
    self.account = account
    self.conversationID = conversationID
    self.closed = closed
    self.answered = answered
    self.serverMaxSeq = serverMaxSeq
    self.serverMinSeq = serverMinSeq
  }
}
