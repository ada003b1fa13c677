import WeirStore

/// Recounts from the rows what the store keeps ready: unread numbers, message numbers, last messages, totals, recall
/// marks. An empty answer means that all of it agrees.
struct ProjectionAudit {
  // The marks as bits: 1 read, 2 deleted for self, 4 filtered, 8 quiet, 16 recalled.
  private static let checks: [(name: String, sql: String)] = [
    (
      "message number of a conversation",
      """
      SELECT c.key FROM conversations c WHERE message_count <>
      (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND marks & 12 = 0)
      """
    ),
    (
      "unread number of a conversation",
      """
      SELECT c.key FROM conversations c WHERE unread <>
      (SELECT count(*) FROM messages m JOIN meta LEFT JOIN strings s ON s.id = m.sender
      WHERE m.conversation = c.id AND marks & 31 = 0 AND coalesce(s.value, '') <> meta.account)
      """
    ),
    (
      "last message of a conversation",
      """
      SELECT c.key FROM conversations c WHERE last_message IS NOT
      (SELECT id FROM messages m WHERE m.conversation = c.id AND marks & 14 = 0
      ORDER BY send_time DESC, seq DESC, client_id DESC LIMIT 1)
      """
    ),
    (
      "place of the last message of a conversation",
      """
      SELECT c.key FROM conversations c LEFT JOIN messages m ON m.id = c.last_message
      WHERE last_time <> coalesce(m.send_time, 0) OR last_seq <> coalesce(m.seq, 0)
      """
    ),
    (
      "total of unread messages",
      "SELECT 'meta' FROM meta WHERE unread_total <> (SELECT coalesce(sum(unread), 0) FROM conversations)"
    ),
    (
      "recall mark of a message",
      """
      SELECT hex(m.client_id) FROM messages m JOIN conversations c ON c.id = m.conversation
      WHERE (marks & 16 <> 0) <> EXISTS (SELECT 1 FROM recalls r WHERE r.client_id = m.client_id
      AND r.conversation IN (0, m.conversation) AND r.session_type IN (0, c.session_type)
      AND r.sender IN (0, m.sender))
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
    return findings
  }
}
