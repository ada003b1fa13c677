import WeirStore

/// A part of the history, read in one snapshot.
public struct HistoryPage: Sendable {
  /// The transactions, in order. May be empty though something was scanned: those of the reader itself are left out.
  public let transactions: [HistoryTransaction]
  /// The position the page begins after.
  public let start: Int64
  /// The position after it: the last transaction that was scanned.
  public let end: HistoryToken
  /// Whether more was there already.
  public let isFull: Bool

  /// Number of rows changed.
  public var changeCount: Int { transactions.reduce(0) { $0 + $1.changes.count } }
}

/// Which page is to be read.
struct PageRequest: Sendable {
  let token: HistoryToken
  let filter: AuthorFilter
  /// The most transactions.
  let transactions: Int
  /// The changes after which the page ends with the transaction at hand.
  let changes: Int
}

extension History {
  /// The position after all that is recorded now.
  public func now() async throws(HistoryError) -> HistoryToken {
    try await read { (context) throws(StoreError) in
      try context.connection.snapshot { () throws(StoreError) in
        let head = try context.head()
        return try context.token(at: head)
      }
    }
  }

  /// Where a token kept elsewhere stands.
  public enum TokenStatus: Sendable, Hashable {
    /// It is of this store's past; so many transactions have come since.
    case valid(behind: Int64)
    /// What follows it was purged up to this transaction: rebuild.
    case expired(purgedThrough: Int64)
    /// Changes of these entities that follow it were not recorded, up to this transaction: rebuild. See ``HistoryGap``.
    case incomplete([String], through: Int64)
    /// It is of another store.
    case wrongStore
    /// The store was restored or lost its newest commits: what the token has seen was written anew.
    case rewritten
  }

  /// Looks where `token` stands.
  public func status(of token: HistoryToken) async throws(HistoryError) -> TokenStatus {
    try await read { (context) throws(StoreError) in
      try context.connection.snapshot { () throws(StoreError) in try context.status(of: token) }
    }
  }

  /// The page after `token`: at most as many transactions and, with the last of them, about as many changes as the
  /// options say. One transaction is never split, so a page holds at least the largest.
  ///
  /// - Throws: ``HistoryError`` of kind `expired`, `wrongStore`, `rewritten` or `store`.
  public func page(
    after token: HistoryToken, from filter: AuthorFilter, limit: Int? = nil
  ) async throws(HistoryError) -> HistoryPage {
    let request = request(after: token, from: filter, limit: limit)
    let result = try await read { (context) throws(StoreError) in try context.page(request) }
    return try result.get()
  }

  /// As ``page(after:from:limit:)`` asks.
  func request(after token: HistoryToken, from filter: AuthorFilter, limit: Int? = nil) -> PageRequest {
    PageRequest(
      token: token, filter: filter, transactions: min(max(1, limit ?? options.pageTransactions), 1 << 20),
      changes: options.pageChanges)
  }

  /// Runs `job` on the reader's thread.
  func read<Value: Sendable>(
    _ job: @escaping @Sendable (inout ReadingContext) throws(StoreError) -> Value
  ) async throws(HistoryError) -> Value {
    try demandFile()
    do throws(StoreError) {
      return try await reader.perform(job)
    } catch {
      throw HistoryError(error)
    }
  }
}

extension History.TokenStatus {
  /// Why nothing can be read after the token, if so.
  var fault: HistoryError? {
    switch self {
    case .valid: nil
    case .expired(let seq):
      HistoryError(.expired, "the history up to transaction \(seq) was purged; rebuild from the rows and begin anew")
    case .incomplete(let entities, let seq):
      HistoryError(
        .expired,
        "changes of \(entities.joined(separator: ", ")) before transaction \(seq) were not recorded: the table had lost its "
          + "triggers, as when it is made anew; rebuild from the rows and begin anew")
    case .wrongStore: HistoryError(.wrongStore, "the token is of another store; rebuild from the rows of this one")
    case .rewritten:
      HistoryError(.rewritten, "the store was restored or lost its newest commits; rebuild from the rows")
    }
  }
}

extension ReadingContext {
  /// A page, read in one snapshot.
  mutating func page(_ request: PageRequest) throws(StoreError) -> Result<HistoryPage, HistoryError> {
    try connection.snapshot { () throws(StoreError) in try pageInSnapshot(request) }
  }

  /// The same where a snapshot is open.
  mutating func pageInSnapshot(_ request: PageRequest) throws(StoreError) -> Result<HistoryPage, HistoryError> {
    let (start, state) = (request.token, try state())
    if let fault = try status(of: start, state).fault { return .failure(fault) }
    let (page, last, isFull) = try page(
      after: start.seq, filter: request.filter, transactions: request.transactions, changes: request.changes)
    let end = try last == start.seq ? start : token(at: last, state)
    return .success(HistoryPage(transactions: page, start: start.seq, end: end, isFull: isFull))
  }

  /// The position at a transaction.
  func token(at seq: Int64) throws(StoreError) -> HistoryToken { try token(at: seq, state()) }

  private func token(at seq: Int64, _ state: StoreState) throws(StoreError) -> HistoryToken {
    HistoryToken(store: state.uuid, epoch: state.epoch, seq: seq, nonce: try nonce(of: seq, state) ?? 0)
  }

  func status(of token: HistoryToken) throws(StoreError) -> History.TokenStatus { try status(of: token, state()) }

  private func status(of token: HistoryToken, _ state: StoreState) throws(StoreError) -> History.TokenStatus {
    if token.store != state.uuid { return .wrongStore }
    if token.epoch != state.epoch { return .rewritten }
    let head = try head()
    if token.seq > head { return .rewritten }
    if token.seq < state.purgedThrough { return .expired(purgedThrough: state.purgedThrough) }
    guard try nonce(of: token.seq, state) == token.nonce else { return .rewritten }
    if token.seq < state.gap { return .incomplete(try gapEntities(after: token.seq), through: state.gap) }
    return .valid(behind: head - token.seq)
  }
}
