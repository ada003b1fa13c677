import WeirStore

/// Turns the rows of a damaged store into facts, one row after the other by its key, so that a damaged page costs its
/// own rows only.
struct SalvageReader {
  private let connection: Connection
  private let account: String
  private let strings: InternedStrings
  /// Loads a message's row.
  private let load: (Int64) throws(StoreError) -> MessageRow?
  private let aliases: Statement
  private let targets: TargetTable
  private let keys: Statement
  private var steps: [(table: Table, last: Int64)] = []
  private var position: Int64 = 0

  private enum Table {
    case messages
    case rows(sql: String, fact: (SalvageReader, Statement) throws(StoreError) -> [Fact])
  }

  private static let pageSize: Int64 = 200

  init(_ connection: Connection, account: String) throws(StoreError) {
    self.connection = connection
    self.account = account
    if let owner = try? connection.prepare("SELECT account FROM meta").firstString(), !owner.utf8Equals(account) {
      throw StoreError(.foreignFile, "\(connection.path) belongs to account \"\(owner)\", not \"\(account)\"")
    }
    strings = try InternedStrings(connection, writes: false)
    if try connection.prepare("PRAGMA user_version").firstInt64() ?? 0 < FourthFormatUpgrade.format {
      let messages = try LegacyMessageTable(connection)
      load = { (id) throws(StoreError) in try messages.load(id) }
    } else {
      let messages = try MessageTable(connection)
      load = { (id) throws(StoreError) in try messages.load(id)?.row }
    }
    aliases = try connection.prepare("SELECT seq FROM seq_aliases WHERE message = ?1")
    targets = try TargetTable(connection, strings: strings, writes: false)
    keys = try connection.prepare("SELECT key FROM conversations WHERE id = ?1")
    steps = [(.messages, greatestMessage())]
    for (sql, fact) in Self.tables { steps.append((.rows(sql: sql, fact: fact), 0)) }
  }

  /// The next facts and the number of rows among them that could not be read; nil facts at the end.
  mutating func next() -> (facts: [Fact]?, unreadable: Int) {
    guard let (table, last) = steps.first else { return (nil, 0) }
    switch table {
    case .messages:
      var (facts, unreadable): ([Fact], Int) = ([], 0)
      let end = min(last, position + Self.pageSize)
      while position < end {
        position += 1
        do {
          if let row = try load(position) { facts += try self.facts(position, row) }
        } catch {
          unreadable += 1
        }
      }
      if position >= last { steps.removeFirst() }
      return (facts, unreadable)
    case .rows(let sql, let fact):
      steps.removeFirst()
      return read(sql, fact)
    }
  }

  private func read(
    _ sql: String, _ fact: (SalvageReader, Statement) throws(StoreError) -> [Fact]
  ) -> (facts: [Fact]?, unreadable: Int) {
    var (facts, unreadable): ([Fact], Int) = ([], 0)
    do {
      let select = try connection.prepare(sql)
      while try select.step() {
        do { facts += try fact(self, select) } catch { unreadable += 1 }
      }
    } catch {
      // The rest of the table is out of reach.
      unreadable += 1
    }
    return (facts, unreadable)
  }

  /// The greatest row number, by probing when the table's end cannot be read.
  private func greatestMessage() -> Int64 {
    if let greatest = try? connection.prepare("SELECT max(id) FROM messages").firstInt64() { return greatest }
    return (try? connection.prepare("SELECT max(last_message) FROM conversations").firstInt64()) ?? 0
  }

  // MARK: Messages

  private func facts(_ id: Int64, _ row: MessageRow) throws(StoreError) -> [Fact] {
    let state = try row.state(strings)
    let key = MessageKey(
      account: account, conversationID: try conversation(row.conversation), clientMsgID: row.clientID.string)
    let body: MessageBody =
      switch state.body.form {
      case .element: .element(state.body.bytes)
      case .line: .line(state.body.bytes)
      case .absent: .absent
      }
    func copy(seq: Int64) -> Fact {
      var envelope = state.envelope
      envelope.seq = seq
      return .message(
        ChatMessage(
          key: key, envelope: envelope, evidence: state.evidence, marks: state.marks,
          contentType: state.body.contentType, content: .placeholder(contentType: state.body.contentType), body: body))
    }
    var facts = [copy(seq: state.envelope.seq)]
    aliases.bind(id, at: 1)
    while (try? aliases.step()) ?? false { facts.append(copy(seq: aliases.int64(0))) }
    return facts + self.facts(state.amendments, key.conversationID, .clientMsgID(key.clientMsgID), seq: row.seq)
  }

  /// What is known beside the copies of a message, as the facts that told it.
  private func facts(
    _ known: Amendments, _ conversation: String, _ target: MessageReference, seq: Int64
  ) -> [Fact] {
    var facts: [Fact] = []
    if let edit = known.edit {
      let body: MessageBody = edit.body.form == .element ? .element(edit.body.bytes) : .line(edit.body.bytes)
      facts.append(
        .edit(
          EditFact(
            account: account, conversationID: conversation, target: target, version: edit.version, time: edit.time,
            editorID: edit.editorID, contentType: edit.body.contentType, body: body)))
    }
    for (reader, time) in known.readers {
      facts.append(
        .read(
          ReadFact(
            account: account, conversationID: conversation, readerID: reader.text, messages: [target], time: time)))
    }
    for (mark, scope) in [(MessageMarks.deletedForSelf, DeleteFact.Scope.forSelf), (.deletedForAll, .forAll)]
    where known.marks.contains(mark) {
      facts.append(
        .delete(DeleteFact(account: account, conversationID: conversation, targets: [target], scope: scope)))
    }
    if let recall = known.recall {
      var record = recall
      if record.seq <= 0 { record.seq = seq }
      facts.append(
        .recall(
          RecallFact(account: account, target: .conversation(conversation), clientMsgID: "", record: record)))
    }
    guard let id = target.clientMsgID else { return facts }
    var events: [SendFact.Event] = []
    if let place = known.acknowledgement {
      events.append(.acknowledged(serverMsgID: place.serverMsgID, sendTime: place.sendTime, seq: place.seq))
    }
    for seq in known.seqs { events.append(.acknowledged(serverMsgID: "", sendTime: 0, seq: seq)) }
    if let attempt = known.attempt { events.append(.attempt(number: attempt.number, step: attempt.step)) }
    if known.evidence >= .delivered { events.append(.delivered(time: 0)) }
    facts += events.map {
      .send(SendFact(account: account, conversationID: conversation, clientMsgID: id, event: $0))
    }
    if let local = known.local {
      facts.append(
        .local(
          LocalFact(
            account: account, conversationID: conversation, clientMsgID: id, revision: local.revision,
            localEx: local.text)))
    }
    return facts
  }

