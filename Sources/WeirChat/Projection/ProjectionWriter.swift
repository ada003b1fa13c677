import WeirStore

/// Applies facts to the tables, on the writer's thread.
///
/// Unread numbers and summaries are the result of comparing each touched row before and after its change, inside the
/// transaction: a redelivery changes no row and so no number. `ProjectionAudit` recounts them from the rows.
final class ProjectionWriter {
  /// The account whose view this is.
  let account: String
  /// The number of the own user id among the texts.
  let me: Int64
  let connection: Connection
  let strings: InternedStrings
  let conversations: ConversationTable
  let messages: MessageTable
  let counts: MessageCounts
  let recalls: RecallTable
  let targets: TargetTable
  let watermarks: WatermarkTable
  let readings: ReadingLookup
  let properties: PropertyTable
  let social: SocialTable
  let tasks: MediaTaskTable
  private let checkpoints: CheckpointTable
  private let log: ChangeLogTable
  let epoch: Int64
  /// Keeps the search index, where the store has one.
  var indexer: SearchIndexer?
  var touched: [Int64: ConversationState] = [:]
  private var order: [Int64] = []
  private var socialChanges: [SocialChange] = []
  private var taskChanges: [String] = []
  var result = CommitResult()
  var meta: Meta
  /// The revision that the witness has been told last.
  private var testified: Int64?
  private var testifiedAt: ContinuousClock.Instant?

  /// Prepares the statements; makes the store's one row of `meta` when the file is new, and claims the file for this
  /// epoch of the account.
  init(_ connection: Connection, account: String, epoch: Int64 = 0, historyLimit: Int64) throws(StoreError) {
    self.connection = connection
    self.account = account
    self.epoch = epoch
    strings = try InternedStrings(connection, writes: true)
    me = try Meta.create(connection, account: account, epoch: epoch, strings: strings)
    conversations = try ConversationTable(connection, writes: true)
    messages = try MessageTable(connection)
    counts = try MessageCounts(connection, me: me)
    recalls = try RecallTable(connection, strings: strings, writes: true)
    targets = try TargetTable(connection, strings: strings, writes: true)
    watermarks = try WatermarkTable(connection, writes: true)
    readings = ReadingLookup(watermarks: watermarks, strings: strings, account: account, me: me)
    properties = try PropertyTable(connection, writes: true)
    social = try SocialTable(connection, writes: true)
    tasks = try MediaTaskTable(connection, writes: true)
    checkpoints = try CheckpointTable(connection, writes: true)
    log = try ChangeLogTable(connection, limit: historyLimit)
    meta = try log.meta()
  }

  /// Stores the facts in one transaction.
  func apply(_ facts: [Fact]) throws(StoreError) -> CommitResult {
    do {
      return try connection.transaction { () throws(StoreError) in
        try change { (writer) throws(StoreError) in try writer.take(facts) }
      }
    } catch {
      forget()
      throw error
    }
  }

  /// One call's part of a transaction: what `body` does, and all that follows from it.
  func change(_ body: (ProjectionWriter) throws(StoreError) -> Void) throws(StoreError) -> CommitResult {
    touched.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    socialChanges.removeAll(keepingCapacity: true)
    taskChanges.removeAll(keepingCapacity: true)
    result = CommitResult()
    meta = try log.meta()
    guard meta.epoch == epoch else {
      throw StoreError(.staleEpoch, "the account is in epoch \(meta.epoch), this writer belongs to epoch \(epoch)")
    }
    try conversations.begin()
    try recalls.begin()
    try body(self)
    try finish()
    return result
  }

  /// Applies facts and notes the checkpoints that go with them.
  func take(_ facts: [Fact], _ positions: [SourceCheckpoint] = []) throws(StoreError) {
    for (index, fact) in facts.enumerated() {
      if let reason = fact.refusal(account: account) {
        result.rejected.append(.init(index: index, reason: reason))
      } else {
        count(try apply(fact))
      }
    }
    for position in positions { try checkpoints.save(position) }
  }

  /// Drops what is remembered, after a rollback: numbers given out inside it are gone with it.
  func forget() {
    strings.forget()
    conversations.forget()
    // The witness must never be told of a revision that was taken back.
    if let meta = try? log.meta() { self.meta = meta } else { testified = .max }
  }

  /// The total of unread messages after the latest commit, with its revision.
  var total: Snapshot<TotalUnread> {
    Snapshot(
      revision: meta.revision,
      value: TotalUnread(known: Int(clamping: meta.unreadTotal), unfetched: meta.unfetchedTotal))
  }

  /// Notes how far the store has got, once that is on the disk: at most once a second, since it costs a sync of its own,
  /// and when the file is closed.
  func testify(to witness: StoreWitness, isClosing: Bool) {
    let now = ContinuousClock.now
    guard testified ?? -1 < meta.revision, isClosing || testifiedAt.map({ now - $0 >= .seconds(1) }) ?? true,
      let identity = try? Meta.identity(connection)
    else { return }
    witness.write(identity: identity, revision: meta.revision)
    testified = meta.revision
    testifiedAt = now
  }

