/// What one transaction did. Every fact is counted in exactly one of the six numbers.
public struct CommitResult: Sendable, Equatable {
  /// The revision of the store after the transaction.
  public var revision: Int64 = 0
  /// Messages that were new.
  public var inserted = 0
  /// Facts that told nothing new to see: redeliveries, and twins that only add a seq.
  public var merged = 0
  /// Copies that moved a known message forward.
  public var advanced = 0
  /// Recalls that took a message back, or changed who did.
  public var recalled = 0
  /// Recalls whose message has not come yet. They are stored and will hold.
  public var orphaned = 0
  /// Facts that cannot be stored, by their place in the call, with the reason.
  public var rejected: [RejectedFact] = []
  /// What readers should look at again, one entry a conversation, in the order of their revisions.
  public var changes: [ConversationChange] = []

  /// The result of a transaction without facts.
  public init() {}

  /// A fact that cannot be stored.
  public struct RejectedFact: Sendable, Equatable {
    /// Its place in the call.
    public var index: Int
    /// Why.
    public var reason: Reason
  }

  /// Why a fact cannot be stored.
  public enum Reason: String, Sendable {
    /// It belongs to another account than the store.
    case otherAccount = "rejected.other-account"
    /// It names no conversation.
    case emptyConversationID = "rejected.empty-conversation-id"
    /// It names no message.
    case emptyClientMsgID = "rejected.empty-client-id"
  }
}

/// That something in a conversation changed: the hint a reader queries upon. It carries no content on purpose, so that a
/// lost or repeated hint can do no harm.
public struct ConversationChange: Sendable, Equatable {
  /// Where.
  public var conversationID: String
  /// The revision of this change. Revisions have no holes: a reader that sees one missing has missed a hint.
  public var revision: Int64
  /// What.
  public var kinds: ChangeKinds
  /// The messages that changed.
  public var clientMsgIDs: [String]
}

/// What changed in a conversation.
public struct ChangeKinds: OptionSet, Sendable, Hashable {
  /// The bits. They are stored.
  public let rawValue: Int64

  /// Kinds of their bits.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// A message is new.
  public static let inserted = ChangeKinds(rawValue: 1)
  /// A message moved forward.
  public static let updated = ChangeKinds(rawValue: 2)
  /// A message was taken back.
  public static let recalled = ChangeKinds(rawValue: 4)
  /// The number of unread messages.
  public static let unread = ChangeKinds(rawValue: 8)
  /// The last message, or whether the conversation is listed.
  public static let summary = ChangeKinds(rawValue: 16)
}
