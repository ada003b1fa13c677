/// What became of an own message that is being sent (receiving spec §2.2, §2.7). The message itself is a `ChatMessage`
/// without evidence.
public struct SendFact: Sendable, Equatable {
  /// A step of a local attempt, in the order in which they stand in the join.
  public enum Step: Int64, Sendable, Comparable, CaseIterable {
    /// In the outbox.
    case queued = 0
    /// On its way.
    case sending = 1
    /// Given up by this client; the server may have it all the same.
    case failed = 2
    /// Withdrawn before the server had it.
    case cancelled = 3

    /// Orders as the join does.
    public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    /// A step of an attempt; attempts count from 1, a retry is the next one.
    case attempt(number: Int64, step: Step)
    /// The server has taken it. `seq` is 0 when the acknowledgement does not tell it.
    case acknowledged(serverMsgID: String, sendTime: Int64, seq: Int64)
    /// A device of the receiver has it.
    case delivered(time: Int64)
  }

  /// The own user id.
  public var account: String
  /// Where the message stands.
  public var conversationID: String
  /// Which message.
  public var clientMsgID: String
  /// What happened.
  public var event: Event

  /// A send event of its parts.
  public init(account: String, conversationID: String, clientMsgID: String, event: Event) {
    self.account = account
    self.conversationID = conversationID
    self.clientMsgID = clientMsgID
    self.event = event
  }
}
