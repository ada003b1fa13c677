import WeirStore

/// Answers queries on a connection of its own, each in one snapshot with its revision.
final class ProjectionReader {
  let account: String
  let connection: Connection
  let strings: InternedStrings
  let conversationTable: ConversationTable
  let messageTable: MessageTable
  let counts: MessageCounts
  let recalls: RecallTable
  let targets: TargetTable
  let readings: ReadingLookup
  let propertyTable: PropertyTable
  let social: SocialTable
  let tasks: MediaTaskTable
  let checkpoints: CheckpointTable
  let decoder: OpenIMCallbackDecoder
  /// The number of the own user id among the texts.
  let me: Int64
  private let meta: Statement
  private let conversationPage: Statement
  private let sums: Statement
  private let changeLog: Statement
  private let clientID: Statement
  /// Pages by the index of times. Among rows of the same time and seq the order is not that of a page.
  let pageBefore: Statement
  let pageAfter: Statement
  /// Pages in their whole order, for which SQLite sorts.
  let sortedPageBefore: Statement
  let sortedPageAfter: Statement

  init(_ connection: Connection, account: String) throws(StoreError) {
    self.connection = connection
    self.account = account
    try Meta.check(connection, account: account)
    strings = try InternedStrings(connection, writes: false)
    // The writer has interned it before any reader opens; nothing has the number -1.
    me = try strings.existing(account) ?? -1
    conversationTable = try ConversationTable(connection, writes: false)
    messageTable = try MessageTable(connection)
    counts = try MessageCounts(connection, me: me)
    recalls = try RecallTable(connection, strings: strings, writes: false)
    targets = try TargetTable(connection, strings: strings, writes: false)
    readings = ReadingLookup(
      watermarks: try WatermarkTable(connection, writes: false), strings: strings, account: account, me: me)
    propertyTable = try PropertyTable(connection, writes: false)
    social = try SocialTable(connection, writes: false)
    tasks = try MediaTaskTable(connection, writes: false)
    checkpoints = try CheckpointTable(connection, writes: false)
    decoder = OpenIMCallbackDecoder(account: account)
    meta = try connection.prepare("SELECT revision, unread_total, unfetched_total, history_from FROM meta")
    conversationPage = try connection.prepare(
      """
      SELECT id FROM conversations WHERE (message_count > 0 OR draft_time > 0)
      AND pinned <= ?1 AND (pinned < ?1 OR sort_time < ?2 OR sort_time = ?2 AND key > ?3)
      ORDER BY pinned DESC, sort_time DESC, key LIMIT ?4
      """)
    sums = try connection.prepare(
      """
      SELECT count(*), coalesce(sum(message_count), 0) FROM conversations WHERE message_count > 0 OR draft_time > 0
      """)
    changeLog = try connection.prepare(
      """
      SELECT h.revision, coalesce(c.key, ''), h.kinds, h.messages, h.subject FROM history h
      LEFT JOIN conversations c ON c.id = h.conversation WHERE h.revision > ?1 ORDER BY h.revision LIMIT ?2
      """)
    clientID = try connection.prepare("SELECT client_id FROM messages WHERE id = ?1")
    // Own messages without a place stand elsewhere than their row says; they are merged in.
    let visible = """
      FROM messages WHERE conversation = ?1 AND marks & \(MessageMarks.hidden.rawValue) = 0
      AND NOT (seq > 0 AND seq <= ?2) AND NOT (send_time > 0 AND send_time <= ?3 AND evidence > 0)
      AND NOT (send_time = 0 AND evidence = 0 AND sender = ?4)
      """
    let before = "SELECT id, \(MessageRow.columns) \(visible) AND (send_time, seq, client_id) < (?5, ?6, ?7)"
    let after = "SELECT id, \(MessageRow.columns) \(visible) AND (send_time, seq, client_id) > (?5, ?6, ?7)"
    pageBefore = try connection.prepare("\(before) ORDER BY send_time DESC, seq DESC LIMIT ?8")
    pageAfter = try connection.prepare("\(after) ORDER BY send_time, seq LIMIT ?8")
    sortedPageBefore = try connection.prepare(
      "\(before) ORDER BY send_time DESC, seq DESC, client_id DESC LIMIT ?8")
    sortedPageAfter = try connection.prepare("\(after) ORDER BY send_time, seq, client_id LIMIT ?8")
  }

  /// Runs a query inside one snapshot, which it holds for at most `milliseconds` (nil for no limit).
  func snapshot<Value>(
    limit milliseconds: Int64?, _ query: (ProjectionReader) throws(StoreError) -> Value
  ) throws(StoreError) -> Snapshot<Value> {
    readings.beginView()
    return try connection.snapshot(limit: milliseconds) { () throws(StoreError) in
      Snapshot(revision: try metaNumbers().revision, value: try query(self))
    }
  }

  private func metaNumbers() throws(StoreError) -> (revision: Int64, unread: Int64, unfetched: Int64, from: Int64) {
    guard try meta.step() else { throw StoreError(.corrupt, "the meta row is gone") }
    defer { meta.reset() }
    return (meta.int64(0), meta.int64(1), meta.int64(2), meta.int64(3))
  }

  // MARK: Conversations

  func conversations(
    after position: ConversationPosition?, limit: Int
  ) throws(StoreError) -> [ConversationSummary] {
    conversationPage.bind(position.map { $0.isPinned ? 1 : 0 } ?? 1, at: 1)
    conversationPage.bind(position?.time ?? .max, at: 2)
    conversationPage.bind(position?.conversationID ?? "", at: 3)
    conversationPage.bind(Int64(max(limit, 0)), at: 4)
    defer { conversationPage.reset() }
    var page: [ConversationSummary] = []
    while try conversationPage.step() { page.append(try summary(conversationPage.int64(0))) }
    return page
  }

