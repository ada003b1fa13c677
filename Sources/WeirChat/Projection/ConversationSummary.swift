/// A line of the conversation list.
public struct ConversationSummary: Sendable, Equatable {
  /// The conversation.
  public var conversationID: String
  /// Its kind; nil when the id names none.
  public var sessionType: SessionType?
  /// The name that was set; else the peer's user id, or the group id; the conversation id when none is known.
  public var title: String
  /// Unread messages among those known: not own, not read, not recalled, not deleted, not filtered, not quiet.
  public var unread: Int
  /// Seqs that may hold further unread messages and have not been fetched: the number of unread messages is exact when
  /// this is 0, else between `unread` and the sum of both.
  public var unfetched: Int64
  /// The last message to show; nil when all were deleted or cleared.
  public var last: StoredMessage?
  /// The time of the last message, in milliseconds; 0 without one.
  public var lastTime: Int64
  /// The own read mark.
  public var readSeq: Int64
  /// What was set for the conversation: name, picture, pin, draft and so on.
  public var properties: ConversationProperties
  /// The revision of the latest change here.
  public var revision: Int64

  /// Where the list continues after this line.
  public var position: ConversationPosition {
    ConversationPosition(
      isPinned: properties.isPinned, time: max(lastTime, properties.draftTime), conversationID: conversationID)
  }
}

/// A place in the conversation list: pinned ones first, then by the later of the last message and the draft, then by id.
public struct ConversationPosition: Sendable, Equatable {
  /// Whether the conversation there is pinned.
  public var isPinned: Bool
  /// The later of the time of its last message and that of its draft.
  public var time: Int64
  /// The conversation there.
  public var conversationID: String

  /// A place of its parts.
  public init(isPinned: Bool, time: Int64, conversationID: String) {
    self.isPinned = isPinned
    self.time = time
    self.conversationID = conversationID
  }
}

/// Sums over all conversations.
public struct Totals: Sendable, Equatable {
  /// Conversations that are listed.
  public var conversations: Int
  /// Messages that count (not filtered, not quiet); deleted and recalled ones included.
  public var messages: Int
  /// Unread messages of listed conversations that are not set to quiet.
  public var unread: Int
  /// Seqs there that may hold further unread messages and have not been fetched; 0 when `unread` is exact.
  public var unfetched: Int64 = 0
}

/// The total of unread messages: exact, or a range.
public struct TotalUnread: Sendable, Equatable {
  /// Unread messages among those known.
  public var known: Int
  /// Seqs that may hold further ones.
  public var unfetched: Int64

  /// Whether `known` is all.
  public var isExact: Bool { unfetched == 0 }
}

/// How far somebody has read a conversation.
public struct PeerRead: Sendable, Equatable {
  /// Who.
  public var userID: String
  /// Everything up to this seq.
  public var upToSeq: Int64
  /// When that seq was read, in milliseconds since 1970; 0 when unknown.
  public var time: Int64
}

/// What changed since a revision.
public struct ChangeLog: Sendable, Equatable {
  /// The changes, oldest first.
  public var changes: [ConversationChange]
  /// False when the log no longer reaches back that far: query everything anew.
  public var isComplete: Bool
}

/// Something is known of a message that has not come: it is kept, and will hold.
public struct Orphan: Sendable, Equatable {
  /// Where.
  public var conversationID: String
  /// Which message.
  public var target: MessageReference
  /// What is known of it, in words.
  public var parts: [String]
}
