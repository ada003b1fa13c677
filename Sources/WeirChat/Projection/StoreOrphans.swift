import WeirStore

/// Something is known of a message that has not come, with what it is.
public struct OrphanFact: Sendable, Equatable {
  /// Where; nil when a recall names no conversation.
  public var conversationID: String?
  /// Which message.
  public var target: MessageReference
  /// What is known; nil for a recall that names a client id.
  public var known: MessageKnowledge?
  /// What is known of it, in words.
  public var parts: [String]
  /// A recall that waits for it.
  public var recall: RecallRecord?
}

/// Everything that waits for a message, in one conversation or in all.
extension ProjectionReader {
  /// At most `limit` entries, and whether there are more. With `clientMsgID` only what names that id.
  ///
  /// Recalls that name no conversation are compared with all recalled messages, which reads the whole table of messages
  /// once and remembers them.
  func orphanFacts(
    in key: String?, of clientMsgID: String?, limit: Int
  ) throws(StoreError) -> (facts: [OrphanFact], isComplete: Bool) {
    var only: Int64?
    if let key {
      guard let id = try conversationTable.existing(key) else { return ([], true) }
      only = id
    }
    let clientID = clientMsgID.map { StoredID($0) }
    var facts: [OrphanFact] = []
    // One more than asked for tells whether there are more.
    try addTargets(only, clientID, limit + 1, &facts)
    try addRecalls(only, clientID, limit + 1, &facts)
    return (Array(facts.prefix(limit)), facts.count <= limit)
  }

  private func addTargets(
    _ only: Int64?, _ clientID: StoredID?, _ limit: Int, _ facts: inout [OrphanFact]
  ) throws(StoreError) {
    let select = try connection.prepare(
      """
      SELECT t.conversation, c.key, t.target, t.known, t.crc FROM targets t JOIN conversations c
      ON c.id = t.conversation WHERE (?1 = 0 OR t.conversation = ?1) AND (?2 IS NULL OR t.target = ?2)
      ORDER BY t.conversation, t.target
      """)
    select.bind(only ?? 0, at: 1)
    if let clientID { clientID.bind(to: select, at: 2) } else { select.bindNull(at: 2) }
    while facts.count < limit, try select.step() {
      let conversation = select.int64(0)
      let target = StoredTarget(select, 2)
      let known = try targets.read(select, conversation, target, 3)
      let reference: MessageReference
      switch target {
      case .clientID(let id): reference = .clientMsgID(id.string)
      case .seq(let seq):
        guard try messageTable.carrying(seq: seq, in: conversation).isEmpty else { continue }
        reference = .seq(seq)
      }
      facts.append(
        OrphanFact(
          conversationID: select.string(1), target: reference, known: MessageKnowledge(known), parts: known.parts,
          recall: known.recall))
    }
  }

  private func addRecalls(
    _ only: Int64?, _ clientID: StoredID?, _ limit: Int, _ facts: inout [OrphanFact]
  ) throws(StoreError) {
    let select = try connection.prepare(
      """
      SELECT \(RecallTable.columns) FROM recalls
      WHERE (?1 = 0 OR conversation = ?1) AND (?2 IS NULL OR client_id = ?2) ORDER BY client_id
      """)
    select.bind(only ?? 0, at: 1)
    if let clientID { clientID.bind(to: select, at: 2) } else { select.bindNull(at: 2) }
    var recalled: [String: [RecallTable.Scope]]?
    while facts.count < limit, try select.step() {
      let id = StoredID(select, 0)
      let (scope, record) = try RecallTable.read(select, strings)
      if scope.conversation != 0 {
        if try hasMessage(id, scope) { continue }
      } else {
        if recalled == nil { recalled = try recalledMessages(clientID) }
        if recalled?[id.string]?.contains(where: { scope.covers($0) }) ?? false { continue }
      }
      facts.append(
        OrphanFact(
          conversationID: scope.conversation == 0 ? nil : try conversationTable.load(scope.conversation).key,
          target: .clientMsgID(id.string), known: nil, parts: ["recall"], recall: record))
    }
  }

  private func hasMessage(_ id: StoredID, _ scope: RecallTable.Scope) throws(StoreError) -> Bool {
    guard let (_, row) = try messageTable.find(conversation: scope.conversation, clientID: id) else { return false }
    return scope.sender == 0 || scope.sender == row.sender
  }

  private func recalledMessages(_ clientID: StoredID?) throws(StoreError) -> [String: [RecallTable.Scope]] {
    let select = try connection.prepare(
      """
      SELECT m.client_id, m.conversation, c.session_type, m.sender FROM messages m JOIN conversations c
      ON c.id = m.conversation WHERE m.marks & \(MessageMarks.recalled.rawValue) <> 0
      AND (?1 IS NULL OR m.client_id = ?1)
      """)
    if let clientID { clientID.bind(to: select, at: 1) } else { select.bindNull(at: 1) }
    var messages: [String: [RecallTable.Scope]] = [:]
    while try select.step() {
      messages[StoredID(select, 0).string, default: []].append(
        .init(conversation: select.int64(1), sessionType: select.int64(2), sender: select.int64(3)))
    }
    return messages
  }
}

extension ProjectionView {
  /// What is known of messages that have not come: at most `limit` entries, and whether these are all. Recalls that name
  /// no conversation are told only when all conversations are asked.
  ///
  /// Recalls without a conversation make it read the whole table of messages and remember those that were recalled.
  public func orphanFacts(
    in conversationID: String? = nil, of clientMsgID: String? = nil, limit: Int = 1_000
  ) throws(StoreError) -> (facts: [OrphanFact], isComplete: Bool) {
    try reader.orphanFacts(in: conversationID, of: clientMsgID, limit: limit)
  }
}
