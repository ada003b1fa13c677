import WeirStore

/// Answers queries on a connection of its own, each in one snapshot with its revision.
final class ProjectionReader {
  let account: String
  let connection: Connection
  let strings: InternedStrings
  private let recalls: RecallTable
  private let decoder: OpenIMCallbackDecoder
  private let revision: Statement
  private let conversationPage: Statement
  private let sums: Statement
  private let conversation: Statement
  private let messagePage: Statement
  private let messageByRow: Statement
  private let changeLog: Statement
  private let historyFrom: Statement
  private let clientID: Statement

  init(_ connection: Connection, account: String) throws(StoreError) {
    self.connection = connection
    self.account = account
    try Meta.check(connection, account: account)
    strings = try InternedStrings(connection, writes: false)
    recalls = try RecallTable(connection, strings: strings, writes: false)
    decoder = OpenIMCallbackDecoder(account: account)
    revision = try connection.prepare("SELECT revision FROM meta")
    conversationPage = try connection.prepare(
      """
      SELECT id, key, session_type, unread, last_message, last_time, revision FROM conversations
      WHERE message_count > 0 AND last_time <= ?1 AND (last_time < ?1 OR key > ?2)
      ORDER BY last_time DESC, key LIMIT ?3
      """)
    sums = try connection.prepare(
      "SELECT count(*), sum(message_count), (SELECT unread_total FROM meta) FROM conversations WHERE message_count > 0")
    conversation = try connection.prepare("SELECT id, session_type FROM conversations WHERE key = ?1")
    messagePage = try connection.prepare(
      """
      SELECT \(MessageRow.columns) FROM messages
      WHERE conversation = ?1 AND marks & ?2 = 0 AND (send_time, seq, client_id) < (?3, ?4, ?5)
      ORDER BY send_time DESC, seq DESC, client_id DESC LIMIT ?6
      """)
    messageByRow = try connection.prepare("SELECT \(MessageRow.columns) FROM messages WHERE id = ?1")
    changeLog = try connection.prepare(
      """
      SELECT h.revision, c.key, h.kinds, h.messages FROM history h JOIN conversations c ON c.id = h.conversation
      WHERE h.revision > ?1 ORDER BY h.revision LIMIT ?2
      """)
    historyFrom = try connection.prepare("SELECT history_from FROM meta")
    clientID = try connection.prepare("SELECT client_id FROM messages WHERE id = ?1")
  }

  /// Runs a query inside one snapshot.
  func snapshot<Value>(
    _ query: (ProjectionReader) throws(StoreError) -> Value
  ) throws(StoreError) -> Snapshot<Value> {
    try connection.snapshot { () throws(StoreError) in
      guard let revision = try revision.firstInt64() else { throw StoreError(.corrupt, "the meta row is gone") }
      return Snapshot(revision: revision, value: try query(self))
    }
  }

  func conversations(
    after position: ConversationPosition?, limit: Int
  ) throws(StoreError) -> [ConversationSummary] {
    conversationPage.bind(position?.lastTime ?? .max, at: 1)
    conversationPage.bind(position?.conversationID ?? "", at: 2)
    conversationPage.bind(Int64(max(limit, 0)), at: 3)
    defer { conversationPage.reset() }
    var page: [ConversationSummary] = []
    while try conversationPage.step() {
      let key = conversationPage.string(1)
      let session = SessionType(rawValue: Int32(truncatingIfNeeded: conversationPage.int64(2)))
      let last =
        conversationPage.type(4) == .null
        ? nil : try message(row: conversationPage.int64(4), in: key, conversationPage.int64(2))
      page.append(
        ConversationSummary(
          conversationID: key, sessionType: session, title: title(key, session, last),
          unread: Int(conversationPage.int64(3)), last: last, lastTime: conversationPage.int64(5),
          revision: conversationPage.int64(6)))
    }
    return page
  }

  func totals() throws(StoreError) -> Totals {
    guard try sums.step() else { return Totals(conversations: 0, messages: 0, unread: 0) }
    defer { sums.reset() }
    return Totals(
      conversations: Int(sums.int64(0)), messages: Int(sums.int64(1)), unread: Int(sums.int64(2)))
  }

