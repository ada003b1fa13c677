import WeirStore

/// Facts about one message.
extension ProjectionWriter {
  func apply(_ message: ChatMessage) throws(StoreError) -> Outcome {
    let place = try touch(number: try conversations.number(message.key.conversationID))
    let clientID = StoredID(message.key.clientMsgID)
    var state = MessageState(message)
    var orphan: Amendments?
    if place.idTargets > 0 { orphan = try targets.known(place.id, .clientID(clientID)) }
    // Most messages come with nothing known of them, and have one seq.
    let seqs: Set<Int64>
    if let orphan {
      state = state.joined(with: orphan)
      seqs = orphan.seqs.union([state.envelope.seq])
      try join(seqs, to: &state, place)
    } else {
      seqs = []
      try join(state.envelope.seq, to: &state, place)
    }
    let row = try row(state, place, clientID)
    if let id = try messages.add(row) {
      if orphan != nil {
        try targets.remove(place.id, clientID)
        place.idTargets -= 1
        place.isDirty = true
      }
      try addAliases(seqs, message.envelope.seq, canonical: row.seq, message: id, place.id)
      note(id, message.key.clientMsgID, before: nil, after: row, state, place, .inserted)
      return .inserted
    }
    guard let (id, stored) = try messages.find(conversation: place.id, clientID: clientID) else {
      throw StoreError(.corrupt, "message \(message.key) is in an index but not in its table")
    }
    if seqs.isEmpty, row.tellsNothingNew(to: stored) { return .merged }
    let before = try stored.state(strings)
    let joined = before.joined(with: state)
    return try replace(id, stored, before, with: joined, seqs, message.envelope.seq, .updated) ? .advanced : .merged
  }

  func apply(_ edit: EditFact) throws(StoreError) -> Outcome {
    var amendments = Amendments()
    amendments.edit = EditVersion(
      version: edit.version, time: edit.time, editorID: edit.editorID,
      body: BodyVersion(edit.body, seq: 0, contentType: edit.contentType))
    return try amend(try touch(edit.conversationID), edit.target, amendments, .edited)
  }

  func apply(_ delete: DeleteFact) throws(StoreError) -> Outcome {
    let conversation = try touch(delete.conversationID)
    var amendments = Amendments()
    amendments.marks = delete.scope == .forSelf ? .deletedForSelf : .deletedForAll
    return try amend(conversation, delete.targets, amendments, .deleted)
  }

  func apply(_ send: SendFact) throws(StoreError) -> Outcome {
    var amendments = Amendments()
    switch send.event {
    case .attempt(let number, let step): amendments.attempt = SendAttempt(number: number, step: step)
    case .acknowledged(let serverMsgID, let sendTime, let seq):
      amendments.evidence = .sent
      let placement = Placement(seq: max(seq, 0), sendTime: max(sendTime, 0), serverMsgID: serverMsgID)
      if !placement.isEmpty { amendments.acknowledgement = placement }
      if seq > 0 { amendments.seqs = [seq] }
    case .delivered: amendments.evidence = .delivered
    }
    return try amend(try touch(send.conversationID), .clientMsgID(send.clientMsgID), amendments, .sendState)
  }

  func apply(_ local: LocalFact) throws(StoreError) -> Outcome {
    var amendments = Amendments()
    amendments.local = LocalSetting(revision: local.revision, text: local.localEx)
    return try amend(try touch(local.conversationID), .clientMsgID(local.clientMsgID), amendments, .localEx)
  }

  // MARK: Amendments

  func amend(
    _ conversation: Int64, _ references: [MessageReference], _ amendments: Amendments, _ kind: ChangeKinds
  ) throws(StoreError) -> Outcome {
    var outcome = Outcome.merged
    for reference in references {
      let next = try amend(conversation, reference, amendments, kind)
      if next.rawValue > outcome.rawValue { outcome = next }
    }
    return outcome
  }

