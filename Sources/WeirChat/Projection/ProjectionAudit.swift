import WeirStore

/// Recounts from the rows what the store keeps ready: unread numbers, message numbers, last messages, totals, recall
/// marks. An empty answer means that all of it agrees.
struct ProjectionAudit {
  // The marks as bits: 1 read, 2 deleted for self, 4 filtered, 8 quiet, 16 recalled, 64 burned, 128 deleted for all,
  // 256 read by receipt, 1024 unlisted, 2048 uncounted.
  private static let uncleared = """
    NOT (m.seq > 0 AND m.seq <= c.cleared_seq)
    AND NOT (m.send_time > 0 AND m.send_time <= c.cleared_time AND m.evidence > 0)
    """

  private static let checks: [(name: String, sql: String)] = [
    (
      "message number of a conversation",
      """
      SELECT c.key FROM conversations c WHERE message_count <>
      (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND marks & 1036 = 0
      AND NOT (m.seq > 0 AND m.seq <= c.hidden_seq)
      AND NOT (m.send_time > 0 AND m.send_time <= c.hidden_time AND m.evidence > 0))
      """
    ),
    (
      "unread number of a conversation",
      """
      SELECT c.key FROM conversations c WHERE unread <>
      (SELECT count(*) FROM messages m JOIN meta LEFT JOIN strings s ON s.id = m.sender
      WHERE m.conversation = c.id AND marks & 2527 = 0 AND coalesce(s.value, '') <> meta.account
      AND NOT (m.seq > 0 AND m.seq <= c.read_seq) AND \(uncleared))
      """
    ),
    (
      "last message of a conversation",
      """
      SELECT c.key FROM conversations c WHERE pending = 0 AND last_message IS NOT
      (SELECT id FROM messages m WHERE m.conversation = c.id AND marks & 1230 = 0 AND \(uncleared)
      ORDER BY send_time DESC, seq DESC, client_id DESC LIMIT 1)
      """
    ),
    (
      "place of the last message of a conversation",
      """
      SELECT c.key FROM conversations c JOIN messages m ON m.id = c.last_message
      WHERE pending = 0 AND last_time <> m.send_time OR last_seq <> m.seq
      """
    ),
    (
      "number of own messages without a place",
      """
      SELECT c.key FROM conversations c WHERE pending <>
      (SELECT count(*) FROM messages m JOIN meta JOIN strings s ON s.id = m.sender AND s.value = meta.account
      WHERE m.conversation = c.id AND evidence = 0 AND send_time = 0 AND marks & 1230 = 0)
      """
    ),
    (
      "own read mark of a conversation",
      """
      SELECT c.key FROM conversations c JOIN meta JOIN strings s ON s.value = meta.account WHERE read_seq <>
      coalesce((SELECT max(seq) FROM watermarks w WHERE w.conversation = c.id AND w.reader = s.id), 0)
      """
    ),
    (
      "place of a conversation in the list",
      "SELECT key FROM conversations WHERE sort_time <> max(last_time, draft_time)"
    ),
    (
      "total of unread messages",
      """
      SELECT 'meta' FROM meta WHERE unread_total <> (SELECT coalesce(sum(unread), 0) FROM conversations
      WHERE (message_count > 0 OR draft_time > 0) AND receive_option <> 2)
      """
    ),
    (
      "total of seqs that are not fetched",
      """
      SELECT 'meta' FROM meta WHERE unfetched_total <> (SELECT coalesce(sum(unfetched), 0) FROM conversations
      WHERE (message_count > 0 OR draft_time > 0) AND receive_option <> 2)
      """
    ),
    (
      "revision of the log",
      "SELECT 'meta' FROM meta WHERE revision <> (SELECT coalesce(max(revision), 0) FROM history)"
    ),
    (
      "holes in the log",
      """
      SELECT 'meta' FROM meta WHERE revision - history_from + 1 <>
      (SELECT count(*) FROM history WHERE revision >= history_from)
      """
    ),
  ]

  /// One line for each thing that does not agree; at most `limit` of each kind. Reads every row.
  static func findings(_ connection: Connection, limit: Int = 10) throws(StoreError) -> [String] {
    var findings: [String] = []
    for check in checks {
      let select = try connection.prepare("\(check.sql) LIMIT \(limit)")
      while try select.step() { findings.append("\(check.name): \(select.string(0))") }
    }
    return try findings + recallFindings(connection, limit: limit) + seqFindings(connection, limit: limit)
  }

  /// The recall marks of messages of which nothing else is known follow from the recalls that name them.
  private static func recallFindings(_ connection: Connection, limit: Int) throws(StoreError) -> [String] {
    let columns = MessageRow.columnNames.map { "m.\($0)" }.joined(separator: ", ")
    let rows = try connection.prepare(
      """
      SELECT \(columns) FROM messages m JOIN conversations c ON c.id = m.conversation
      WHERE (marks & 16 <> 0) <> EXISTS (SELECT 1 FROM recalls r WHERE r.client_id = m.client_id
      AND r.conversation IN (0, m.conversation) AND r.session_type IN (0, c.session_type)
      AND r.sender IN (0, m.sender))
      """)
    var findings: [String] = []
    while findings.count < limit, try rows.step() {
      let row = try MessageRow(rows, 0)
      if row.extra.isEmpty { findings.append("recall mark of a message: \(row.clientID.string)") }
    }
    return findings
  }

  /// The known seqs of each conversation are those of its messages, and what is missing follows from them.
  private static func seqFindings(_ connection: Connection, limit: Int) throws(StoreError) -> [String] {
    let table = try ConversationTable(connection, writes: false)
    let seqs = try connection.prepare(
      """
      SELECT seq FROM messages WHERE conversation = ?1 AND seq > 0
      UNION SELECT seq FROM seq_aliases WHERE conversation = ?1 ORDER BY 1
      """)
    let ids = try connection.prepare("SELECT id FROM conversations")
    var findings: [String] = []
    while findings.count < limit, try ids.step() {
      let state = try table.load(ids.int64(0))
      var known = SeqIntervals()
      seqs.bind(state.id, at: 1)
      while try seqs.step() { known.insert(seqs.int64(0)) }
      if known != state.marks.known { findings.append("known seqs of a conversation: \(state.key)") }
      if state.marks.unfetched.count != state.summary.unfetched {
        findings.append("unfetched seqs of a conversation: \(state.key)")
      }
    }
    return findings
  }
}