  func messages(
    in key: String, before position: MessagePosition?, limit: Int
  ) throws(StoreError) -> [StoredMessage] {
    conversation.bind(key, at: 1)
    guard try conversation.step() else { return [] }
    let (id, session) = (conversation.int64(0), conversation.int64(1))
    conversation.reset()
    messagePage.bind(id, at: 1)
    messagePage.bind(MessageMarks([.deletedForSelf, .filtered]).rawValue, at: 2)
    messagePage.bind(position?.sendTime ?? .max, at: 3)
    messagePage.bind(position?.seq ?? .max, at: 4)
    // Bytes sort after texts, and 17 of them after every packed id.
    let end = StoredID.packed([UInt8](repeating: 0xff, count: 17))
    (position.map { StoredID($0.clientMsgID) } ?? end).bind(to: messagePage, at: 5)
    messagePage.bind(Int64(max(limit, 0)), at: 6)
    defer { messagePage.reset() }
    var page: [StoredMessage] = []
    while try messagePage.step() {
      page.append(try message(try MessageRow(messagePage, 0), in: key, session))
    }
    return page
  }

  func changes(since revision: Int64, limit: Int) throws(StoreError) -> ChangeLog {
    let oldest = try historyFrom.firstInt64() ?? 0
    changeLog.bind(revision, at: 1)
    changeLog.bind(Int64(max(limit, 0)), at: 2)
    defer { changeLog.reset() }
    var changes: [ConversationChange] = []
    while try changeLog.step() {
      var ids: [String] = []
      for row in RowNumbers.unpack(changeLog.bytes(3)) {
        clientID.bind(row, at: 1)
        if try clientID.step() { ids.append(StoredID(clientID, 0).string) }
        clientID.reset()
      }
      changes.append(
        ConversationChange(
          conversationID: changeLog.string(1), revision: changeLog.int64(0),
          kinds: ChangeKinds(rawValue: changeLog.int64(2)), clientMsgIDs: ids))
    }
    return ChangeLog(changes: changes, isComplete: revision >= oldest - 1)
  }

  private func message(row id: Int64, in key: String, _ session: Int64) throws(StoreError) -> StoredMessage {
    messageByRow.bind(id, at: 1)
    guard try messageByRow.step() else { throw StoreError(.corrupt, "the last message of \(key) is missing") }
    defer { messageByRow.reset() }
    return try message(try MessageRow(messageByRow, 0), in: key, session)
  }

  private func message(_ row: MessageRow, in key: String, _ session: Int64) throws(StoreError) -> StoredMessage {
    let state = try row.state(strings)
    let display: StoredMessage.Display
    if row.marks.contains(.recalled) {
      let scope = RecallTable.Scope(conversation: row.conversation, sessionType: session, sender: row.sender)
      display = .recalled(try recalls.record(clientID: row.clientID, message: scope) ?? RecallRecord())
    } else {
      display = .content(content(state))
    }
    return StoredMessage(
      key: MessageKey(account: account, conversationID: key, clientMsgID: row.clientID.string),
      envelope: state.envelope, evidence: state.evidence, marks: row.marks, display: display, revision: row.revision)
  }

  /// Expands the stored content. A line that was not understood when it came may be by now.
  private func content(_ state: MessageState) -> MessageContent {
    let body = state.body
    let content: MessageContent? =
      switch body.form {
      case .element:
        body.bytes.withUnsafeBufferPointer {
          ElementDecoder(account: account, senderID: state.envelope.senderID)
            .expand(body.contentType, $0, 0..<$0.count)
        }
      case .line: decoder.content(ofLine: body.bytes)
      case .absent: nil
      }
    return content ?? .placeholder(contentType: body.contentType)
  }

  private func title(_ key: String, _ session: SessionType?, _ last: StoredMessage?) -> String {
    guard let session else { return key }
    if session.isGroup { return String(decoding: key.utf8.dropFirst(session.prefix.utf8.count), as: UTF8.self) }
    guard let last else { return key }
    return last.isMine ? last.envelope.receiverID : last.envelope.senderID
  }
}
