import WeirChat

/// A plain loop over SQLite's C interface that leaves the rows our store leaves, in the same tables with the same
/// indexes: messages, the list of conversations with its numbers, the log of changes, the totals. Checksums are a constant
/// of the same width; cache, page size and length of the log are those of the store. It knows new messages, redeliveries and acknowledgements, joins nothing, and proves nothing: the limit
/// of what a store on these tables can reach.
final class PlainLoop: FactTable {
  private struct Summary {
    var count: Int64 = 0
    var unread: Int64 = 0
    var last: Int64 = 0
    var time: Int64 = 0
    var seq: Int64 = 0
    var greatest: Int64 = 0
    /// Of the transaction under way.
    var revision: Int64 = 0
    var rows: [Int64] = []
  }

  /// As wide as a checksum.
  private static let checksum: Int64 = 0x5A5A_5A5A

  private let connection: PlainConnection
  private let insert: Int
  private let advance: Int
  private let waiting: Int
  private let acknowledge: Int
  private let save: Int
  private let log: Int
  private let meta: Int
  private let addText: Int
  private let addConversation: Int
  private var texts: [String: Int64] = ["": 0]
  private var conversations: [String: Int64] = [:]
  /// By the number of the conversation.
  private var summaries: [Summary] = []
  private var touched: [Int64] = []
  private var revision: Int64 = 0
  private var unread: Int64 = 0
  private let me: Int64

  /// Opens a file that our store has made.
  init(path: String, isFull: Bool) throws {
    connection = try PlainConnection(path: path, isFull: isFull, cacheKibibytes: 16_384, checkpointPages: 4_000)
    insert = try connection.prepare(
      """
      INSERT INTO messages(conversation, client_id, seq, send_time, create_time, sender, evidence, marks, rest)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8) ON CONFLICT DO NOTHING
      """)
    advance = try connection.prepare(
      """
      UPDATE messages SET seq = ?3, send_time = ?4, evidence = ?5, rest = ?6
      WHERE conversation = ?1 AND client_id = ?2 AND evidence < ?5
      """)
    waiting = try connection.prepare(
      "SELECT id, rest FROM messages WHERE conversation = ?1 AND client_id = ?2 AND evidence = 0")
    acknowledge = try connection.prepare(
      "UPDATE messages SET send_time = ?2, evidence = 1, marks = 512, rest = ?3 WHERE id = ?1")
    save = try connection.prepare(
      """
      UPDATE conversations SET message_count = ?2, unread = ?3, last_message = ?4, last_time = ?5, last_seq = ?6,
      revision = ?7, sort_time = ?5, known = ?8, crc = ?9 WHERE id = ?1
      """)
    log = try connection.prepare(
      "INSERT INTO history(revision, conversation, kinds, messages, subject) VALUES (?1, ?2, 25, ?3, '')")
    meta = try connection.prepare("UPDATE meta SET revision = ?1, unread_total = ?2")
    addText = try connection.prepare("INSERT INTO strings(value, crc) VALUES (?1, ?2)")
    addConversation = try connection.prepare(
      """
      INSERT INTO conversations(key, session_type, message_count, unread, last_time, last_seq, revision)
      VALUES (?1, ?2, 0, 0, 0, 0, 0)
      """)
    var (texts, conversations, summaries) = (texts, conversations, summaries)
    try connection.rows("SELECT id, value FROM strings") { texts[$0.text(1)] = $0.number(0) }
    try connection.rows(
      """
      SELECT id, key, message_count, unread, last_message, last_time, last_seq,
      (SELECT max(seq) FROM messages m WHERE m.conversation = c.id) FROM conversations c
      """
    ) {
      conversations[$0.text(1)] = $0.number(0)
      let place = Int($0.number(0))
      while summaries.count <= place { summaries.append(Summary()) }
      summaries[place] = Summary(
        count: $0.number(2), unread: $0.number(3), last: $0.number(4), time: $0.number(5), seq: $0.number(6),
        greatest: $0.number(7))
    }
    (self.texts, self.conversations, self.summaries) = (texts, conversations, summaries)
    var (revision, unread): (Int64, Int64) = (0, 0)
    try connection.rows("SELECT revision, unread_total FROM meta") { (revision, unread) = ($0.number(0), $0.number(1)) }
    (self.revision, self.unread) = (revision, unread)
    me = texts[StoreLoad.account] ?? 1
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
    try flush()
    try connection.execute("COMMIT")
  }

