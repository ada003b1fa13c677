import WeirStore

/// Applies facts to the tables, on the writer's thread, one transaction a call.
///
/// Unread numbers and summaries are the result of comparing each touched row before and after its change, inside the
/// transaction: a redelivery changes no row and so no number. `ProjectionAudit` recounts them from the rows.
final class ProjectionWriter {
  /// The account whose view this is.
  let account: String
  private let connection: Connection
  private let strings: InternedStrings
  private let conversations: ConversationTable
  private let messages: MessageTable
  private let recalls: RecallTable
  private let log: ChangeLogTable
  private var touched: [Int64: ConversationState] = [:]
  private var order: [Int64] = []
  private var result = CommitResult()
  private var meta: Meta

  /// Prepares the statements; makes the store's one row of `meta` when the file is new.
  init(_ connection: Connection, account: String, historyLimit: Int64) throws(StoreError) {
    self.connection = connection
    self.account = account
    try Meta.create(connection, account: account)
    strings = try InternedStrings(connection, writes: true)
    conversations = try ConversationTable(connection)
    messages = try MessageTable(connection)
    recalls = try RecallTable(connection, strings: strings, writes: true)
    log = try ChangeLogTable(connection, limit: historyLimit)
    meta = try log.meta()
  }

  /// Stores the facts in one transaction.
  func apply(_ facts: [Fact]) throws(StoreError) -> CommitResult {
    do {
      return try connection.transaction { () throws(StoreError) in
        reset()
        meta = try log.meta()
        try recalls.begin()
        for (index, fact) in facts.enumerated() {
          if let reason = refusal(of: fact) {
            result.rejected.append(.init(index: index, reason: reason))
          } else {
            try apply(fact)
          }
        }
        try finish()
        return result
      }
    } catch {
      // Numbers given out inside the transaction are gone with it.
      strings.forget()
      conversations.forget()
      throw error
    }
  }

  private func reset() {
    touched.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    result = CommitResult()
  }

  private func refusal(of fact: Fact) -> CommitResult.Reason? {
    if !fact.account.utf8Equals(account) { return .otherAccount }
    if fact.clientMsgID.isEmpty { return .emptyClientMsgID }
    switch fact {
    case .message(let message): return message.key.conversationID.isEmpty ? .emptyConversationID : nil
    case .recall(let recall): return recall.target == .conversation("") ? .emptyConversationID : nil
    default: return nil  // BASE
    }
  }

  private func apply(_ fact: Fact) throws(StoreError) {
    switch fact {
    case .message(let message):
      switch try apply(message) {
      case .inserted: result.inserted += 1
      case .advanced: result.advanced += 1
      case .merged: result.merged += 1
      }
    case .recall(let recall): try apply(recall)
    default: break  // BASE
    }
  }

  // MARK: Messages

  private enum Outcome {
    case inserted
    case advanced
    case merged
  }

  private func apply(_ message: ChatMessage) throws(StoreError) -> Outcome {
    let conversation = try touch(message.key.conversationID)
    let clientID = StoredID(message.key.clientMsgID)
    let state = MessageState(message)
    let row = try row(state, conversation, clientID)
    if let id = try messages.add(row) {
      note(id, message.key.clientMsgID, before: nil, after: row, state, conversation, .inserted)
      return .inserted
    }
    guard let (id, stored) = try messages.find(conversation: conversation, clientID: clientID) else {
      throw StoreError(.corrupt, "message \(message.key) is in an index but not in its table")
    }
    if row.seq > 0 && stored.seq > 0 && row.seq != stored.seq {
      try messages.addAlias(conversation: conversation, seq: max(row.seq, stored.seq), message: id)
    }
    let before = try stored.state(strings)
    let joined = before.joined(with: state)
    guard joined != before else { return .merged }
    let after = try self.row(joined, conversation, clientID)
    try messages.replace(id, with: after)
    note(id, message.key.clientMsgID, before: (stored, before), after: after, joined, conversation, .updated)
    return .advanced
  }

  /// The row of a state, marked as recalled when a recall covers it.
  private func row(
    _ state: MessageState, _ conversation: Int64, _ clientID: StoredID
  ) throws(StoreError) -> MessageRow {
    let scope = RecallTable.Scope(
      conversation: conversation, sessionType: touched[conversation]?.sessionType ?? 0,
      sender: try strings.number(state.envelope.senderID))
    let recall = try recalls.record(clientID: clientID, message: scope)
    // The revision of the change to come. A change that nobody can see takes none, and its row keeps the current one.
    let revision = state.marks.isHidden ? meta.revision : touched[conversation]?.revision ?? meta.revision + 1
    return try MessageRow(
      state, conversation: conversation, clientID: clientID, isRecalled: recall != nil, revision: revision,
      strings: strings)
  }

