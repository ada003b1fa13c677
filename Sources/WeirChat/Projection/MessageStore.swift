import WeirStore

/// Where the facts of one account become rows, and what readers ask.
///
/// Facts may come in any order and any number of times; the same set of facts always gives the same content.
public protocol MessageStore: ProjectionReading {
  /// Stores the facts in one transaction and returns after its COMMIT. Pass whatever is pending, up to about 256: one
  /// transaction costs about the same for many facts as for one.
  ///
  /// - Throws: `StoreError`; nothing of the call was kept then, and the same call may be made again.
  func apply(_ facts: [Fact]) async throws(StoreError) -> CommitResult

  /// Conversations with the latest message first; `after` continues behind the last one of the page before.
  func conversations(
    after position: ConversationPosition?, limit: Int
  ) async throws(StoreError) -> Snapshot<[ConversationSummary]>

  /// Sums over all conversations.
  func totals() async throws(StoreError) -> Snapshot<Totals>

  /// The messages of a conversation that are to be shown, newest first; `before` continues behind the last one of the
  /// page before.
  func messages(
    in conversationID: String, before position: MessagePosition?, limit: Int
  ) async throws(StoreError) -> Snapshot<[StoredMessage]>

  /// What changed since `revision`, oldest first.
  func changes(since revision: Int64, limit: Int) async throws(StoreError) -> Snapshot<ChangeLog>

  /// Ends the store. Calls made later throw `StoreError` of kind `closed`.
  func close() async throws(StoreError)
}

/// An answer and the revision it reflects: a reader keeps the one with the higher revision, and skips hints up to it.
public struct Snapshot<Value: Sendable>: Sendable {
  /// The revision of the store that the answer reflects.
  public let revision: Int64
  /// The answer.
  public let value: Value
}

/// Sums over all conversations.
public struct Totals: Sendable, Equatable {
  /// Conversations that are listed.
  public var conversations: Int
  /// Messages that count (not filtered, not quiet); deleted and recalled ones included.
  public var messages: Int
  /// Unread messages.
  public var unread: Int
}

/// A line of the conversation list.
public struct ConversationSummary: Sendable, Equatable {
  /// The conversation.
  public var conversationID: String
  /// Its kind; nil when the id names none.
  public var sessionType: SessionType?
  /// The peer's user id, or the group id; the conversation id when neither is known.
  public var title: String
  /// Unread messages: not own, not read, not recalled, not deleted, not filtered, not quiet.
  public var unread: Int
  /// The last message to show; nil when all were deleted.
  public var last: StoredMessage?
  /// The server's time of the last message, in milliseconds; 0 without one.
  public var lastTime: Int64
  /// The revision of the latest change here.
  public var revision: Int64

  /// Where the list continues after this line.
  public var position: ConversationPosition { ConversationPosition(lastTime: lastTime, conversationID: conversationID) }
}

/// A place in the conversation list.
public struct ConversationPosition: Sendable, Equatable {
  /// The time of the last message there.
  public var lastTime: Int64
  /// The conversation there.
  public var conversationID: String
}

/// A message as a reader sees it.
public struct StoredMessage: Sendable, Equatable {
  /// What is to be shown.
  public enum Display: Sendable, Equatable {
    /// The content.
    case content(MessageContent)
    /// That it was taken back. The content is not given out any more.
    case recalled(RecallRecord)
  }

  /// Which message.
  public var key: MessageKey
  /// What surrounds the content.
  public var envelope: Envelope
  /// How far the server vouches for it.
  public var evidence: ServerEvidence
  /// What holds of it.
  public var marks: MessageMarks
  /// What is to be shown.
  public var display: Display
  /// The revision of its latest change.
  public var revision: Int64

  /// Whether the account sent it.
  public var isMine: Bool { envelope.senderID.utf8Equals(key.account) }

  /// One line for a list.
  public var preview: String {
    switch display {
    case .content(let content): content.preview
    case .recalled: "[Recalled]"
    }
  }

  /// Where a page continues after this message.
  public var position: MessagePosition {
    MessagePosition(sendTime: envelope.sendTime, seq: envelope.seq, clientMsgID: key.clientMsgID)
  }
}

/// A place in a conversation. Messages are ordered by time, seq and client id.
public struct MessagePosition: Sendable, Equatable {
  /// The server's time of the message there, in milliseconds.
  public var sendTime: Int64
  /// Its seq.
  public var seq: Int64
  /// Its client id.
  public var clientMsgID: String
}

/// What changed since a revision.
public struct ChangeLog: Sendable, Equatable {
  /// The changes, oldest first.
  public var changes: [ConversationChange]
  /// False when the log no longer reaches back that far: query everything anew.
  public var isComplete: Bool
}