  private func add(_ message: ChatMessage) throws {
    let conversation = try conversation(message.key.conversationID)
    let envelope = message.envelope
    let isPlaced = envelope.sendTime > 0
    let sender = try text(envelope.senderID)
    connection.bind(conversation, 1, insert)
    connection.bind(id: message.key.clientMsgID, 2, insert)
    connection.bind(envelope.seq, 3, insert)
    connection.bind(envelope.sendTime, 4, insert)
    connection.bind(isPlaced ? envelope.createTime - envelope.sendTime : envelope.createTime, 5, insert)
    connection.bind(sender, 6, insert)
    connection.bind(message.evidence.rawValue, 7, insert)
    let rest = try rest(of: message, sender, revision: touch(conversation))
    connection.bind(rest, 8, insert)
    try connection.run(insert)
    guard connection.changes == 1 else { return try advance(message, conversation, rest) }
    let row = connection.lastRow
    summaries[Int(conversation)].count += 1
    summaries[Int(conversation)].rows.append(row)
    if sender != me {
      summaries[Int(conversation)].unread += 1
      unread += 1
    }
    summaries[Int(conversation)].greatest = max(summaries[Int(conversation)].greatest, envelope.seq)
    place(row, envelope.sendTime, envelope.seq, in: conversation)
  }

  /// What is there already is only moved forward.
  private func advance(_ message: ChatMessage, _ conversation: Int64, _ rest: [UInt8]) throws {
    connection.bind(conversation, 1, advance)
    connection.bind(id: message.key.clientMsgID, 2, advance)
    connection.bind(message.envelope.seq, 3, advance)
    connection.bind(message.envelope.sendTime, 4, advance)
    connection.bind(message.evidence.rawValue, 5, advance)
    connection.bind(rest, 6, advance)
    try connection.run(advance)
  }

  private func note(_ send: SendFact, _ serverMsgID: String, _ time: Int64) throws {
    let conversation = try conversation(send.conversationID)
    connection.bind(conversation, 1, waiting)
    connection.bind(id: send.clientMsgID, 2, waiting)
    var found: (row: Int64, rest: [UInt8])?
    try connection.first(waiting) { found = ($0.number(0), $0.bytes(1)) }
    guard let (row, rest) = found else { return }
    connection.bind(row, 1, acknowledge)
    connection.bind(time, 2, acknowledge)
    connection.bind(acknowledged(rest, serverMsgID, revision: touch(conversation)), 3, acknowledge)
    try connection.run(acknowledge)
    if !summaries[Int(conversation)].rows.contains(row) { summaries[Int(conversation)].rows.append(row) }
    place(row, time, 0, in: conversation)
  }

  private func place(_ row: Int64, _ time: Int64, _ seq: Int64, in conversation: Int64) {
    let place = Int(conversation)
    guard (time, seq) > (summaries[place].time, summaries[place].seq) else { return }
    (summaries[place].last, summaries[place].time, summaries[place].seq) = (row, time, seq)
  }

  /// The revision of the transaction's change of a conversation.
  private func touch(_ conversation: Int64) -> Int64 {
    let known = summaries[Int(conversation)].revision
    if known > 0 { return known }
    revision += 1
    summaries[Int(conversation)].revision = revision
    touched.append(conversation)
    return revision
  }

  private func flush() throws {
    for conversation in touched {
      let summary = summaries[Int(conversation)]
      let numbers = [
        conversation, summary.count, summary.unread, summary.last, summary.time, summary.seq, summary.revision,
      ]
      for (index, number) in numbers.enumerated() { connection.bind(number, Int32(index) + 1, save) }
      connection.bind(Self.packed([1, summary.greatest - 1]), 8, save)
      connection.bind(Self.checksum, 9, save)
      try connection.run(save)
      connection.bind(summary.revision, 1, log)
      connection.bind(conversation, 2, log)
      connection.bind(Self.packed(summary.rows), 3, log)
      try connection.run(log)
      summaries[Int(conversation)].rows.removeAll(keepingCapacity: true)
      summaries[Int(conversation)].revision = 0
    }
    touched.removeAll(keepingCapacity: true)
    connection.bind(revision, 1, meta)
    connection.bind(unread, 2, meta)
    try connection.run(meta)
  }

  /// The number of a text.
  func text(_ text: String) throws -> Int64 {
    if let known = texts[text] { return known }
    connection.bind(text, 1, addText)
    connection.bind(Self.checksum, 2, addText)
    try connection.run(addText)
    texts[text] = connection.lastRow
    return connection.lastRow
  }

  private func conversation(_ key: String) throws -> Int64 {
    if let known = conversations[key] { return known }
    connection.bind(key, 1, addConversation)
    connection.bind(key.hasPrefix("sg_") ? 3 : 1, 2, addConversation)
    try connection.run(addConversation)
    conversations[key] = connection.lastRow
    while summaries.count <= Int(connection.lastRow) { summaries.append(Summary()) }
    return connection.lastRow
  }

  /// Numbers with seven bits a byte.
  private static func packed(_ numbers: [Int64]) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { pack(max(number, 0), &bytes) }
    return bytes
  }
}

extension PlainConnection {
  func bind(_ bytes: [UInt8], _ index: Int32, _ statement: Int) {
    bytes.withUnsafeBytes { bind($0, index, statement) }
  }
}
