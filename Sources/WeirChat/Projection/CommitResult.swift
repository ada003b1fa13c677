/// What one transaction did. Every fact is counted in exactly one of the six numbers.
public struct CommitResult: Sendable, Equatable {
  /// The revision of the store after the transaction.
  public var revision: Int64 = 0
  /// Messages that were new.
  public var inserted = 0
  /// Facts that told nothing new to see: redeliveries, and twins that only add a seq.
  public var merged = 0
  /// Facts that moved what was known forward.
  public var advanced = 0
  /// Recalls that took a message back, or changed who did.
  public var recalled = 0
  /// Facts about messages that have not come yet. They are stored and will hold.
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
    /// It names no entry, task, reader or seq.
    case emptyTarget = "rejected.empty-target"
  }
}

/// That something in a conversation, a list of people or a media task changed: the hint a reader queries upon. It carries
/// no content on purpose, so that a lost or repeated hint can do no harm.
public struct ConversationChange: Sendable, Equatable {
  /// Where; empty for a change of `social` or `mediaTaskID`.
  public var conversationID: String
  /// The revision of this change. Revisions have no holes: a reader that sees one missing has missed a hint.
  public var revision: Int64
  /// What.
  public var kinds: ChangeKinds
  /// The messages that changed.
  public var clientMsgIDs: [String]
  /// The list of people that changed, for `ChangeKinds.social`.
  public var social: SocialChange?
  /// The media task that changed, for `ChangeKinds.media`.
  public var mediaTaskID: String?
  /// Where that task stands, after the transaction or, out of the log, when the log is read; nil when it is not told.
  public var mediaState: MediaTaskFact.State?

  /// A change of its parts.
  public init(
    conversationID: String, revision: Int64, kinds: ChangeKinds, clientMsgIDs: [String], social: SocialChange? = nil,
    mediaTaskID: String? = nil, mediaState: MediaTaskFact.State? = nil
  ) {
    self.conversationID = conversationID
    self.revision = revision
    self.kinds = kinds
    self.clientMsgIDs = clientMsgIDs
    self.social = social
    self.mediaTaskID = mediaTaskID
    self.mediaState = mediaState
  }
}

/// Which list of people changed.
public struct SocialChange: Sendable, Equatable {
  /// The list.
  public var scope: SocialFact.Scope
  /// The group, for members and join requests; else empty.
  public var scopeID: String

  /// A list.
  public init(scope: SocialFact.Scope, scopeID: String) {
    self.scope = scope
    self.scopeID = scopeID
  }

  /// Whether it is the same list; ids are compared by bytes, as readers do.
  func isSame(as other: SocialChange) -> Bool { scope == other.scope && scopeID.utf8Equals(other.scopeID) }
}

/// What changed in a conversation.
public struct ChangeKinds: OptionSet, Sendable, Hashable {
  /// The bits. They are stored.
  public let rawValue: Int64

  /// Kinds of their bits.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// A message is new.
  public static let inserted = ChangeKinds(rawValue: 1)
  /// A further copy moved a message forward.
  public static let updated = ChangeKinds(rawValue: 2)
  /// A message was taken back.
  public static let recalled = ChangeKinds(rawValue: 4)
  /// The number of unread messages, or how exactly it is known.
  public static let unread = ChangeKinds(rawValue: 8)
  /// The last message, or whether the conversation is listed.
  public static let summary = ChangeKinds(rawValue: 16)
  /// A message's content was replaced.
  public static let edited = ChangeKinds(rawValue: 32)
  /// A message was deleted or has burned.
  public static let deleted = ChangeKinds(rawValue: 64)
  /// The account has read messages.
  public static let read = ChangeKinds(rawValue: 128)
  /// Somebody else has read messages.
  public static let receipts = ChangeKinds(rawValue: 256)
  /// What became of an own message that is being sent.
  public static let sendState = ChangeKinds(rawValue: 512)
  /// Properties of the conversation.
  public static let properties = ChangeKinds(rawValue: 1_024)
  /// The conversation was emptied.
  public static let cleared = ChangeKinds(rawValue: 2_048)
  /// Which seqs are missing.
  public static let gaps = ChangeKinds(rawValue: 4_096)
  /// The application's own words on a message.
  public static let localEx = ChangeKinds(rawValue: 8_192)
  /// A list of people; not of a conversation.
  public static let social = ChangeKinds(rawValue: 16_384)
  /// A media task; not of a conversation.
  public static let media = ChangeKinds(rawValue: 32_768)
}
