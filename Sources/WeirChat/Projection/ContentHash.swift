import WeirStore

/// A hash over everything a store knows, in the order of keys, so that two stores which were told the same facts have
/// the same hash, whatever the order, the repetitions and the grouping into transactions. Row numbers, revisions and the
/// positions of sources, which depend on those, stay out.
final class ContentHash {
  private let connection: Connection
  private let account: String
  private let strings: InternedStrings
  private let targets: TargetTable
  private let table: ConversationTable
  private var held: [String: Statement] = [:]
  private var hash = FixedHash()

  init(
    connection: Connection, account: String, strings: InternedStrings, targets: TargetTable
  ) throws(StoreError) {
    self.connection = connection
    self.account = account
    self.strings = strings
    self.targets = targets
    table = try ConversationTable(connection, writes: false)
  }

  private func prepare(_ sql: String) throws(StoreError) -> Statement {
    if let statement = held[sql] { return statement }
    let statement = try connection.prepare(sql)
    held[sql] = statement
    return statement
  }

  /// Reads the whole store. Call inside a snapshot.
  func value() throws(StoreError) -> Hash128 {
    hash = FixedHash()
    hash.add(account)
    let conversations = try prepare("SELECT id FROM conversations ORDER BY key")
    while try conversations.step() {
      let state = try table.load(conversations.int64(0))
      // A conversation that only a recall names is no conversation yet; the recall itself is hashed below.
      guard try isKnown(state) else { continue }
      add(state)
      hash.add(try clientID(state.summary.lastMessage ?? 0))
      try addMessages(state.id)
      try addTargets(state.id)
      try addWatermarks(state.id)
      try addProperties(state.id)
    }
    try addRecalls()
    try addRows("SELECT scope, scope_id, entity, revision, removed, payload FROM social ORDER BY 1, 2, 3")
    try addRows("SELECT task, revision, state, native_state, payload FROM media_tasks ORDER BY 1")
    try addRows("SELECT unread_total, unfetched_total, expired_upto FROM meta")
    return hash.value()
  }

  private func isKnown(_ state: ConversationState) throws(StoreError) -> Bool {
    if state.marks != ConversationMarks() { return true }
    let select = try prepare(
      """
      SELECT EXISTS(SELECT 1 FROM messages WHERE conversation = ?1) OR EXISTS(SELECT 1 FROM targets WHERE conversation = ?1)
      OR EXISTS(SELECT 1 FROM watermarks WHERE conversation = ?1) OR EXISTS(SELECT 1 FROM properties WHERE conversation = ?1)
      """)
    select.bind(state.id, at: 1)
    return try select.firstInt64() == 1
  }

  private func add(_ state: ConversationState) {
    let (summary, marks) = (state.summary, state.marks)
    hash.add(state.key)
    for number in [
      summary.messageCount, summary.unread, summary.lastTime, summary.lastSeq, summary.pending, summary.unfetched,
      summary.isPinned ? 1 : 0, summary.receiveOption, summary.draftTime, marks.readSeq, marks.clearedSeq,
      marks.clearedTime, marks.hiddenSeq, marks.hiddenTime, marks.serverMax,
    ] { hash.add(number) }
    hash.add(marks.known.packed)
    hash.add(marks.closed.packed)
  }

  private func clientID(_ row: Int64) throws(StoreError) -> String {
    let select = try prepare("SELECT client_id FROM messages WHERE id = ?1")
    select.bind(row, at: 1)
    guard try select.step() else { return "" }
    defer { select.reset() }
    return StoredID(select, 0).string
  }

  private func addMessages(_ conversation: Int64) throws(StoreError) {
    let messages = try prepare(
      "SELECT id, \(MessageRow.columns) FROM messages WHERE conversation = ?1 ORDER BY client_id")
    let aliases = try prepare("SELECT seq FROM seq_aliases WHERE message = ?1 ORDER BY seq")
    messages.bind(conversation, at: 1)
    while try messages.step() {
      let row = try MessageRow(messages, 1)
      let state = try row.state(strings)
      hash.add(row.clientID.string)
      hash.add(row.seq)
      hash.add(row.sendTime)
      hash.add(state.envelope)
      hash.add(state.evidence.rawValue)
      hash.add(row.marks.rawValue)
      hash.add(state.body)
      hash.add(state.amendments)
      aliases.bind(messages.int64(0), at: 1)
      while try aliases.step() { hash.add(aliases.int64(0)) }
    }
  }

  private func addTargets(_ conversation: Int64) throws(StoreError) {
    let select = try prepare(
      "SELECT target, known, crc FROM targets WHERE conversation = ?1 ORDER BY target")
    select.bind(conversation, at: 1)
    while try select.step() {
      let target = StoredTarget(select, 0)
      switch target {
      case .clientID(let id): hash.add(id.string)
      case .seq(let seq): hash.add(seq)
      }
      hash.add(try targets.read(select, conversation, target, 1))
    }
  }

  private func addWatermarks(_ conversation: Int64) throws(StoreError) {
    let select = try prepare(
      """
      SELECT coalesce(s.value, ''), w.seq, w.time FROM watermarks w LEFT JOIN strings s ON s.id = w.reader
      WHERE w.conversation = ?1 ORDER BY 1, 2
      """)
    select.bind(conversation, at: 1)
    while try select.step() { addRow(select, 3) }
  }

  private func addProperties(_ conversation: Int64) throws(StoreError) {
    let select = try prepare(
      "SELECT property, revision, value FROM properties WHERE conversation = ?1 ORDER BY property")
    select.bind(conversation, at: 1)
    while try select.step() { addRow(select, 3) }
  }

  private func addRecalls() throws(StoreError) {
    let recalls = try prepare(
      """
      SELECT r.client_id, r.conversation, r.session_type, r.sender, r.time, r.revoker, r.role, r.by_admin, r.seq, r.crc,
      coalesce(c.key, ''), coalesce(s.value, '')
      FROM recalls r LEFT JOIN conversations c ON c.id = r.conversation LEFT JOIN strings s ON s.id = r.sender
      ORDER BY r.client_id, 11, r.session_type, 12
      """)
    while try recalls.step() {
      let (scope, record) = try RecallTable.read(recalls, strings)
      hash.add(StoredID(recalls, 0).string)
      hash.add(recalls.string(10))
      hash.add(scope.sessionType)
      hash.add(recalls.string(11))
      hash.add(record)
    }
  }

  private func addRows(_ sql: String) throws(StoreError) {
    let select = try prepare(sql)
    while try select.step() { addRow(select, select.columnCount) }
  }

  private func addRow(_ statement: Statement, _ columns: Int32) {
    for column in 0..<columns {
      switch statement.type(column) {
      case .integer, .real: hash.add(statement.int64(column))
      case .text: hash.add(statement.string(column))
      case .blob: hash.add(statement.bytes(column))
      case .null: hash.add(false)
      }
    }
  }
}
