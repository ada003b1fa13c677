import WeirStore

/// Brings the index up to the rows, a small transaction at a time, on the writer's thread when that has nothing else
/// to do.
///
/// What has changed it learns from the durable log of changes, what is new from the numbers of the rows, so commits do
/// nothing for it. Each row is looked at as it is now and its entry made, replaced or removed: looking twice does no
/// harm, and the watermark moves in the same transaction, so a kill at any moment leaves nothing out. When the log has
/// been trimmed beyond the watermark, all rows are looked at again and only those that differ are written.
///
/// Memory: one batch of rows, and what SQLite holds of them until the COMMIT (1 MiB at most).
final class SearchIndexer {
  /// What one transaction may take.
  struct Budget {
    /// Rows to look at.
    var rows = 256
    /// Bytes of tokens to write.
    var bytes = 128 << 10
    /// Time to collect them in.
    var time = Duration.milliseconds(2)
  }

  private let connection: Connection
  private let account: String
  private let epoch: Int64
  private let strings: InternedStrings
  private let decoder: OpenIMCallbackDecoder
  private let messages: MessageTable
  private let documents: SearchDocumentTable
  private let standing: Statement
  private let greatest: Statement
  private let log: Statement
  private let next: Statement
  private let cleared: Statement
  private let clears: Statement
  private let save: Statement
  /// How far into a change that is too large for one transaction the work has got.
  private var partial: (revision: Int64, rows: Int, clear: ClearPlace?)?

  /// A place among the cleared rows of a conversation.
  private struct ClearPlace { var time, seq, row: Int64 }

  /// - Parameter epoch: the writer's; an indexer of an earlier one than the file's stops.
  init(_ connection: Connection, account: String, epoch: Int64, strings: InternedStrings) throws(StoreError) {
    (self.connection, self.account, self.epoch, self.strings) = (connection, account, epoch, strings)
    decoder = OpenIMCallbackDecoder(account: account)
    messages = try MessageTable(connection)
    documents = try SearchDocumentTable(connection)
    standing = try connection.prepare("SELECT revision, history_from, account_epoch FROM meta")
    greatest = try connection.prepare("SELECT max(id) FROM messages")
    log = try connection.prepare(
      "SELECT revision, conversation, kinds, messages FROM history WHERE revision > ?1 ORDER BY revision LIMIT 256")
    next = try connection.prepare(
      "SELECT id, \(MessageRow.columns) FROM messages WHERE id > ?1 ORDER BY id LIMIT ?2")
    clears = try connection.prepare("SELECT cleared_seq, cleared_time FROM conversations WHERE id = ?1")
    cleared = try connection.prepare(
      """
      SELECT m.send_time, m.seq, m.id FROM messages m CROSS JOIN search_docs d ON d.message = m.id
      WHERE m.conversation = ?1 AND (m.send_time, m.seq, m.id) > (?4, ?5, ?6)
      AND (m.seq > 0 AND m.seq <= ?2 OR m.send_time > 0 AND m.send_time <= ?3 AND m.evidence > 0)
      ORDER BY m.send_time, m.seq, m.id LIMIT ?7
      """)
    save = try connection.prepare("UPDATE search_state SET upto = ?1, revision = ?2")
  }

  /// Does one transaction's work; whether more is left.
  ///
  /// - Throws: `StoreError`; nothing of the transaction was kept then.
  func step(_ budget: Budget = Budget()) throws(StoreError) -> Bool {
    guard try isBehind(try SearchState(connection)) else { return false }
    // What is lost by a failure of power is indexed again.
    try connection.setDurability(.normal)
    do throws(StoreError) {
      return try connection.transaction { () throws(StoreError) -> Bool in
        var state = try SearchState(connection)
        let before = state
        try work(&state, Batch(budget))
        if state != before {
          save.bind(state.upTo, at: 1)
          save.bind(state.revision, at: 2)
          try save.run()
        }
        return try isBehind(state)
      }
    } catch {
      partial = nil
      throw error
    }
  }

  private func isBehind(_ state: SearchState) throws(StoreError) -> Bool {
    let (revision, last) = (try meta().revision, try greatest.firstInt64() ?? 0)
    return state.revision < revision || state.upTo < last
  }

  private func meta() throws(StoreError) -> (revision: Int64, from: Int64, epoch: Int64) {
    guard try standing.step() else { throw StoreError(.corrupt, "the meta row is gone") }
    defer { standing.reset() }
    return (standing.int64(0), standing.int64(1), standing.int64(2))
  }

  private func work(_ state: inout SearchState, _ batch: consuming Batch) throws(StoreError) {
    let meta = try meta()
    guard meta.epoch == epoch else {
      throw StoreError(.staleEpoch, "the account is in epoch \(meta.epoch), this writer belongs to epoch \(epoch)")
    }
    if state.revision < meta.from - 1 {
      (state.upTo, state.revision) = (0, meta.revision)
      partial = nil
    }
    try follow(&state, &batch)
    if state.revision == meta.revision { try walk(&state, &batch) }
    try documents.replace(batch.found)
  }

  // MARK: Changes

