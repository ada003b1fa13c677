/// The news that a message was taken back. It may come before the message, and more than once.
public struct RecallFact: Sendable, Equatable {
  /// Which messages a recall means.
  public enum Target: Sendable, Hashable {
    /// The message of this conversation.
    case conversation(String)
    /// The message of any conversation of this kind from this sender: the callback payload names no conversation. An
    /// empty sender means any.
    case anywhere(SessionType?, senderID: String)
  }

  /// The content number of a recall and of what was taken back.
  static let contentType: Int32 = 2101

  /// The own user id.
  public var account: String
  /// Where the message stands.
  public var target: Target
  /// The client id of the message. Empty when a conversation is named and `record.seq` is above 0: then the seq names it.
  public var clientMsgID: String
  /// Who took it back, and when.
  public var record: RecallRecord
  /// The row itself, without content, when the server delivered it already recalled (receiving spec §1.7 rule 5).
  public var original: ChatMessage?

  /// A recall of its parts.
  public init(
    account: String, target: Target, clientMsgID: String, record: RecallRecord, original: ChatMessage? = nil
  ) {
    self.account = account
    self.target = target
    self.clientMsgID = clientMsgID
    self.record = record
    self.original = original
  }
}

/// Who took a message back, and when. Of several records the smallest stands, so their order does not matter.
public struct RecallRecord: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970; 0 when unknown.
  public var time: Int64
  /// Who took it back; empty when unknown.
  public var revokerID: String
  /// The revoker's role in the group, as the server numbers it.
  public var revokerRole: Int32
  /// Whether an administrator did it.
  public var isByAdmin: Bool
  /// The place of the message in its conversation, as the recall tells it; 0 when unknown.
  public var seq: Int64

  /// A record of its parts.
  public init(time: Int64 = 0, revokerID: String = "", revokerRole: Int32 = 0, isByAdmin: Bool = false, seq: Int64 = 0)
  {
    self.time = time
    self.revokerID = revokerID
    self.revokerRole = revokerRole
    self.isByAdmin = isByAdmin
    self.seq = seq
  }

  /// Earlier first, an unknown time last; then by revoker and the rest, so that the order is total.
  public static func < (left: RecallRecord, right: RecallRecord) -> Bool {
    let times = (left.time == 0 ? Int64.max : left.time, right.time == 0 ? Int64.max : right.time)
    if times.0 != times.1 { return times.0 < times.1 }
    if !left.revokerID.utf8Equals(right.revokerID) { return left.revokerID.utf8Precedes(right.revokerID) }
    return (left.revokerRole, left.isByAdmin ? 1 : 0, left.seq)
      < (right.revokerRole, right.isByAdmin ? 1 : 0, right.seq)
  }
}
