import Synchronization
import WeirStore

/// The projection of one account's facts in one SQLite file: one thread writes, a few read. One process may write a file
/// at a time (see `SQLiteLibrary.notices`); others may read it. A process may have any number of stores, one for each
/// account.
///
/// Memory: a page cache of 16 MiB to write and 4 MiB for each reader, at most 16,384 interned texts a connection, and the
/// facts of the calls that wait. File: about 145 bytes a message beyond its content as delivered.
public final class SQLiteMessageStore: MessageStore {
  /// Settings of a store.
  public struct Options: Sendable {
    /// How far a COMMIT reaches before it is acknowledged.
    public var durability: Durability
    /// The same for a transaction with facts that only this device knows (``Fact/isOnlyHere``).
    public var localDurability: Durability
    /// Whether the whole file is checked at open.
    public var quickCheck: Bool
    /// How many changes the log keeps at least.
    public var historyLimit: Int64
    /// How often the account has logged in: a store of an earlier epoch cannot commit once a later one has opened the file.
    public var accountEpoch: Int64
    /// Connections for queries.
    public var readers: Int
    /// How long a query may hold its view of the file, in milliseconds.
    public var readerAgeLimit: Int64
    /// How long a transaction waits for the lock of another process before it fails with `StoreError` of kind `busy`, in
    /// milliseconds.
    public var busyTimeoutMilliseconds: Int32
    /// Whether the store keeps an index for ``SQLiteMessageStore/search(_:)``.
    public var search: SearchChoice
    /// Whether the index is brought on whenever the writer has a pause; off only to look at it on the way.
    var indexesInPauses = true

    /// Settings of a store; the defaults suit messages that a server can deliver again.
    public init(
      durability: Durability = .normal, localDurability: Durability = .full, quickCheck: Bool = false,
      historyLimit: Int64 = 100_000,
      accountEpoch: Int64 = 0, readers: Int = 2, readerAgeLimit: Int64 = 2_000, busyTimeoutMilliseconds: Int32 = 5_000,
      search: SearchChoice = .asStored
    ) {
      self.durability = durability
      self.localDurability = localDurability
      self.quickCheck = quickCheck
      self.historyLimit = historyLimit
      self.accountEpoch = accountEpoch
      self.readers = readers
      self.readerAgeLimit = readerAgeLimit
      self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
      self.search = search
    }
  }

  /// The random identity of the file, made with it. 16 bytes.
  public let identity: [UInt8]
  let writer: WriterThread<ProjectionWriter>
  let readers: ReaderPool
  private let localDurability: Durability
  let total: LatestTotal

  private init(
    identity: [UInt8], writer: WriterThread<ProjectionWriter>, readers: ReaderPool, localDurability: Durability,
    total: LatestTotal
  ) {
    self.total = total
    self.localDurability = localDurability
    self.identity = identity
    self.writer = writer
    self.readers = readers
  }

  /// Opens the store of an account, making the file if there is none.
  ///
  /// - Throws: `StoreError`, for example of kind `foreignFile` (another application or account, or another file's log),
  ///   `newerFormat`, `staleEpoch`, `corrupt`, `cannotOpen`, `diskFull`. A file that is refused is left as it is.
  public static func open(
    path: String, account: String, options: Options = Options()
  ) async throws(StoreError) -> SQLiteMessageStore {
    let witness = StoreWitness(store: path)
    let total = LatestTotal()
    let writer = try await WriterThread<ProjectionWriter>.open(
      path: path, schema: ProjectionSchema.schema,
      options: ConnectionOptions(
        durability: options.durability, busyTimeoutMilliseconds: options.busyTimeoutMilliseconds,
        quickCheck: options.quickCheck),
      verify: { (connection) throws(StoreError) in try witness.verify(connection) },
      events: .init(
        rolledBack: { $0.forget() },
        committed: { total.set($0.total) },
        settled: { writer, isClosing in writer.testify(to: witness, isClosing: isClosing) },
        idle: { writer in options.indexesInPauses ? writer.indexInPause() : .never }),
      makeContext: { (connection) throws(StoreError) in
        let writer = try StoreError.fittingSchema { () throws(StoreError) in
          try ProjectionWriter(
            connection, account: account, epoch: options.accountEpoch, historyLimit: options.historyLimit)
        }
        try writer.prepareSearch(options.search)
        try witness.open(for: writer)
        total.set(writer.total)
        return writer
      })
    do {
      let readers = try await ReaderPool.open(
        path: path, account: account, count: options.readers, ageLimit: options.readerAgeLimit)
      let identity = try await readers.read { (reader) throws(StoreError) in try Meta.identity(reader.connection) }
      return SQLiteMessageStore(
        identity: identity.value, writer: writer, readers: readers, localDurability: options.localDurability,
        total: total)
    } catch {
      try await writer.close()
      throw error
    }
  }

  // MARK: Changes

  /// Stores the facts and their source's position in one transaction; see `MessageStore.apply`. Calls of several callers
  /// share a transaction.
  public func apply(
    _ facts: [Fact], checkpoints: [SourceCheckpoint]
  ) async throws(StoreError) -> CommitResult {
    let durability: Durability? = facts.contains { $0.isOnlyHere } ? localDurability : nil
    return try await writer.commit(weight: facts.count, durability: durability) { (writer) throws(StoreError) in
      try writer.change { (writer) throws(StoreError) in try writer.take(facts, checkpoints) }
    }
  }

  /// Hides private messages whose time has come at `now`, in milliseconds since 1970 (receiving spec D14). Call it from a
  /// clock; it never runs back.
  public func expire(now: Int64) async throws(StoreError) -> CommitResult {
    try await writer.commit { (writer) throws(StoreError) in
      try writer.change { (writer) throws(StoreError) in try writer.expire(now: now) }
    }
  }

  /// Turns attempts to send that were under way into failed ones. Call it once after the start, before anything is
  /// sent: what was under way when the process ended is under way no more (receiving spec §2.2).
  public func failInterruptedSends() async throws(StoreError) -> CommitResult {
    try await writer.commit(durability: localDurability) { (writer) throws(StoreError) in
      try writer.change { (writer) throws(StoreError) in try writer.failInterruptedSends() }
    }
  }

  /// How many checkpoints have failed since the store was opened; see `WriterThread.failedCheckpoints`.
  public var failedCheckpoints: Int { writer.failedCheckpoints }

  /// How many transactions have been committed since the store was opened. Calls share them.
  public var transactions: Int { writer.transactions }

  /// Finishes what was called before, folds the log into the file and closes it.
  public func close() async throws(StoreError) {
    total.set(nil)
    // The readers first, so that the writer can empty the log.
    try await readers.close()
    try await writer.close()
  }
}

/// The total of unread messages after the latest commit: asked for all the time, and one number.
final class LatestTotal: Sendable {
  private let total = Mutex<Snapshot<TotalUnread>?>(nil)

  func set(_ total: Snapshot<TotalUnread>?) { self.total.withLock { $0 = total } }

  /// - Throws: `StoreError` of kind `closed`.
  func get() throws(StoreError) -> Snapshot<TotalUnread> {
    guard let total = total.withLock({ $0 }) else { throw StoreError(.closed, "the store was closed before the call") }
    return total
  }
}