  /// Takes a row's change into its conversation.
  private func note(
    _ id: Int64, _ clientMsgID: String, before: (row: MessageRow, state: MessageState)?, after: MessageRow,
    _ state: MessageState, _ conversation: Int64, _ kind: ChangeKinds
  ) {
    let old = before.map { standing($0.row, $0.state) }
    touched[conversation]?.note(id, before: old, after: standing(after, state))
    if after.marks.isHidden && before?.row.marks.isHidden ?? true { return }
    claimRevision(conversation)
    touched[conversation]?.kinds.insert(kind)
    let isListed = before != nil && touched[conversation]?.changed.contains { $0.row == id } ?? false
    if !isListed { touched[conversation]?.changed.append((id, clientMsgID)) }
  }

  private func standing(_ row: MessageRow, _ state: MessageState) -> RowStanding {
    RowStanding(
      sendTime: row.sendTime, seq: row.seq, marks: row.marks, isMine: state.envelope.senderID.utf8Equals(account))
  }

  // MARK: Recalls

  private func apply(_ recall: RecallFact) throws(StoreError) {
    let clientID = StoredID(recall.clientMsgID)
    let scope: RecallTable.Scope
    var rows: [Int64] = []
    switch recall.target {
    case .conversation(let key):
      let conversation = try touch(key)
      scope = .init(conversation: conversation, sessionType: 0, sender: 0)
    case .anywhere(let session, let senderID):
      scope = .init(
        conversation: 0, sessionType: Int64(session?.rawValue ?? 0), sender: try strings.number(senderID))
    }
    let isNews = try recalls.join(recall.record, clientID: clientID, scope: scope)
    if isNews && scope.conversation == 0 {
      rows = try messages.candidates(clientID: clientID, sessionType: scope.sessionType)
    } else if isNews, let found = try messages.find(conversation: scope.conversation, clientID: clientID) {
      rows = [found.id]
    }
    var isSeen = false
    for id in rows where try hide(id, recall.clientMsgID, scope) { isSeen = true }
    if let original = recall.original, try apply(original) != .merged { isSeen = true }
    if isSeen {
      result.recalled += 1
    } else if isNews {
      result.orphaned += 1
    } else {
      result.merged += 1
    }
  }

  /// Marks a row that a new recall covers; false when it does not cover it.
  private func hide(_ id: Int64, _ clientMsgID: String, _ scope: RecallTable.Scope) throws(StoreError) -> Bool {
    guard let (_, stored) = try messages.load(id) else { return false }
    try touch(number: stored.conversation)
    let place = RecallTable.Scope(
      conversation: stored.conversation, sessionType: touched[stored.conversation]?.sessionType ?? 0,
      sender: stored.sender)
    guard scope.covers(place) else { return false }
    let state = try stored.state(strings)
    let after = try row(state, stored.conversation, stored.clientID)
    try messages.replace(id, with: after)
    note(id, clientMsgID, before: (stored, state), after: after, state, stored.conversation, .recalled)
    return true
  }

  // MARK: Conversations

  private func touch(_ key: String) throws(StoreError) -> Int64 {
    let id = try conversations.number(key)
    try touch(number: id)
    return id
  }

  private func touch(number id: Int64) throws(StoreError) {
    if touched[id] == nil {
      touched[id] = try conversations.load(id)
      order.append(id)
    }
  }

  private func claimRevision(_ conversation: Int64) {
    guard touched[conversation]?.revision == nil else { return }
    meta.revision += 1
    touched[conversation]?.revision = meta.revision
  }

  private func finish() throws(StoreError) {
    for id in order {
      guard var state = touched[id] else { continue }
      if state.mustFindLast { try findLast(&state) }
      let kinds = state.allKinds
      if !kinds.isEmpty {
        claimRevision(id)
        let revision = touched[id]?.revision ?? meta.revision
        state.revision = revision
        try log.append(revision: revision, conversation: id, kinds: kinds, rows: state.changed.map(\.row))
        result.changes.append(
          ConversationChange(
            conversationID: state.key, revision: revision, kinds: kinds,
            clientMsgIDs: state.changed.map(\.clientMsgID)))
      }
      meta.unreadTotal += state.summary.unread - state.original.unread
      if state.revision != nil || state.summary != state.original { try conversations.save(state) }
    }
    result.changes.sort { $0.revision < $1.revision }
    result.revision = meta.revision
    try log.save(&meta)
  }

  private func findLast(_ state: inout ConversationState) throws(StoreError) {
    let found = try messages.newest(in: state.id, without: RowStanding.outsideSummary)
    state.summary.lastMessage = found?.id
    state.summary.lastTime = found?.sendTime ?? 0
    state.summary.lastSeq = found?.seq ?? 0
  }
}
