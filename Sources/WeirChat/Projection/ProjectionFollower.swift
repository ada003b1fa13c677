import Synchronization
import WeirStore

/// Reads the store of an account beside the process that writes it, on a read-only connection of its own.
///
/// When another file is put in the place of the one it reads, ``follow(into:every:clock:)`` opens that one and goes on.
/// It never writes to the file and never checkpoints it. Memory: one page cache of 4 MiB.
public final class ProjectionFollower: ProjectionReading {
  /// The account of the file.
  public let account: String
  /// The revision of the store when it was opened.
  public let openedAt: Int64
  /// Where the file stands.
  let path: String
  private let leavesNoTrace: Bool
  private let state: Mutex<State>

  private struct State {
    var reader: WriterThread<Context>
    var opening: Opening
    var isClosed = false
  }

  private struct Context {
    let reader: ProjectionReader
    let dataVersion: Statement
    let witness: StoreWitness.Note
  }

  /// Which file was opened, and how it stood then.
  struct Opening: Sendable {
    /// The file, from before it was opened.
    var standing: FileStanding?
    /// The identity of the store in it.
    var identity: [UInt8]
    /// Its revision.
    var revision: Int64
  }

  private init(
    path: String, leavesNoTrace: Bool, account: String, opening: Opening, reader: WriterThread<Context>
  ) {
    self.path = path
    self.leavesNoTrace = leavesNoTrace
    self.account = account
    openedAt = opening.revision
    state = Mutex(State(reader: reader, opening: opening))
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
    let (reader, owner, opening) = try await connect(path, account, leavesNoTrace)
    return ProjectionFollower(
      path: path, leavesNoTrace: leavesNoTrace, account: owner, opening: opening, reader: reader)
  }

  private static func connect(
    _ path: String, _ account: String?, _ leavesNoTrace: Bool
  ) async throws(StoreError) -> (reader: WriterThread<Context>, account: String, opening: Opening) {
    let options = leavesNoTrace ? ConnectionOptions.observer : .reader
    let standing = FileStanding(path: path)
    if let standing, standing.size == 0, FileStanding(path: path + "-wal")?.size ?? 0 == 0 {
      throw StoreError(.corrupt, "\(path) is empty: nothing was ever stored in it, or it was cut off")
    }
    let reader = try await WriterThread.open(path: path, schema: ProjectionSchema.schema, options: options) {
      (connection) throws(StoreError) in
      // Before any snapshot: what is noted was on the disk by then, so no snapshot may be behind it.
      let witness = StoreWitness(store: path).note()
      let owner = try connection.prepare("SELECT account FROM meta").firstString()
      guard let account = account ?? owner else { throw StoreError(.corrupt, "\(path) has no meta row") }
      return Context(
        reader: try StoreError.fittingSchema { () throws(StoreError) in
          try ProjectionReader(connection, account: account)
        },
        dataVersion: try connection.prepare("PRAGMA data_version"), witness: witness)
    }
    do {
      let (account, snapshot) = try await reader.perform { (context) throws(StoreError) in
        let snapshot = try context.reader.snapshot(limit: nil) { (reader) throws(StoreError) in
          try Meta.identity(reader.connection)
        }
        return (context.reader.account, snapshot)
      }
      return (reader, account, Opening(standing: standing, identity: snapshot.value, revision: snapshot.revision))
    } catch {
      try await reader.close()
      throw error
    }
  }

  /// Which file is read now.
  var opening: Opening { state.withLock { $0.opening } }

  /// Opens what stands under the name now, and reads that from now on. Queries that are under way end in the old file.
  func reopen() async throws(StoreError) -> Opening {
    let (reader, _, opening) = try await Self.connect(path, account, leavesNoTrace)
    let old = state.withLock { state -> WriterThread<Context>? in
      guard !state.isClosed else { return nil }
      defer { (state.reader, state.opening) = (reader, opening) }
      return state.reader
    }
    try await (old ?? reader).close()
    return opening
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
      try context.reader.snapshot(limit: nil) { (reader) throws(StoreError) in
        try query(ProjectionView(reader: reader, witness: context.witness))
      }
    }
  }

  /// What changed since a revision, and the identity of the store it changed in.
  func identifiedChanges(
    since revision: Int64, limit: Int
  ) async throws(StoreError) -> Snapshot<(log: ChangeLog, identity: [UInt8])> {
    try await perform { (context) throws(StoreError) in
      try context.reader.snapshot(limit: nil) { (reader) throws(StoreError) in
        (try reader.changes(since: revision, limit: limit), try Meta.identity(reader.connection))
      }
    }
  }

  /// Closes the file. Later calls throw `StoreError` of kind `closed`.
  public func close() async throws(StoreError) {
    let reader = state.withLock { state in
      state.isClosed = true
      return state.reader
    }
    try await reader.close()
  }

  private func perform<Value: Sendable>(
    _ job: @escaping @Sendable (Context) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let reader = state.withLock { $0.reader }
    do throws(StoreError) {
      return try await reader.perform { (context) throws(StoreError) in try job(context) }
    } catch {
      // The file may have been opened anew between the two lines above.
      let now = state.withLock { $0.reader }
      guard error.kind == .closed, now !== reader else { throw error }
      return try await now.perform { (context) throws(StoreError) in try job(context) }
    }
  }
}

/// One snapshot of a projection. Good only inside the call that it was given to.
public struct ProjectionView {
  let reader: ProjectionReader
  /// What was noted beside the file when it was opened.
  let witness: StoreWitness.Note

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
