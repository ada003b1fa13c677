import WeirStore

/// The held statements of the messages table and of the seqs of twins.
final class MessageTable {
  private let connection: Connection
  private let insert: Statement
  private let find: Statement
  private let load: Statement
  /// By how much of a row an index depends on: nothing, the place in time, all but its key. SQLite writes every index of
  /// which it is told a column, whether the value changes or not.
  private let updates: [Statement]
  private let candidates: Statement
  private let bySeq: Statement
  private let addAlias: Statement
  private let seqs: Statement
  private let privateRows: Statement
  private let allPrivateRows: Statement
  private let unsent: Statement

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    let parameters = (1...MessageRow.columnCount).map { "?\($0)" }.joined(separator: ", ")
    insert = try connection.prepare(
      "INSERT INTO messages(\(MessageRow.columns)) VALUES (\(parameters)) ON CONFLICT DO NOTHING")
    find = try connection.prepare(
      "SELECT id, \(MessageRow.columns) FROM messages WHERE conversation = ?1 AND client_id = ?2")
    load = try connection.prepare("SELECT id, \(MessageRow.columns) FROM messages WHERE id = ?1")
    var updates: [Statement] = []
    for kept in [["seq", "create_time", "send_time", "evidence", "marks"], ["seq", "create_time"], []] {
      let columns = MessageRow.columnNames.enumerated().filter {
        !(["conversation", "client_id"] + kept).contains($0.element)
      }
      updates.append(
        try connection.prepare(
          """
          UPDATE messages SET \(columns.map { "\($0.element) = ?\($0.offset + 1)" }.joined(separator: ", "))
          WHERE id = ?\(MessageRow.columnCount + 1)
          """))
    }
    self.updates = updates
    candidates = try connection.prepare(
      """
      SELECT m.id FROM conversations c CROSS JOIN messages m ON m.conversation = c.id AND m.client_id = ?1
      WHERE ?2 = 0 OR c.session_type = ?2
      """)
    bySeq = try connection.prepare(
      """
      SELECT id FROM messages WHERE conversation = ?1 AND seq = ?2 AND seq > 0
      UNION SELECT message FROM seq_aliases WHERE conversation = ?1 AND seq = ?2
      """)
    addAlias = try connection.prepare(
      "INSERT INTO seq_aliases(conversation, seq, message) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
    seqs = try connection.prepare("SELECT seq FROM seq_aliases WHERE message = ?1")
    privateRows = try connection.prepare("SELECT id FROM messages WHERE conversation = ?1 AND marks & 96 = 32")
    allPrivateRows = try connection.prepare("SELECT DISTINCT conversation FROM messages WHERE marks & 96 = 32")
    unsent = try connection.prepare("SELECT id FROM messages WHERE evidence = 0")
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
  func replace(_ id: Int64, _ stored: MessageRow, with row: MessageRow) throws(StoreError) {
    let isMoved = row.seq != stored.seq || row.createTimeColumn != stored.createTimeColumn
    let isMarked =
      row.sendTime != stored.sendTime || row.evidence != stored.evidence || row.marks != stored.marks
    let update = updates[isMoved ? 2 : isMarked ? 1 : 0]
    row.bind(to: update, from: 1)
    update.bind(id, at: MessageRow.columnCount + 1)
    try update.run()
  }

  /// The messages of this client id in any conversation of the kind (0 for every kind). Asks each conversation once,
  /// about 2 µs each; only recalls that name no conversation need it.
  func candidates(clientID: StoredID, sessionType: Int64) throws(StoreError) -> [Int64] {
    clientID.bind(to: candidates, at: 1)
    candidates.bind(sessionType, at: 2)
    return try ids(candidates)
  }

  /// The messages that carry a seq, as their canonical one or that of a twin.
  func carrying(seq: Int64, in conversation: Int64) throws(StoreError) -> [Int64] {
    bySeq.bind(conversation, at: 1)
    bySeq.bind(seq, at: 2)
    return try ids(bySeq)
  }

  /// Notes that the server gave this message another seq besides the canonical one.
  func addAlias(conversation: Int64, seq: Int64, message: Int64) throws(StoreError) {
    addAlias.bind(conversation, at: 1)
    addAlias.bind(seq, at: 2)
    addAlias.bind(message, at: 3)
    try addAlias.run()
  }

  /// The seqs of a message besides the canonical one.
  func aliases(of message: Int64) throws(StoreError) -> [Int64] {
    seqs.bind(message, at: 1)
    return try ids(seqs)
  }

  /// The private messages of a conversation that have not burned.
  func privateMessages(in conversation: Int64) throws(StoreError) -> [Int64] {
    privateRows.bind(conversation, at: 1)
    return try ids(privateRows)
  }

  /// The conversations with private messages that have not burned.
  func conversationsWithPrivateMessages() throws(StoreError) -> [Int64] { try ids(allPrivateRows) }

  /// The messages that the server does not have.
  func unsentMessages() throws(StoreError) -> [Int64] { try ids(unsent) }

  private func ids(_ statement: Statement) throws(StoreError) -> [Int64] {
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.int64(0)) }
    return ids
  }

  private func first(_ statement: Statement) throws(StoreError) -> (id: Int64, row: MessageRow)? {
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (statement.int64(0), try MessageRow(statement, 1))
  }
}
