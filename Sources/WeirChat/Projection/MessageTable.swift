import WeirStore

/// The held statements of the messages table and of the seqs of twins.
final class MessageTable {
  private let connection: Connection
  private let insert: Statement
  private let find: Statement
  private let load: Statement
  private let update: Statement
  private let newest: Statement
  private let candidates: Statement
  private let addAlias: Statement

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    let parameters = (1...MessageRow.columnCount).map { "?\($0)" }.joined(separator: ", ")
    insert = try connection.prepare(
      "INSERT INTO messages(\(MessageRow.columns)) VALUES (\(parameters)) ON CONFLICT DO NOTHING")
    find = try connection.prepare(
      "SELECT id, \(MessageRow.columns) FROM messages WHERE conversation = ?1 AND client_id = ?2")
    load = try connection.prepare("SELECT id, \(MessageRow.columns) FROM messages WHERE id = ?1")
    update = try connection.prepare(
      "UPDATE messages SET (\(MessageRow.columns)) = (\(parameters)) WHERE id = ?\(MessageRow.columnCount + 1)")
    newest = try connection.prepare(
      """
      SELECT id, send_time, seq FROM messages WHERE conversation = ?1 AND marks & ?2 = 0
      ORDER BY send_time DESC, seq DESC, client_id DESC LIMIT 1
      """)
    candidates = try connection.prepare(
      """
      SELECT m.id FROM conversations c CROSS JOIN messages m ON m.conversation = c.id AND m.client_id = ?1
      WHERE ?2 = 0 OR c.session_type = ?2
      """)
    addAlias = try connection.prepare(
      "INSERT INTO seq_aliases(conversation, seq, message) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
  }

  /// Adds the row unless its key is taken; the new row's id, or nil.
  func add(_ row: MessageRow) throws(StoreError) -> Int64? {
    row.bind(to: insert, from: 1)
    try insert.run()
    return connection.changedRows == 1 ? connection.lastInsertedRow : nil
  }

  /// The row of a key.
  func find(conversation: Int64, clientID: StoredID) throws(StoreError) -> (id: Int64, row: MessageRow)? {
    find.bind(conversation, at: 1)
    clientID.bind(to: find, at: 2)
    return try first(find)
  }

  /// The row of an id.
  func load(_ id: Int64) throws(StoreError) -> (id: Int64, row: MessageRow)? {
    load.bind(id, at: 1)
    return try first(load)
  }

  /// Rewrites a row. Its key stays.
  func replace(_ id: Int64, with row: MessageRow) throws(StoreError) {
    row.bind(to: update, from: 1)
    update.bind(id, at: MessageRow.columnCount + 1)
    try update.run()
  }

  /// The last message of a conversation among those with none of the marks.
  func newest(
    in conversation: Int64, without marks: MessageMarks
  ) throws(StoreError) -> (id: Int64, sendTime: Int64, seq: Int64)? {
    newest.bind(conversation, at: 1)
    newest.bind(marks.rawValue, at: 2)
    guard try newest.step() else { return nil }
    defer { newest.reset() }
    return (newest.int64(0), newest.int64(1), newest.int64(2))
  }

  /// The messages of this client id in any conversation of the kind (0 for every kind). Asks each conversation once,
  /// about 2 µs each; only recalls that name no conversation need it.
  func candidates(clientID: StoredID, sessionType: Int64) throws(StoreError) -> [Int64] {
    clientID.bind(to: candidates, at: 1)
    candidates.bind(sessionType, at: 2)
    var ids: [Int64] = []
    while try candidates.step() { ids.append(candidates.int64(0)) }
    return ids
  }

  /// Notes that the server gave this message another seq besides the canonical one.
  func addAlias(conversation: Int64, seq: Int64, message: Int64) throws(StoreError) {
    addAlias.bind(conversation, at: 1)
    addAlias.bind(seq, at: 2)
    addAlias.bind(message, at: 3)
    try addAlias.run()
  }

  private func first(_ statement: Statement) throws(StoreError) -> (id: Int64, row: MessageRow)? {
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (statement.int64(0), try MessageRow(statement, 1))
  }
}