  func conversation(_ key: String) throws(StoreError) -> ConversationSummary? {
    try conversationTable.existing(key).map { (id) throws(StoreError) in try summary(id) }
  }

  private func summary(_ id: Int64) throws(StoreError) -> ConversationSummary {
    let state = try conversationTable.load(id)
    let properties = try propertyTable.properties(id)
    let session = SessionType(rawValue: Int32(truncatingIfNeeded: state.sessionType))
    var last: StoredMessage?
    if let row = state.summary.lastMessage {
      guard let (_, stored) = try messageTable.load(row) else {
        throw StoreError(.corrupt, "the last message of \(state.key) is missing")
      }
      last = try message(row, stored, in: Place(state), sortTime: state.summary.lastTime)
    }
    let title = properties.showName.isEmpty ? title(state.key, session, last) : properties.showName
    return ConversationSummary(
      conversationID: state.key, sessionType: session, title: title, unread: Int(state.summary.unread),
      unfetched: state.summary.unfetched, last: last, lastTime: state.summary.lastTime,
      readSeq: state.marks.readSeq, properties: properties, revision: state.oldRevision)
  }

  private func title(_ key: String, _ session: SessionType?, _ last: StoredMessage?) -> String {
    guard let session else { return key }
    if session.isGroup { return String(decoding: key.utf8.dropFirst(session.prefix.utf8.count), as: UTF8.self) }
    guard let last else { return key }
    return last.isMine ? last.envelope.receiverID : last.envelope.senderID
  }

  func totals() throws(StoreError) -> Totals {
    let numbers = try metaNumbers()
    guard try sums.step() else { return Totals(conversations: 0, messages: 0, unread: 0) }
    defer { sums.reset() }
    return Totals(
      conversations: Int(sums.int64(0)), messages: Int(sums.int64(1)), unread: Int(numbers.unread),
      unfetched: numbers.unfetched)
  }

  func totalUnread() throws(StoreError) -> TotalUnread {
    let numbers = try metaNumbers()
    return TotalUnread(known: Int(numbers.unread), unfetched: numbers.unfetched)
  }

  func gaps(_ key: String) throws(StoreError) -> SeqIntervals {
    guard let id = try conversationTable.existing(key) else { return SeqIntervals() }
    return try conversationTable.load(id).marks.missing
  }

  func peerReads(_ key: String) throws(StoreError) -> [PeerRead] {
    guard let id = try conversationTable.existing(key) else { return [] }
    var reads: [PeerRead] = []
    for reader in try readings.watermarks.readers(id) where reader != me {
      let seq = try readings.watermarks.greatest(id, reader: reader)
      let time = try readings.watermarks.reading(id, reader: reader, seq: seq).time
      reads.append(PeerRead(userID: try strings.text(reader), upToSeq: seq, time: time))
    }
    return reads.sorted { $0.userID.utf8Precedes($1.userID) }
  }

  func orphans(_ key: String, limit: Int) throws(StoreError) -> [Orphan] {
    guard let id = try conversationTable.existing(key) else { return [] }
    let select = try connection.prepare("SELECT target, known, crc FROM targets WHERE conversation = ?1")
    select.bind(id, at: 1)
    var orphans: [Orphan] = []
    while orphans.count < limit, try select.step() {
      let target = StoredTarget(select, 0)
      let known = try targets.read(select, id, target, 1)
      switch target {
      case .clientID(let clientID):
        orphans.append(
          Orphan(conversationID: key, target: .clientMsgID(clientID.string), parts: known.parts))
      case .seq(let seq):
        guard try messageTable.carrying(seq: seq, in: id).isEmpty else { continue }
        orphans.append(Orphan(conversationID: key, target: .seq(seq), parts: known.parts))
      }
    }
    return orphans
  }

  // MARK: The log

  func changes(since revision: Int64, limit: Int) throws(StoreError) -> ChangeLog {
    let oldest = try metaNumbers().from
    changeLog.bind(revision, at: 1)
    changeLog.bind(Int64(max(limit, 0)), at: 2)
    defer { changeLog.reset() }
    var changes: [ConversationChange] = []
    while try changeLog.step() {
      let kinds = ChangeKinds(rawValue: changeLog.int64(2))
      let numbers = RowNumbers.unpack(changeLog.bytes(3))
      let subject = changeLog.string(4)
      var change = ConversationChange(
        conversationID: changeLog.string(1), revision: changeLog.int64(0), kinds: kinds, clientMsgIDs: [])
      if kinds.contains(.social) {
        let scope = numbers.first.flatMap { SocialFact.Scope(rawValue: $0) }
        change.social = scope.map { SocialChange(scope: $0, scopeID: subject) }
      } else if kinds.contains(.media) {
        change.mediaTaskID = subject
        change.mediaState = try tasks.task(subject)?.state
      } else {
        for row in numbers {
          clientID.bind(row, at: 1)
          if try clientID.step() { change.clientMsgIDs.append(StoredID(clientID, 0).string) }
          clientID.reset()
        }
      }
      changes.append(change)
    }
    return ChangeLog(changes: changes, isComplete: revision >= oldest - 1)
  }
}

extension Amendments {
  /// What is known, in words.
  var parts: [String] {
    var parts: [String] = []
    if recall != nil { parts.append("recall") }
    if edit != nil { parts.append("edit") }
    if !marks.isDisjoint(with: [.deletedForSelf, .deletedForAll]) { parts.append("deletion") }
    if !readers.isEmpty { parts.append("receipt") }
    if acknowledgement != nil || evidence != .none { parts.append("acknowledgement") }
    if attempt != nil { parts.append("attempt") }
    if local != nil { parts.append("local data") }
    return parts
  }
}
