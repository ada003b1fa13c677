import CSQLite
import WeirChat

/// A plain loop over SQLite's C interface: held statements, bytes bound where they are, one transaction a batch. It stores
/// messages and keeps the list; it proves nothing, joins nothing and checks nothing, so it is the limit of what a store on
/// these tables can reach.
///
/// `interned` writes the tables of our store; the other way is what most clients begin with: text keys, a look before each
/// write, a summary row for each message.
final class RawTable {
  private var handle: OpaquePointer?
  private var statements: [OpaquePointer?] = []
  private let isInterned: Bool
  private var numbers: [String: Int64] = [:]
  private var summaries: [Int64: (unread: Int64, last: Int64, time: Int64, seq: Int64)] = [:]
  private var revision: Int64 = 0

  init(path: String, isInterned: Bool, isFull: Bool) throws {
    self.isInterned = isInterned
    guard
      sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
    else { throw BenchmarkError.unreadable(path: path) }
    try execute(
      "PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF; PRAGMA synchronous = \(isFull ? "FULL" : "NORMAL")")
    if isInterned {
      // The store has interned its own account when it made the file.
      numbers[StoreLoad.account] = 1
      try execute("PRAGMA cache_size = -16384")
      for sql in [
        """
        INSERT INTO messages(conversation, client_id, seq, send_time, create_time, server_id, sender, receiver, platform,
        origin, nickname, face, ex, attached, evidence, marks, content_type, content_form, content_seq, content, revision,
        crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?7, 0, '', '', 1, 0, 101, 0, ?3, ?10, ?11, 0)
        ON CONFLICT DO NOTHING
        """,
        """
        UPDATE conversations SET unread = ?2, last_message = ?3, last_time = ?4, last_seq = ?5, revision = ?6,
        message_count = 1, sort_time = ?4 WHERE id = ?1
        """,
        "INSERT INTO history(revision, conversation, kinds, messages) VALUES (?1, ?2, 25, x'00')",
        "UPDATE meta SET revision = ?1",
        "INSERT INTO strings(value, crc) VALUES (?1, 0)",
        """
        INSERT INTO conversations(key, session_type, message_count, unread, last_time, last_seq, revision)
        VALUES (?1, 3, 0, 0, 0, 0, 0)
        """,
        "UPDATE messages SET server_id = ?3, send_time = ?4, evidence = 1 WHERE conversation = ?1 AND client_id = ?2",
      ] { try prepare(sql) }
    } else {
      try execute(
        """
        PRAGMA cache_size = -2048;
        CREATE TABLE IF NOT EXISTS message(conversation_id TEXT, client_msg_id TEXT, server_msg_id TEXT, seq INTEGER,
          sender_id TEXT, sender_name TEXT, send_time INTEGER, create_time INTEGER, state INTEGER, content TEXT,
          PRIMARY KEY(conversation_id, client_msg_id));
        CREATE INDEX IF NOT EXISTS message_seq ON message(conversation_id, seq);
        CREATE TABLE IF NOT EXISTS history(id INTEGER PRIMARY KEY, conversation_id TEXT, client_msg_id TEXT, state INTEGER);
        CREATE TABLE IF NOT EXISTS conversation(id TEXT PRIMARY KEY, last_client_msg_id TEXT, last_time INTEGER, unread INTEGER);
        CREATE INDEX IF NOT EXISTS conversation_time ON conversation(last_time);
        """)
      for sql in [
        "SELECT state FROM message WHERE conversation_id = ?1 AND client_msg_id = ?2",
        """
        INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO UPDATE SET
        server_msg_id = excluded.server_msg_id, send_time = excluded.send_time, state = excluded.state
        WHERE excluded.state > state
        """,
        "INSERT INTO history(conversation_id, client_msg_id, state) VALUES (?1, ?2, ?3)",
        """
        INSERT INTO conversation VALUES (?1, ?2, ?3, 1) ON CONFLICT DO UPDATE SET last_client_msg_id = ?2, last_time = ?3,
        unread = unread + 1
        """,
        """
        UPDATE message SET server_msg_id = ?3, send_time = ?4, state = 1 WHERE conversation_id = ?1 AND client_msg_id = ?2
        AND state < 1
        """,
      ] { try prepare(sql) }
    }
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Stores the facts in one transaction.
  func store(_ facts: ArraySlice<Fact>) throws {
    try execute("BEGIN IMMEDIATE")
    for fact in facts {
      switch fact {
      case .message(let message): try isInterned ? insert(message) : insertText(message)
      case .send(let send):
        guard case .acknowledged(let server, let time, _) = send.event else { continue }
        let statement = statements[isInterned ? 6 : 4]
        if isInterned {
          sqlite3_bind_int64(statement, 1, try number(send.conversationID, 5))
          bind(packed(send.clientMsgID), 2, statement)
          bind(packed(server), 3, statement)
        } else {
          for (index, text) in [send.conversationID, send.clientMsgID, server].enumerated() {
            bind(text, Int32(index) + 1, statement)
          }
        }
        sqlite3_bind_int64(statement, 4, time)
        try run(statement)
      default: break
      }
    }
    if isInterned { try flush() }
    try execute("COMMIT")
  }

  private func insert(_ message: ChatMessage) throws {
    let conversation = try number(message.key.conversationID, 5)
    let statement = statements[0]
    let envelope = message.envelope
    sqlite3_bind_int64(statement, 1, conversation)
    bind(packed(message.key.clientMsgID), 2, statement)
    sqlite3_bind_int64(statement, 3, envelope.seq)
    sqlite3_bind_int64(statement, 4, envelope.sendTime)
    sqlite3_bind_int64(statement, 5, envelope.createTime)
    bind(packed(envelope.serverMsgID), 6, statement)
    sqlite3_bind_int64(statement, 7, try number(envelope.senderID, 4))
    sqlite3_bind_int64(statement, 8, Int64(envelope.platformID))
    sqlite3_bind_int64(statement, 9, Int64(envelope.origin))
    if case .element(let bytes) = message.body { bind(bytes, 10, statement) }
    sqlite3_bind_int64(statement, 11, revision + 1)
    try run(statement)
    guard sqlite3_changes(handle) == 1 else { return }
    var summary = summaries[conversation] ?? (0, 0, 0, 0)
    summary.unread += 1
    if (envelope.sendTime, envelope.seq) > (summary.time, summary.seq) {
      (summary.last, summary.time, summary.seq) = (sqlite3_last_insert_rowid(handle), envelope.sendTime, envelope.seq)
    }
    summaries[conversation] = summary
    touched.insert(conversation)
  }

  private var touched: Set<Int64> = []

  private func flush() throws {
    for conversation in touched {
      guard let summary = summaries[conversation] else { continue }
      revision += 1
      let update = statements[1]
      let numbers = [conversation, summary.unread, summary.last, summary.time, summary.seq, revision]
      for (index, number) in numbers.enumerated() { sqlite3_bind_int64(update, Int32(index) + 1, number) }
      try run(update)
      sqlite3_bind_int64(statements[2], 1, revision)
      sqlite3_bind_int64(statements[2], 2, conversation)
      try run(statements[2])
    }
    touched.removeAll(keepingCapacity: true)
    sqlite3_bind_int64(statements[3], 1, revision)
    try run(statements[3])
  }

  private func insertText(_ message: ChatMessage) throws {
    let (key, envelope) = (message.key, message.envelope)
    for statement in statements[0...1] {
      bind(key.conversationID, 1, statement)
      bind(key.clientMsgID, 2, statement)
    }
    let isKnown = sqlite3_step(statements[0]) == SQLITE_ROW
    sqlite3_reset(statements[0])
    let statement = statements[1]
    bind(envelope.serverMsgID, 3, statement)
    sqlite3_bind_int64(statement, 4, envelope.seq)
    bind(envelope.senderID, 5, statement)
    bind(envelope.senderNickname, 6, statement)
    sqlite3_bind_int64(statement, 7, envelope.sendTime)
    sqlite3_bind_int64(statement, 8, envelope.createTime)
    sqlite3_bind_int64(statement, 9, message.evidence.rawValue)
    if case .element(let bytes) = message.body { bind(String(decoding: bytes, as: UTF8.self), 10, statement) }
    try run(statement)
    if isKnown { return }
    for (index, text) in [key.conversationID, key.clientMsgID].enumerated() {
      bind(text, Int32(index) + 1, statements[2])
      bind(text, Int32(index) + 1, statements[3])
    }
    sqlite3_bind_int64(statements[2], 3, message.evidence.rawValue)
    try run(statements[2])
    sqlite3_bind_int64(statements[3], 3, envelope.sendTime)
    try run(statements[3])
  }

  // MARK: SQLite

  private func number(_ text: String, _ insert: Int) throws -> Int64 {
    if let known = numbers[text] { return known }
    bind(text, 1, statements[insert])
    try run(statements[insert])
    let number = sqlite3_last_insert_rowid(handle)
    numbers[text] = number
    return number
  }

  private func packed(_ id: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: id.utf8.count / 2)
    for (index, digit) in id.utf8.enumerated() where index / 2 < bytes.count {
      bytes[index / 2] = bytes[index / 2] << 4 | (digit < 58 ? digit &- 48 : digit &- 87)
    }
    return bytes
  }

  private func bind(_ bytes: [UInt8], _ index: Int32, _ statement: OpaquePointer?) {
    bytes.withUnsafeBufferPointer {
      _ = weir_bind_blob_copy(statement, index, $0.baseAddress, UInt64($0.count))
    }
  }

  private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        guard let base = text.baseAddress else { return }
        _ = weir_bind_text_copy(statement, index, base, UInt64(text.count))
      }
    }
  }

  private func prepare(_ sql: String) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK else {
      throw failure
    }
    statements.append(statement)
  }

  private func run(_ statement: OpaquePointer?) throws {
    let result = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard result == SQLITE_DONE else { throw failure }
  }

  private func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  private var failure: BenchmarkError {
    .peer(handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "no connection")
  }
}