  /// Joins knowledge to the message a reference names, or keeps it until the message comes.
  private func amend(
    _ conversation: Int64, _ reference: MessageReference, _ amendments: Amendments, _ kind: ChangeKinds
  ) throws(StoreError) -> Outcome {
    let target = StoredTarget(reference)
    switch target {
    case .clientID(let clientID):
      if let (id, stored) = try messages.find(conversation: conversation, clientID: clientID) {
        return try join(id, stored, amendments, kind) ? .advanced : .merged
      }
      let news = try targets.join(amendments, conversation, target)
      if news.isFirst {
        touched[conversation]?.idTargets += 1
        touched[conversation]?.isDirty = true
      }
      return news.isNews ? .orphaned : .merged
    case .seq(let seq):
      let isNews = try targets.join(amendments, conversation, target).isNews
      if seq > touched[conversation]?.seqTargets ?? 0 {
        touched[conversation]?.seqTargets = seq
        touched[conversation]?.isDirty = true
      }
      let rows = try messages.carrying(seq: seq, in: conversation)
      var isSeen = false
      for id in rows {
        if let (_, stored) = try messages.load(id), try join(id, stored, amendments, kind) { isSeen = true }
      }
      return isSeen ? .advanced : isNews && rows.isEmpty ? .orphaned : .merged
    }
  }

  /// Joins knowledge to a row; false when it changes nothing.
  func join(
    _ id: Int64, _ stored: MessageRow, _ amendments: Amendments, _ kind: ChangeKinds
  ) throws(StoreError) -> Bool {
    let before = try stored.state(strings)
    var joined = before.joined(with: amendments)
    try join(amendments.seqs, to: &joined, try touch(number: stored.conversation))
    return try replace(id, stored, before, with: joined, amendments.seqs, 0, kind)
  }

  /// Takes in what is known of seqs that a message carries.
  private func join(
    _ seqs: Set<Int64>, to state: inout MessageState, _ place: ConversationState
  ) throws(StoreError) {
    for seq in seqs { try join(seq, to: &state, place) }
  }

  private func join(_ seq: Int64, to state: inout MessageState, _ place: ConversationState) throws(StoreError) {
    guard seq > 0 else { return }
    place.marks.known.insert(seq)
    if seq <= place.seqTargets, let known = try targets.known(place.id, .seq(seq)) {
      state = state.joined(with: known)
    }
  }

  /// Notes the seqs of a message besides the canonical one: those of `seqs` and one more.
  private func addAliases(
    _ seqs: Set<Int64>, _ other: Int64, canonical: Int64, message: Int64, _ conversation: Int64
  ) throws(StoreError) {
    if other > 0, other != canonical { try messages.addAlias(conversation: conversation, seq: other, message: message) }
    for seq in seqs where seq > 0 && seq != canonical && seq != other {
      try messages.addAlias(conversation: conversation, seq: seq, message: message)
    }
  }

  private func replace(
    _ id: Int64, _ stored: MessageRow, _ before: MessageState, with joined: MessageState, _ seqs: Set<Int64>,
    _ seq: Int64, _ kind: ChangeKinds
  ) throws(StoreError) -> Bool {
    let canonical = joined.placement.seq
    if stored.seq != canonical {
      try addAliases([], stored.seq, canonical: canonical, message: id, stored.conversation)
    }
    try addAliases(seqs, seq, canonical: canonical, message: id, stored.conversation)
    guard joined != before else { return false }
    let place = try touch(number: stored.conversation)
    let after = try row(joined, place, stored.clientID)
    try messages.replace(id, stored, with: after)
    note(id, stored.clientID.string, before: (stored, before), after: after, joined, place, kind)
    return true
  }

