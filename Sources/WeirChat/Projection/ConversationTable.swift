import WeirStore

/// What the store keeps about one conversation, while a transaction works on it.
struct ConversationState {
  /// What a list shows and sorts by.
  struct Summary: Equatable {
    /// Messages that count: neither filtered nor quiet.
    var messageCount: Int64
    var unread: Int64
    var lastMessage: Int64?
    var lastTime: Int64
    var lastSeq: Int64
  }

  let id: Int64
  let key: String
  let sessionType: Int64
  let original: Summary
  /// The revision of the latest change before this transaction.
  let oldRevision: Int64
  var summary: Summary
  /// The revision of this transaction's change, once there is one.
  var revision: Int64?
  var kinds: ChangeKinds = []
  var changed: [(row: Int64, clientMsgID: String)] = []
  /// Whether the last message must be looked for, because the one noted has moved or gone.
  var mustFindLast = false

  /// Takes in how a row changed: `before` is nil for a new row.
  mutating func note(_ id: Int64, before: RowStanding?, after: RowStanding) {
    summary.messageCount += (after.counts ? 1 : 0) - (before?.counts ?? false ? 1 : 0)
    summary.unread += (after.isUnread ? 1 : 0) - (before?.isUnread ?? false ? 1 : 0)
    guard let last = summary.lastMessage else {
      if after.isVisibleInSummary { take(id, after) }
      return
    }
    let noted = (summary.lastTime, summary.lastSeq)
    if last == id {
      if !after.isVisibleInSummary || noted != (after.sendTime, after.seq) { mustFindLast = true }
    } else if after.isVisibleInSummary {
      if noted < (after.sendTime, after.seq) {
        take(id, after)
      } else if noted == (after.sendTime, after.seq) {
        mustFindLast = true
      }
    }
  }

  /// What changed, with what follows for the list from the changed rows.
  var allKinds: ChangeKinds {
    var kinds = kinds
    if summary.unread != original.unread { kinds.insert(.unread) }
    let moved = (summary.lastMessage, summary.lastTime, summary.lastSeq)
    if moved != (original.lastMessage, original.lastTime, original.lastSeq)
      || (summary.messageCount > 0) != (original.messageCount > 0)
    {
      kinds.insert(.summary)
    }
    return kinds
  }

  private mutating func take(_ id: Int64, _ row: RowStanding) {
    summary.lastMessage = id
    summary.lastTime = row.sendTime
    summary.lastSeq = row.seq
  }
}

/// How a row bears on its conversation.
struct RowStanding {
  let sendTime: Int64
  let seq: Int64
  let marks: MessageMarks
  let isMine: Bool

  /// Marks that keep a row from being the last message.
  static let outsideSummary: MessageMarks = [.deletedForSelf, .filtered, .quiet]

  var counts: Bool { marks.isDisjoint(with: [.filtered, .quiet]) }

  var isVisibleInSummary: Bool { marks.isDisjoint(with: Self.outsideSummary) }

  var isUnread: Bool {
    !isMine && marks.isDisjoint(with: [.read, .deletedForSelf, .filtered, .quiet, .recalled])
  }
}

/// The held statements of the conversations table.
final class ConversationTable {
  private static let cacheLimit = 16_384

  private let connection: Connection
  private let find: Statement
  private let load: Statement
  private let insert: Statement
  private let update: Statement
  private var ids: [ByteKey: Int64] = [:]

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    find = try connection.prepare("SELECT id FROM conversations WHERE key = ?1")
    load = try connection.prepare(
      """
      SELECT key, session_type, message_count, unread, last_message, last_time, last_seq, revision
      FROM conversations WHERE id = ?1
      """)
    insert = try connection.prepare(
      """
      INSERT INTO conversations
      (key, session_type, message_count, unread, last_message, last_time, last_seq, revision)
      VALUES (?1, ?2, 0, 0, NULL, 0, 0, 0)
      """)
    update = try connection.prepare(
      """
      UPDATE conversations SET message_count = ?2, unread = ?3, last_message = ?4, last_time = ?5, last_seq = ?6,
      revision = ?7 WHERE id = ?1
      """)
  }

  /// The number of a conversation, new if need be. A new one is listed only once it has a message.
  func number(_ key: String) throws(StoreError) -> Int64 {
    if let known = ids[ByteKey(text: key)] { return known }
    find.bind(key, at: 1)
    let id: Int64
    if let found = try find.firstInt64() {
      id = found
    } else {
      insert.bind(key, at: 1)
      insert.bind(Int64(SessionType(conversationID: key)?.rawValue ?? 0), at: 2)
      try insert.run()
      id = connection.lastInsertedRow
    }
    if ids.count >= Self.cacheLimit { ids.removeAll(keepingCapacity: true) }
    ids[ByteKey(text: key)] = id
    return id
  }

  /// The state of a conversation at the start of the transaction.
  func load(_ id: Int64) throws(StoreError) -> ConversationState {
    load.bind(id, at: 1)
    guard try load.step() else { throw StoreError(.corrupt, "conversation \(id) is missing") }
    defer { load.reset() }
    let summary = ConversationState.Summary(
      messageCount: load.int64(2), unread: load.int64(3),
      lastMessage: load.type(4) == .null ? nil : load.int64(4), lastTime: load.int64(5), lastSeq: load.int64(6))
    return ConversationState(
      id: id, key: load.string(0), sessionType: load.int64(1), original: summary, oldRevision: load.int64(7),
      summary: summary)
  }

  /// Writes the state back, with the revision of its change if there was one.
  func save(_ state: ConversationState) throws(StoreError) {
    update.bind(state.id, at: 1)
    update.bind(state.summary.messageCount, at: 2)
    update.bind(state.summary.unread, at: 3)
    if let last = state.summary.lastMessage { update.bind(last, at: 4) } else { update.bindNull(at: 4) }
    update.bind(state.summary.lastTime, at: 5)
    update.bind(state.summary.lastSeq, at: 6)
    update.bind(state.revision ?? state.oldRevision, at: 7)
    try update.run()
  }

  /// Drops what is remembered, after a rollback.
  func forget() {
    ids.removeAll(keepingCapacity: true)
  }
}