  private func conversation(_ id: Int64) throws(StoreError) -> String {
    keys.bind(id, at: 1)
    guard let key = try keys.firstString() else { throw StoreError(.corrupt, "conversation \(id) is missing") }
    return key
  }

  // MARK: Other tables

  private static var tables: [(String, (SalvageReader, Statement) throws(StoreError) -> [Fact])] {
    [
      (
        "SELECT conversation, target, known, crc FROM targets",
        { (reader, row) throws(StoreError) in
          let (conversation, target) = (row.int64(0), StoredTarget(row, 1))
          let known = try reader.targets.read(row, conversation, target, 2)
          let reference: MessageReference =
            switch target {
            case .clientID(let id): .clientMsgID(id.string)
            case .seq(let seq): .seq(seq)
            }
          var seq: Int64 = 0
          if case .seq(let own) = reference { seq = own }
          return reader.facts(known, try reader.conversation(conversation), reference, seq: seq)
        }
      ),
      (
        "SELECT client_id, conversation, session_type, sender, time, revoker, role, by_admin, seq, crc FROM recalls",
        { (reader, row) throws(StoreError) in
          let (scope, record) = try RecallTable.read(row, reader.strings)
          let target: RecallFact.Target =
            scope.conversation != 0
            ? .conversation(try reader.conversation(scope.conversation))
            : .anywhere(
              SessionType(rawValue: Int32(truncatingIfNeeded: scope.sessionType)),
              senderID: try reader.strings.text(scope.sender))
          return [
            .recall(
              RecallFact(
                account: reader.account, target: target, clientMsgID: StoredID(row, 0).string, record: record))
          ]
        }
      ),
      (
        "SELECT conversation, reader, seq, time, crc FROM watermarks",
        { (reader, row) throws(StoreError) in
          let numbers = (row.int64(0), row.int64(1), row.int64(2), row.int64(3))
          guard row.int64(4) == WatermarkTable.checksum(numbers.0, numbers.1, numbers.2, numbers.3) else {
            throw StoreError(.corrupt, "a read mark does not match its checksum")
          }
          return [
            .read(
              ReadFact(
                account: reader.account, conversationID: try reader.conversation(numbers.0),
                readerID: try reader.strings.text(numbers.1), upToSeq: numbers.2,
                time: numbers.3 == .max ? 0 : numbers.3))
          ]
        }
      ),
      ("SELECT id FROM conversations", { (reader, row) throws(StoreError) in try reader.marks(row.int64(0)) }),
      (
        "SELECT entity, revision, removed, payload, crc, scope, scope_id FROM social",
        { (reader, row) throws(StoreError) in
          guard let scope = SocialFact.Scope(rawValue: row.int64(5)) else { return [] }
          let entry = try SocialTable.read(row, scope, row.string(6))
          return [
            .social(
              SocialFact(
                account: reader.account, scope: scope, scopeID: row.string(6), entityID: entry.entityID,
                revision: entry.revision, isRemoved: entry.isRemoved, payload: entry.payload))
          ]
        }
      ),
      (
        "SELECT task FROM media_tasks",
        { (reader, row) throws(StoreError) in
          guard let task = try MediaTaskTable(reader.connection, writes: false).task(row.string(0)) else { return [] }
          return [
            .mediaTask(
              MediaTaskFact(
                account: reader.account, taskID: task.taskID, revision: task.revision, state: task.state,
                nativeState: task.nativeState, payload: task.payload))
          ]
        }
      ),
    ]
  }

  /// The marks and properties of a conversation.
  private func marks(_ id: Int64) throws(StoreError) -> [Fact] {
    let state = try ConversationTable(connection, writes: false).load(id)
    let marks = state.marks
    var facts: [Fact] = []
    for (seq, time, hides) in [
      (marks.clearedSeq, marks.clearedTime, false), (marks.hiddenSeq, marks.hiddenTime, true),
    ] where seq > 0 || time > 0 {
      facts.append(
        .clear(
          ClearFact(
            account: account, conversationID: state.key, upToSeq: seq, upToTime: time, hidesConversation: hides)))
    }
    if !marks.closed.isEmpty || marks.serverMax > 0 {
      facts.append(
        .seqs(
          SeqFact(
            account: account, conversationID: state.key, closed: marks.closed.ranges, serverMaxSeq: marks.serverMax)))
    }
    for setting in try PropertyTable(connection, writes: false).settings(id) {
      if let property = ConversationFact.Property(number: setting.number, bytes: setting.value) {
        facts.append(
          .conversation(
            ConversationFact(
              account: account, conversationID: state.key, revision: setting.revision, properties: [property])))
      }
    }
    return facts
  }
}
