import WeirChat

/// What most clients begin with (storage spec, layout T): ids as texts, a look before each write, one history row, one
/// summary row and the total written for each message, 2 MB of cache, SQLite's own checkpoints.
final class TextTables: FactTable {
  private let connection: PlainConnection
  private let find: Int
  private let put: Int
  private let log: Int
  private let list: Int
  private let total: Int
  private let acknowledge: Int

  init(path: String, isFull: Bool?) throws {
    connection = try PlainConnection(path: path, isFull: isFull, cacheKibibytes: 2_048)
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS message(conversation_id TEXT, client_msg_id TEXT, server_msg_id TEXT, seq INTEGER,
        sender_id TEXT, receiver_id TEXT, sender_name TEXT, send_time INTEGER, create_time INTEGER, state INTEGER,
        content TEXT, PRIMARY KEY(conversation_id, client_msg_id));
      CREATE INDEX IF NOT EXISTS message_seq ON message(conversation_id, seq);
      CREATE TABLE IF NOT EXISTS history(revision INTEGER PRIMARY KEY, conversation_id TEXT, client_msg_id TEXT,
        state INTEGER, at INTEGER);
      CREATE TABLE IF NOT EXISTS conversation(id TEXT PRIMARY KEY, last_client_msg_id TEXT, last_seq INTEGER,
        last_time INTEGER, unread INTEGER);
      CREATE INDEX IF NOT EXISTS conversation_time ON conversation(last_time);
      CREATE TABLE IF NOT EXISTS total(id INTEGER PRIMARY KEY, unread INTEGER);
      INSERT OR IGNORE INTO total VALUES (1, 0);
      """)
    find = try connection.prepare("SELECT state FROM message WHERE conversation_id = ?1 AND client_msg_id = ?2")
    put = try connection.prepare(
      """
      INSERT INTO message VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET
      server_msg_id = excluded.server_msg_id, seq = excluded.seq, send_time = excluded.send_time, state = excluded.state
      WHERE excluded.state > state
      """)
    log = try connection.prepare(
      "INSERT INTO history(conversation_id, client_msg_id, state, at) VALUES (?1, ?2, ?3, ?4)")
    list = try connection.prepare(
      """
      INSERT INTO conversation VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET last_client_msg_id = ?2,
      last_seq = ?3, last_time = ?4, unread = unread + ?5
      """)
    total = try connection.prepare("UPDATE total SET unread = unread + ?1")
    acknowledge = try connection.prepare(
      """
      UPDATE message SET server_msg_id = ?3, send_time = ?4, state = 1 WHERE conversation_id = ?1 AND client_msg_id = ?2
      AND state < 1
      """)
  }

  func store(_ facts: ArraySlice<Fact>) throws {
    try connection.execute("BEGIN IMMEDIATE")
    for fact in facts {
      switch fact {
      case .message(let message): try add(message)
      case .send(let send):
        if case .acknowledged(let serverMsgID, let time, _) = send.event { try note(send, serverMsgID, time) }
      default: break
      }
    }
    try connection.execute("COMMIT")
  }

  private func add(_ message: ChatMessage) throws {
    let (key, envelope) = (message.key, message.envelope)
    let state = message.evidence.rawValue
    for statement in [find, put, log, list] { connection.bind(key.conversationID, 1, statement) }
    for statement in [find, put, log, list] { connection.bind(key.clientMsgID, 2, statement) }
    if let known = try connection.run(find), known >= state { return }
    connection.bind(envelope.serverMsgID, 3, put)
    connection.bind(envelope.seq, 4, put)
    connection.bind(envelope.senderID, 5, put)
    connection.bind(envelope.receiverID, 6, put)
    connection.bind(envelope.senderNickname, 7, put)
    connection.bind(envelope.sendTime, 8, put)
    connection.bind(envelope.createTime, 9, put)
    connection.bind(state, 10, put)
    if case .element(let bytes) = message.body { connection.bind(String(decoding: bytes, as: UTF8.self), 11, put) }
    try connection.run(put)
    connection.bind(state, 3, log)
    connection.bind(envelope.createTime, 4, log)
    try connection.run(log)
    let unread: Int64 = message.isMine ? 0 : 1
    connection.bind(envelope.seq, 3, list)
    connection.bind(max(envelope.sendTime, envelope.createTime), 4, list)
    connection.bind(unread, 5, list)
    try connection.run(list)
    connection.bind(unread, 1, total)
    try connection.run(total)
  }

  private func note(_ send: SendFact, _ serverMsgID: String, _ time: Int64) throws {
    for (index, text) in [send.conversationID, send.clientMsgID, serverMsgID].enumerated() {
      connection.bind(text, Int32(index) + 1, acknowledge)
    }
    connection.bind(time, 4, acknowledge)
    try connection.run(acknowledge)
    guard connection.changes == 1 else { return }
    connection.bind(send.conversationID, 1, log)
    connection.bind(send.clientMsgID, 2, log)
    connection.bind(1, 3, log)
    connection.bind(time, 4, log)
    try connection.run(log)
  }
}