  /// What a fact came to, the more telling last.
  enum Outcome: Int {
    case merged
    case orphaned
    case advanced
    case inserted
    case recalled
  }

  private func count(_ outcome: Outcome) {
    switch outcome {
    case .merged: result.merged += 1
    case .orphaned: result.orphaned += 1
    case .advanced: result.advanced += 1
    case .inserted: result.inserted += 1
    case .recalled: result.recalled += 1
    }
  }

  private func apply(_ fact: Fact) throws(StoreError) -> Outcome {
    switch fact {
    case .message(let message): return try apply(message)
    case .recall(let recall): return try apply(recall)
    case .edit(let edit): return try apply(edit)
    case .delete(let delete): return try apply(delete)
    case .clear(let clear): return try apply(clear)
    case .read(let read): return try apply(read)
    case .send(let send): return try apply(send)
    case .seqs(let seqs): return try apply(seqs)
    case .conversation(let conversation): return try apply(conversation)
    case .local(let local): return try apply(local)
    case .social(let social):
      let news = try self.social.join(social)
      let change = SocialChange(scope: social.scope, scopeID: social.scopeID)
      if news.isChange, !socialChanges.contains(where: { $0.isSame(as: change) }) { socialChanges.append(change) }
      return news.isNews ? .advanced : .merged
    case .mediaTask(let task):
      guard try tasks.join(task) else { return .merged }
      if !taskChanges.contains(where: { $0.utf8Equals(task.taskID) }) { taskChanges.append(task.taskID) }
      return .advanced
    }
  }

  // MARK: Conversations

  func touch(_ key: String) throws(StoreError) -> Int64 {
    let id = try conversations.number(key)
    try touch(number: id)
    return id
  }

  @discardableResult
  func touch(number id: Int64) throws(StoreError) -> ConversationState {
    if let state = touched[id] { return state }
    let state = try conversations.load(id)
    touched[id] = state
    order.append(id)
    return state
  }

  /// The revision of this transaction's change of a conversation.
  @discardableResult
  func claimRevision(_ state: ConversationState) -> Int64 {
    if let revision = state.revision { return revision }
    meta.revision += 1
    state.revision = meta.revision
    return meta.revision
  }

  private func finish() throws(StoreError) {
    for id in order {
      if touched[id]?.mustBurn == true { try burn(id) }
      guard let state = touched[id] else { continue }
      if state.mustRecount {
        (state.summary.messageCount, state.summary.unread) = try counts.all(id, state.marks)
      }
      if state.mustFindLast || state.summary.pending > 0 || state.original.pending > 0 {
        try counts.findLast(state)
      }
      if state.marks != state.originalMarks { state.summary.unfetched = state.marks.unfetched.count }
      try publish(state)
      let (before, after) = (state.original.inTotal, state.summary.inTotal)
      meta.unreadTotal = meta.unreadTotal &+ (after.unread &- before.unread)
      meta.unfetchedTotal = meta.unfetchedTotal &+ (after.unfetched &- before.unfetched)
      if state.mustSave { try conversations.save(state) }
      conversations.remember(state)
    }
    try publishLists()
    result.changes.sort { $0.revision < $1.revision }
    result.revision = meta.revision
    try log.save(&meta)
  }

  private func publish(_ state: ConversationState) throws(StoreError) {
    var kinds = state.allKinds
    // Of a conversation that no list shows, only what is missing there can be of use.
    let isSeen = state.revision != nil || state.summary.isListed || state.original.isListed
    if !isSeen { kinds.formIntersection(.gaps) }
    guard !kinds.isEmpty else { return }
    let revision = claimRevision(state)
    try log.append(revision: revision, conversation: state.id, kinds: kinds, rows: state.changed.map(\.row))
    result.changes.append(
      ConversationChange(
        conversationID: state.key, revision: revision, kinds: kinds, clientMsgIDs: state.changed.map(\.clientMsgID)))
  }

  private func publishLists() throws(StoreError) {
    for change in socialChanges {
      meta.revision += 1
      try log.append(
        revision: meta.revision, conversation: 0, kinds: .social, rows: [change.scope.rawValue],
        subject: change.scopeID)
      result.changes.append(
        ConversationChange(
          conversationID: "", revision: meta.revision, kinds: .social, clientMsgIDs: [], social: change))
    }
    for task in taskChanges {
      meta.revision += 1
      try log.append(revision: meta.revision, conversation: 0, kinds: .media, rows: [], subject: task)
      result.changes.append(
        ConversationChange(
          conversationID: "", revision: meta.revision, kinds: .media, clientMsgIDs: [], mediaTaskID: task,
          mediaState: try tasks.task(task)?.state))
    }
  }
}
