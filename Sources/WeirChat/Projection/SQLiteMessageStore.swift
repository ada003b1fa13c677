import WeirStore

/// The projection of one account's facts in one SQLite file: one thread writes, one reads. One process may write a file
/// at a time (see `SQLiteLibrary.notices`); others may read it.
///
/// Memory: two page caches (16 MiB and 2 MiB by default), at most 16,384 interned texts a connection, and the facts of
/// the calls that wait. File: about 220 bytes a message beyond its content.
public final class SQLiteMessageStore: MessageStore {
  /// Settings of a store.
  public struct Options: Sendable {
    /// How far a COMMIT reaches before it is acknowledged.
    public var durability: Durability
    /// Whether the whole file is checked at open.
    public var quickCheck: Bool
    /// How many changes the log keeps at least.
    public var historyLimit: Int64

    /// Settings of a store; the defaults suit messages that a server can deliver again.
    public init(durability: Durability = .normal, quickCheck: Bool = false, historyLimit: Int64 = 100_000) {
      self.durability = durability
      self.quickCheck = quickCheck
      self.historyLimit = historyLimit
    }
  }

  /// The random identity of the file, made with it. 16 bytes.
  public let identity: [UInt8]
  private let writer: WriterThread<ProjectionWriter>
  private let reader: WriterThread<ProjectionReader>

  private init(
    identity: [UInt8], writer: WriterThread<ProjectionWriter>, reader: WriterThread<ProjectionReader>
  ) {
    self.identity = identity
    self.writer = writer
    self.reader = reader
  }

  /// Opens the store of an account, making the file if there is none.
  ///
  /// - Throws: `StoreError`, for example of kind `foreignFile` (another application or account), `newerFormat`,
  ///   `corrupt`, `cannotOpen`, `diskFull`. A file that is refused is left as it is.
  public static func open(
    path: String, account: String, options: Options = Options()
  ) async throws(StoreError) -> SQLiteMessageStore {
    let schema = ProjectionSchema.schema
    let writer = try await WriterThread.open(
      path: path, schema: schema,
      options: ConnectionOptions(durability: options.durability, quickCheck: options.quickCheck)
    ) { (connection) throws(StoreError) in
      try ProjectionWriter(connection, account: account, historyLimit: options.historyLimit)
    }
    do {
      let reader = try await WriterThread.open(path: path, schema: schema, options: .reader) {
        (connection) throws(StoreError) in
        try ProjectionReader(connection, account: account)
      }
      let identity = try await reader.perform { (reader) throws(StoreError) in try Meta.identity(reader.connection) }
      return SQLiteMessageStore(identity: identity, writer: writer, reader: reader)
    } catch {
      try await writer.close()
      throw error
    }
  }

  /// Stores the facts in one transaction; see `MessageStore.apply`.
  public func apply(_ facts: [Fact]) async throws(StoreError) -> CommitResult {
    try await writer.perform { (writer) throws(StoreError) in try writer.apply(facts) }
  }

  /// Conversations with the latest message first; see `MessageStore.conversations`.
  public func conversations(
    after position: ConversationPosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[ConversationSummary]> {
    try await read { (reader) throws(StoreError) in try reader.conversations(after: position, limit: limit) }
  }

  /// Sums over all conversations.
  public func totals() async throws(StoreError) -> Snapshot<Totals> {
    try await read { (reader) throws(StoreError) in try reader.totals() }
  }

  /// The messages of a conversation that are to be shown, newest first; see `MessageStore.messages`.
  public func messages(
    in conversationID: String, before position: MessagePosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[StoredMessage]> {
    try await read { (reader) throws(StoreError) in
      try reader.messages(in: conversationID, before: position, limit: limit)
    }
  }

  /// What changed since a revision; see `MessageStore.changes`.
  public func changes(since revision: Int64, limit: Int = 256) async throws(StoreError) -> Snapshot<ChangeLog> {
    try await read { (reader) throws(StoreError) in try reader.changes(since: revision, limit: limit) }
  }

  /// A hash over all content in the order of keys: equal for stores that were told the same facts, in whatever order and
  /// however often. Reads the whole file.
  public func contentHash() async throws(StoreError) -> Snapshot<Hash128> {
    try await read { (reader) throws(StoreError) in
      var hash = ContentHash(reader)
      return try hash.value()
    }
  }

  /// Recounts from the rows what the store keeps ready (unread numbers, last messages, totals, recall marks, the log)
  /// and tells what does not agree; empty when all does. Reads the whole file.
  public func audit() async throws(StoreError) -> Snapshot<[String]> {
    try await read { (reader) throws(StoreError) in try ProjectionAudit.findings(reader.connection) }
  }

  /// How many checkpoints have failed since the store was opened; see `WriterThread.failedCheckpoints`.
  public var failedCheckpoints: Int { writer.failedCheckpoints }

  /// Finishes what was called before, folds the log into the file and closes it.
  public func close() async throws(StoreError) {
    // The reader first, so that the writer can empty the log.
    try await reader.close()
    try await writer.close()
  }

  private func read<Value: Sendable>(
    _ query: @escaping @Sendable (ProjectionReader) throws(StoreError) -> Value
  ) async throws(StoreError) -> Snapshot<Value> {
    try await reader.perform { (reader) throws(StoreError) in try reader.snapshot(query) }
  }
}