  private func follow(_ state: inout SearchState, _ batch: inout Batch) throws(StoreError) {
    log.bind(state.revision, at: 1)
    defer { log.reset() }
    while !batch.isFull, try log.step() {
      let revision = log.int64(0)
      let conversation = log.int64(1)
      var isWhole = true
      if conversation > 0, state.upTo > 0 {
        if partial?.revision != revision { partial = (revision, 0, nil) }
        isWhole = try takeRows(RowNumbers.unpack(log.bytes(3)), state.upTo, &batch)
        if isWhole, ChangeKinds(rawValue: log.int64(2)).contains(.cleared) {
          isWhole = try takeCleared(conversation, &batch)
        }
      }
      guard isWhole else { return }
      partial = nil
      state.revision = revision
    }
  }

  /// Whether all rows of the change have been taken.
  private func takeRows(_ rows: [Int64], _ upTo: Int64, _ batch: inout Batch) throws(StoreError) -> Bool {
    for (index, row) in rows.enumerated().dropFirst(partial?.rows ?? 0) {
      if batch.isFull {
        partial?.rows = index
        return false
      }
      // Later rows are met on the walk, as they are by then.
      guard row <= upTo else { continue }
      do throws(StoreError) {
        if let (_, stored) = try messages.load(row) { try take(row, stored, &batch) }
      } catch  where error.sqliteCode == nil && error.kind == .corrupt {
        batch.take(row, nil)
      }
    }
    partial?.rows = rows.count
    return true
  }

  /// Whether all rows that a clear covers have been taken.
  private func takeCleared(_ conversation: Int64, _ batch: inout Batch) throws(StoreError) -> Bool {
    let marks = try clears(of: conversation, &batch)
    var place = partial?.clear ?? ClearPlace(time: .min, seq: .min, row: .min)
    let limit = Int64(max(batch.budget.rows, 1))
    for (index, number) in [conversation, marks.seq, marks.time, place.time, place.seq, place.row, limit].enumerated() {
      cleared.bind(number, at: Int32(index) + 1)
    }
    defer { cleared.reset() }
    var count: Int64 = 0
    while try cleared.step() {
      place = ClearPlace(time: cleared.int64(0), seq: cleared.int64(1), row: cleared.int64(2))
      batch.take(place.row, nil)
      count += 1
    }
    partial?.clear = place
    return count < limit
  }

  // MARK: New rows

  private func walk(_ state: inout SearchState, _ batch: inout Batch) throws(StoreError) {
    next.bind(state.upTo, at: 1)
    next.bind(Int64(max(batch.budget.rows, 1)), at: 2)
    defer { next.reset() }
    while !batch.isFull, try next.step() {
      let id = next.int64(0)
      do throws(StoreError) {
        try take(id, try MessageRow(next, 1), &batch)
      } catch  where error.sqliteCode == nil && error.kind == .corrupt {
        // A row that does not match its checksum is not found; the rest is.
        batch.take(id, nil)
      }
      state.upTo = id
    }
  }

  private func take(_ id: Int64, _ row: MessageRow, _ batch: inout Batch) throws(StoreError) {
    let isCleared = try clears(of: row.conversation, &batch).cover(row)
    let found = isCleared ? nil : try SearchableRow(row, account: account, decoder: decoder, strings: strings)
    batch.take(id, found.flatMap { SearchDocument(id, row, $0) })
  }

  private func clears(of conversation: Int64, _ batch: inout Batch) throws(StoreError) -> SearchClears {
    if let known = batch.clears[conversation] { return known }
    clears.bind(conversation, at: 1)
    defer { clears.reset() }
    let marks = try clears.step() ? SearchClears(seq: clears.int64(0), time: clears.int64(1)) : SearchClears()
    batch.clears[conversation] = marks
    return marks
  }

  /// The rows of one transaction and what the index is to hold of them.
  private struct Batch {
    let budget: Budget
    private let deadline: ContinuousClock.Instant
    private(set) var found: [Int64: SearchDocument?] = [:]
    private var bytes = 0
    private var count = 0
    var clears: [Int64: SearchClears] = [:]

    init(_ budget: Budget) {
      self.budget = budget
      deadline = ContinuousClock.now + budget.time
    }

    /// Whether it holds enough. One row always fits, so that the work goes on however slow the machine is.
    var isFull: Bool {
      count > 0 && (count >= budget.rows || bytes >= budget.bytes || ContinuousClock.now >= deadline)
    }

    mutating func take(_ row: Int64, _ document: SearchDocument?) {
      found[row] = .some(document)
      count += 1
      bytes += document?.text.utf8.count ?? 0
    }
  }
}

/// How far a conversation is cleared.
struct SearchClears: Equatable {
  var seq: Int64 = 0
  var time: Int64 = 0

  func cover(_ row: MessageRow) -> Bool {
    row.seq > 0 && row.seq <= seq || row.sendTime > 0 && row.sendTime <= time && row.evidence > 0
  }
}

extension ProjectionWriter {
  /// Makes or drops the index as chosen.
  func prepareSearch(_ choice: SearchChoice) throws(StoreError) {
    guard try SearchTables.choose(choice, connection) else { return }
    indexer = try SearchIndexer(connection, account: account, epoch: epoch, strings: strings)
  }

  /// A piece of work on the index, if there is one.
  func indexInPause() -> IdleWork {
    guard let indexer else { return .never }
    do throws(StoreError) {
      return try indexer.step() ? .more : .done
    } catch {
      // A full disk may get better, and an earlier epoch will not: the rows that are not indexed are searched one by one.
      return error.isRetryable ? .failed : .done
    }
  }
}
