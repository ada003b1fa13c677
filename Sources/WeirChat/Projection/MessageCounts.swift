import WeirStore

/// What follows for a conversation from its rows: how many count, how many are unread, which is the last.
///
/// Where ids only decide between equals, they are compared here: SQLite would make a table of its own to sort in, for each
/// call.
final class MessageCounts {
  /// Rows that no clear covers; parameters 2 and 3 are the marks.
  private static let uncleared =
    "NOT (seq > 0 AND seq <= ?2) AND NOT (send_time > 0 AND send_time <= ?3 AND evidence > 0)"
  private static let outside = RowStanding.outsideSummary.rawValue

  private let unread: Statement
  private let all: Statement
  private let newest: Statement
  private let newestTime: Statement
  private let pending: Statement
  private let nextSent: Statement
  /// The number of the own user id among the texts.
  private let me: Int64

  init(_ connection: Connection, me: Int64) throws(StoreError) {
    self.me = me
    let notUnread = RowStanding.notUnread.rawValue
    unread = try connection.prepare(
      """
      SELECT count(*) FROM messages WHERE conversation = ?1 AND seq > ?5 AND seq <= ?6 AND seq > 0
      AND sender <> ?4 AND marks & \(notUnread) = 0 AND \(Self.uncleared)
      """)
    all = try connection.prepare(
      """
      SELECT
      coalesce(sum(marks & \(RowStanding.uncounted.rawValue) = 0 AND NOT (seq > 0 AND seq <= ?5)
        AND NOT (send_time > 0 AND send_time <= ?6 AND evidence > 0)), 0),
      coalesce(sum(sender <> ?4 AND marks & \(notUnread) = 0 AND \(Self.uncleared) AND NOT (seq > 0 AND seq <= ?7)), 0)
      FROM messages WHERE conversation = ?1
      """)
    newest = try connection.prepare(
      """
      SELECT id, send_time, seq, client_id FROM messages WHERE conversation = ?1 AND marks & \(Self.outside) = 0
      AND \(Self.uncleared) AND NOT (send_time = 0 AND evidence = 0 AND sender = ?4)
      ORDER BY send_time DESC, seq DESC
      """)
    newestTime = try connection.prepare(
      """
      SELECT send_time FROM messages WHERE conversation = ?1 AND marks & \(Self.outside) = 0 AND \(Self.uncleared)
      ORDER BY send_time DESC LIMIT 1
      """)
    pending = try connection.prepare(
      """
      SELECT id, create_time, client_id FROM messages WHERE conversation = ?1 AND evidence = 0 AND send_time = 0
      AND sender = ?4 AND marks & ?2 = 0
      """)
    nextSent = try connection.prepare(
      """
      SELECT send_time, create_time, client_id FROM messages WHERE conversation = ?1 AND create_time > ?2
      AND marks & \(MessageMarks.sentHere.rawValue) <> 0 AND send_time > 0 AND sender = ?4 ORDER BY create_time
      """)
    for statement in [unread, all, newest, pending, nextSent] { statement.bind(me, at: 4) }
  }

  /// Unread messages with a seq above `low`, up to `high`, whatever the read mark says.
  func unread(_ conversation: Int64, _ marks: ConversationMarks, above low: Int64, upTo high: Int64)
    throws(StoreError) -> Int64
  {
    bind(unread, conversation, marks)
    unread.bind(low, at: 5)
    unread.bind(high, at: 6)
    return try unread.firstInt64() ?? 0
  }

  /// Messages that count, and unread ones, over the whole conversation.
  func all(_ conversation: Int64, _ marks: ConversationMarks) throws(StoreError) -> (counted: Int64, unread: Int64) {
    bind(all, conversation, marks)
    all.bind(marks.hiddenSeq, at: 5)
    all.bind(marks.hiddenTime, at: 6)
    all.bind(marks.readSeq, at: 7)
    guard try all.step() else { return (0, 0) }
    defer { all.reset() }
    return (all.int64(0), all.int64(1))
  }