  /// The row of a state, with the marks that follow from other tables.
  func row(_ state: MessageState, _ place: ConversationState, _ clientID: StoredID) throws(StoreError) -> MessageRow {
    let sender = try strings.number(state.envelope.senderID)
    let isMine = sender == me
    var derived: MessageMarks = []
    let record = try recalls.record(
      clientID: clientID, message: .init(conversation: place.id, sessionType: place.sessionType, sender: sender))
    if record != nil || state.amendments.recall != nil { derived.insert(.recalled) }
    if !isMine, !state.amendments.readers.isEmpty, state.amendments.readers[ByteKey(text: account)] != nil {
      derived.insert(.readByReceipt)
    }
    if state.amendments.attempt != nil || state.amendments.acknowledgement != nil { derived.insert(.sentHere) }
    if state.marks.contains(.isPrivate), try isBurned(state, place.id, isMine: isMine) { derived.insert(.burned) }
    let isHidden = !state.marks.union(derived).isDisjoint(with: .hidden)
    // The revision of the change to come. A change that nobody can see takes none, and its row keeps the current one.
    let revision = isHidden ? meta.revision : place.revision ?? meta.revision + 1
    return try MessageRow(
      state, conversation: place.id, clientID: clientID, sender: sender, derived: derived, revision: revision,
      strings: strings)
  }

  private func isBurned(_ state: MessageState, _ conversation: Int64, isMine: Bool) throws(StoreError) -> Bool {
    let duration = try properties.properties(conversation).burnDuration
    let deadline = try readings.burnDeadline(
      state, conversation: conversation, isMine: isMine, defaultDuration: duration)
    return deadline.map { $0 <= meta.expiredUpTo } ?? false
  }

  /// Takes a row's change into its conversation.
  func note(
    _ id: Int64, _ clientMsgID: String, before: (row: MessageRow, state: MessageState)?, after: MessageRow,
    _ state: MessageState, _ place: ConversationState, _ kind: ChangeKinds
  ) {
    let marks = place.marks
    let old = before.map { RowStanding($0.row, isMine: $0.row.sender == me, marks) }
    let new = RowStanding(after, isMine: after.sender == me, marks)
    place.note(id, before: old, after: new)
    let wasHidden = before.map { isHidden($0.row, marks) } ?? true
    if wasHidden && isHidden(after, marks) { return }
    // What is taken back does not show its edits.
    if kind == .edited, before?.row.marks.contains(.recalled) == true, after.marks.contains(.recalled),
      state.evidence != .none
    {
      return
    }
    claimRevision(place)
    place.kinds.insert(kind)
    let isListed = before != nil && place.changed.contains { $0.row == id }
    if !isListed { place.changed.append((id, clientMsgID)) }
  }

  private func isHidden(_ row: MessageRow, _ marks: ConversationMarks) -> Bool {
    row.marks.isHidden || marks.clears(seq: row.seq, sendTime: row.sendTime, isPlaced: row.evidence > 0)
  }

  // MARK: Recalls

  func apply(_ recall: RecallFact) throws(StoreError) -> Outcome {
    if recall.clientMsgID.isEmpty, case .conversation(let key) = recall.target {
      // Named by seq alone.
      var amendments = Amendments()
      amendments.recall = recall.record
      let outcome = try amend(try touch(key), .seq(recall.record.seq), amendments, .recalled)
      return outcome == .advanced ? .recalled : outcome
    }
    let clientID = StoredID(recall.clientMsgID)
    let scope: RecallTable.Scope
    var rows: [Int64] = []
    switch recall.target {
    case .conversation(let key):
      scope = .init(conversation: try touch(key), sessionType: 0, sender: 0)
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
    return isSeen ? .recalled : isNews ? .orphaned : .merged
  }

  /// Marks a row that a new recall covers; false when it does not cover it.
  private func hide(_ id: Int64, _ clientMsgID: String, _ scope: RecallTable.Scope) throws(StoreError) -> Bool {
    guard let (_, stored) = try messages.load(id) else { return false }
    let place = try touch(number: stored.conversation)
    let about = RecallTable.Scope(conversation: place.id, sessionType: place.sessionType, sender: stored.sender)
    guard scope.covers(about) else { return false }
    let state = try stored.state(strings)
    let after = try row(state, place, stored.clientID)
    try messages.replace(id, stored, with: after)
    note(id, clientMsgID, before: (stored, state), after: after, state, place, .recalled)
    return true
  }
}
