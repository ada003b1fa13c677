import WeirStore

/// Reads the store of an account beside the process that writes it, on a read-only connection of its own.
///
/// It never writes to the file and never checkpoints it. Memory: one page cache of 2 MiB.
public final class ProjectionFollower: ProjectionReading {
  /// The account of the file.
  public let account: String
  /// The revision of the store when it was opened.
  public let openedAt: Int64
  private let reader: WriterThread<Context>

  private struct Context {
    let reader: ProjectionReader
    let dataVersion: Statement
  }

  private init(account: String, openedAt: Int64, reader: WriterThread<Context>) {
    self.account = account
    self.openedAt = openedAt
    self.reader = reader
  }

  /// Opens the file of a store that exists.
  /// - Parameters:
  ///   - path: the file.
  ///   - account: the account it must belong to; nil for any.
  ///   - leavesNoTrace: whether to make no file beside it, at the price that `FileAccess.observe` names.
  /// - Throws: `StoreError`, for example of kind `cannotOpen`, `foreignFile`, `newerFormat`, or `readOnly` when the
  ///   writer has not brought the file to the present format yet.
  public static func open(
    path: String, account: String? = nil, leavesNoTrace: Bool = false
  ) async throws(StoreError) -> ProjectionFollower {
    let options = leavesNoTrace ? ConnectionOptions.observer : .reader
    let reader = try await WriterThread.open(path: path, schema: ProjectionSchema.schema, options: options) {
      (connection) throws(StoreError) in
      let owner = try connection.prepare("SELECT account FROM meta").firstString()
      guard let account = account ?? owner else { throw StoreError(.corrupt, "\(path) has no meta row") }
      return Context(
        reader: try ProjectionReader(connection, account: account),
        dataVersion: try connection.prepare("PRAGMA data_version"))
    }
    do {
      let (account, revision) = try await reader.perform { (context) throws(StoreError) in
        (context.reader.account, try context.reader.snapshot(limit: nil) { _ in }.revision)
      }
      return ProjectionFollower(account: account, openedAt: revision, reader: reader)
    } catch {
      try await reader.close()
      throw error
    }
  }

  /// Conversations with the latest message first; see `ProjectionReading.conversations`.
  public func conversations(
    after position: ConversationPosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[ConversationSummary]> {
    try await snapshot { (view) throws(StoreError) in try view.conversations(after: position, limit: limit) }
  }

  /// Sums over all conversations.
  public func totals() async throws(StoreError) -> Snapshot<Totals> {
    try await snapshot { (view) throws(StoreError) in try view.totals() }
  }

  /// The messages of a conversation that are to be shown, newest first; see `ProjectionReading.messages`.
  public func messages(
    in conversationID: String, before position: MessagePosition? = nil, limit: Int = 50
  ) async throws(StoreError) -> Snapshot<[StoredMessage]> {
    try await snapshot { (view) throws(StoreError) in
      try view.messages(in: conversationID, before: position, limit: limit)
    }
  }

  /// What changed since a revision, oldest first.
  public func changes(since revision: Int64, limit: Int = 256) async throws(StoreError) -> Snapshot<ChangeLog> {
    try await perform { (context) throws(StoreError) in
      try context.reader.snapshot(limit: nil) { (reader) throws(StoreError) in
        try reader.changes(since: revision, limit: limit)
      }
    }
  }

  /// A number that differs after every commit of another connection. Costs a few microseconds, no query.
  public func dataVersion() async throws(StoreError) -> Int64 {
    try await perform { (context) throws(StoreError) in try context.dataVersion.firstInt64() ?? 0 }
  }

  /// Asks several questions of one snapshot, so that their answers agree.
  public func snapshot<Value: Sendable>(
    _ query: @escaping @Sendable (ProjectionView) throws(StoreError) -> Value
  ) async throws(StoreError) -> Snapshot<Value> {
    try await perform { (context) throws(StoreError) in
      try context.reader.snapshot(limit: nil) { (reader) throws(StoreError) in try query(ProjectionView(reader: reader))
      }
    }
  }

  /// Closes the file. Later calls throw `StoreError` of kind `closed`.
  public func close() async throws(StoreError) { try await reader.close() }

  private func perform<Value: Sendable>(
    _ job: @escaping @Sendable (Context) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    try await reader.perform { (context) throws(StoreError) in try job(context) }
  }
}

/// One snapshot of a projection. Good only inside the call that it was given to.
public struct ProjectionView {
  let reader: ProjectionReader

  /// Conversations with the latest message first; see `ProjectionReading.conversations`.
  public func conversations(
    after position: ConversationPosition? = nil, limit: Int = 50
  ) throws(StoreError) -> [ConversationSummary] {
    try reader.conversations(after: position, limit: limit)
  }

  /// Sums over all conversations.
  public func totals() throws(StoreError) -> Totals { try reader.totals() }

  /// The messages of a conversation that are to be shown, newest first; see `ProjectionReading.messages`.
  public func messages(
    in conversationID: String, before position: MessagePosition? = nil, limit: Int = 50
  ) throws(StoreError) -> [StoredMessage] {
    try reader.messages(in: conversationID, .before(position), limit: limit)
  }
}