  /// Puts the last message and its place into the summary. Without one, a conversation that was only cleared keeps its
  /// time, and one that lost its place in the list has none.
  func findLast(_ state: ConversationState) throws(StoreError) {
    let placed = try newestPlaced(state.id, state.marks)
    var last = placed
    if state.summary.pending > 0,
      let waiting = try pendingTimes(state.id, newest: placed?.time ?? 0, without: Self.outside).last
    {
      if (waiting.time, 0) > (placed?.time ?? .min, placed?.seq ?? 0) { last = (waiting.id, waiting.time, 0) }
    }
    state.summary.lastMessage = last?.id
    state.summary.lastSeq = last?.seq ?? 0
    if let last {
      state.summary.lastTime = last.time
    } else {
      state.summary.lastTime = try clearedTime(state.id, state.marks)
    }
  }

  /// The own messages without a place that have none of the marks, in their order, with the times they stand at.
  func pendingTimes(
    _ conversation: Int64, _ marks: ConversationMarks, without hidden: Int64
  ) throws(StoreError) -> [(id: Int64, time: Int64)] {
    try pendingTimes(
      conversation, newest: try newestPlaced(conversation, marks)?.time ?? 0, without: hidden)
  }

  private func pendingTimes(
    _ conversation: Int64, newest: Int64, without hidden: Int64
  ) throws(StoreError) -> [(id: Int64, time: Int64)] {
    var found: [(id: Int64, createTime: Int64, clientID: StoredID)] = []
    pending.bind(conversation, at: 1)
    pending.bind(hidden, at: 2)
    while try pending.step() { found.append((pending.int64(0), pending.int64(1), StoredID(pending, 2))) }
    if found.isEmpty { return [] }
    found.sort { ($0.createTime, $0.clientID) < ($1.createTime, $1.clientID) }
    var order: [(createTime: Int64, cap: Int64?)] = []
    for (_, createTime, _) in found { order.append((createTime, try nextSentTime(conversation, after: createTime))) }
    let times = PendingOrder.times(order, newest: newest)
    return zip(found, times).map { ($0.id, $1) }
  }

  /// The time of the first own message sent from here that was written after a moment.
  private func nextSentTime(_ conversation: Int64, after createTime: Int64) throws(StoreError) -> Int64? {
    nextSent.bind(conversation, at: 1)
    nextSent.bind(createTime, at: 2)
    defer { nextSent.reset() }
    var first: (sendTime: Int64, createTime: Int64, clientID: StoredID)?
    while try nextSent.step() {
      let next = (sendTime: nextSent.int64(0), createTime: nextSent.int64(1), clientID: StoredID(nextSent, 2))
      if let first, first.createTime != next.createTime { break }
      if first.map({ next.clientID < $0.clientID }) ?? true { first = next }
    }
    return first?.sendTime
  }

  private func newestPlaced(
    _ conversation: Int64, _ marks: ConversationMarks
  ) throws(StoreError) -> (id: Int64, time: Int64, seq: Int64)? {
    bind(newest, conversation, marks)
    defer { newest.reset() }
    var last: (id: Int64, time: Int64, seq: Int64, clientID: StoredID)?
    while try newest.step() {
      let next = (id: newest.int64(0), time: newest.int64(1), seq: newest.int64(2), clientID: StoredID(newest, 3))
      if let last, (last.time, last.seq) != (next.time, next.seq) { break }
      if last.map({ $0.clientID < next.clientID }) ?? true { last = next }
    }
    return last.map { ($0.id, $0.time, $0.seq) }
  }

  /// The time of the latest message that a clear covers but no clear of the list.
  private func clearedTime(_ conversation: Int64, _ marks: ConversationMarks) throws(StoreError) -> Int64 {
    newestTime.bind(conversation, at: 1)
    newestTime.bind(marks.hiddenSeq, at: 2)
    newestTime.bind(marks.hiddenTime, at: 3)
    return try newestTime.firstInt64() ?? 0
  }

  private func bind(_ statement: Statement, _ conversation: Int64, _ marks: ConversationMarks) {
    statement.bind(conversation, at: 1)
    statement.bind(marks.clearedSeq, at: 2)
    statement.bind(marks.clearedTime, at: 3)
  }
}
