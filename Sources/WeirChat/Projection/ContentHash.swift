import WeirStore

/// A hash over everything a store knows, in the order of keys, so that two stores which were told the same facts have
/// the same hash, whatever the order, the repetitions and the grouping into transactions. Row numbers and revisions,
/// which depend on those, stay out.
struct ContentHash {
  private let reader: ProjectionReader
  private var hash = FixedHash()

  init(_ reader: ProjectionReader) {
    self.reader = reader
  }

  /// Reads the whole store. Call inside a snapshot.
  mutating func value() throws(StoreError) -> Hash128 {
    hash.add(reader.account)
    let conversations = try reader.connection.prepare(
      "SELECT id, key, message_count, unread, last_message, last_time, last_seq FROM conversations ORDER BY key")
    while try conversations.step() {
      let id = conversations.int64(0)
      // A conversation that only an orphan names is no conversation yet; the orphan itself is hashed below.
      guard try hasMessages(id) else { continue }
      hash.add(conversations.string(1))
      for column in [2, 3, 5, 6] as [Int32] { hash.add(conversations.int64(column)) }
      hash.add(try clientID(conversations.int64(4)))
      try addMessages(id)
    }
    try addRecalls()
    let total = try reader.connection.prepare("SELECT unread_total FROM meta")
    hash.add(try total.firstInt64() ?? 0)
    return hash.value()
  }

  private func hasMessages(_ conversation: Int64) throws(StoreError) -> Bool {
    let select = try reader.connection.prepare("SELECT EXISTS(SELECT 1 FROM messages WHERE conversation = ?1)")
    select.bind(conversation, at: 1)
    return try select.firstInt64() == 1
  }

  private func clientID(_ row: Int64) throws(StoreError) -> String {
    let select = try reader.connection.prepare("SELECT client_id FROM messages WHERE id = ?1")
    select.bind(row, at: 1)
    guard try select.step() else { return "" }
    return StoredID(select, 0).string
  }

  private mutating func addMessages(_ conversation: Int64) throws(StoreError) {
    let messages = try reader.connection.prepare(
      "SELECT id, \(MessageRow.columns) FROM messages WHERE conversation = ?1 ORDER BY client_id")
    let aliases = try reader.connection.prepare("SELECT seq FROM seq_aliases WHERE message = ?1 ORDER BY seq")
    messages.bind(conversation, at: 1)
    while try messages.step() {
      let row = try MessageRow(messages, 1)
      let state = try row.state(reader.strings)
      hash.add(row.clientID.string)
      hash.add(state.envelope)
      hash.add(state.evidence.rawValue)
      hash.add(row.marks.rawValue)
      hash.add(state.body)
      aliases.bind(messages.int64(0), at: 1)
      while try aliases.step() { hash.add(aliases.int64(0)) }
    }
  }

  private mutating func addRecalls() throws(StoreError) {
    let recalls = try reader.connection.prepare(
      """
      SELECT r.client_id, r.conversation, r.session_type, r.sender, r.time, r.revoker, r.role, r.by_admin, r.seq, r.crc,
      coalesce(c.key, ''), coalesce(s.value, '')
      FROM recalls r LEFT JOIN conversations c ON c.id = r.conversation LEFT JOIN strings s ON s.id = r.sender
      ORDER BY r.client_id, 11, r.session_type, 12
      """)
    while try recalls.step() {
      let (scope, record) = try RecallTable.read(recalls, reader.strings)
      hash.add(StoredID(recalls, 0).string)
      hash.add(recalls.string(10))
      hash.add(scope.sessionType)
      hash.add(recalls.string(11))
      hash.add(record)
    }
  }
}
