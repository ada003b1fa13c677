import Synchronization

/// One thread that owns one connection, and a context (held statements, caches) made on it.
///
/// Jobs run one after another in the order of their arrival, and a caller is resumed as soon as its own job has
/// returned, so a job that commits acknowledges durable work. Checkpoints run after the acknowledgement.
///
/// Memory: the context plus one closure per waiting caller. Cancelling a waiting caller does not undo its job.
public final class WriterThread<Context>: Sendable {
  private typealias Job = @Sendable (inout Context) -> Void

  /// What the thread and its owner both see.
  private final class Shared: Sendable {
    let queue = JobQueue<Job>()
    let failedCheckpoints = Atomic<Int>(0)
  }

  private let shared: Shared
  private let thread: DedicatedThread

  private init(shared: Shared, thread: DedicatedThread) {
    self.shared = shared
    self.thread = thread
  }

  deinit {
    // Without `close` nobody waits for the thread: it finishes the accepted jobs and goes.
    if shared.queue.close() { thread.detach() }
  }

  /// Starts the thread, opens and prepares the file on it, and makes the context.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - schema: who owns the file and how its tables come to be.
  ///   - options: settings of the connection. With `FileAccess.readOnly` the thread serves reads beside a writer.
  ///   - makeContext: makes the context; runs on the thread, once.
  /// - Throws: `StoreError` as `Connection.init`, `Schema.prepare` and `makeContext` throw it. No file is ever deleted.
  public static func open(
    path: String, schema: Schema, options: ConnectionOptions = ConnectionOptions(),
    makeContext: @escaping @Sendable (Connection) throws(StoreError) -> Context
  ) async throws(StoreError) -> WriterThread {
    let shared = Shared()
    var thread: DedicatedThread?
    let opened: Result<Void, StoreError> = await withCheckedContinuation { continuation in
      thread = DedicatedThread {
        run(path, schema, options, shared, makeContext) { continuation.resume(returning: $0) }
      }
      if thread == nil {
        continuation.resume(returning: .failure(StoreError(.outOfMemory, "the system refuses another thread")))
      }
    }
    guard let thread else { throw StoreError(.outOfMemory, "the system refuses another thread") }
    do {
      try opened.get()
    } catch {
      thread.join()
      throw error
    }
    return WriterThread(shared: shared, thread: thread)
  }

  /// Runs `job` on the thread and returns what it returns. A job that writes wraps its work in
  /// `Connection.transaction`; the call then returns after the COMMIT.
  ///
  /// - Throws: what `job` throws, or `StoreError` of kind `closed`.
  public func perform<Value: Sendable>(
    _ job: @escaping @Sendable (inout Context) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      let accepted = shared.queue.submit { context in
        let result: Result<Value, StoreError>
        do throws(StoreError) {
          result = .success(try job(&context))
        } catch {
          result = .failure(error)
        }
        continuation.resume(returning: result)
      }
      if !accepted { continuation.resume(returning: .failure(Self.closed)) }
    }
    return try result.get()
  }

  /// Finishes the jobs already accepted, folds the log into the file, closes it and joins the thread. Later calls of
  /// `perform` and `close` throw.
  ///
  /// - Throws: `StoreError` of kind `closed` when it was closed before.
  public func close() async throws(StoreError) {
    guard shared.queue.close() else { throw Self.closed }
    // A thread of its own waits, so that the shared pool does not.
    await withCheckedContinuation { continuation in
      let waiter = DedicatedThread { [thread] in
        thread.join()
        continuation.resume()
      }
      if let waiter {
        waiter.detach()
      } else {
        thread.join()
        continuation.resume()
      }
    }
  }

  /// How many checkpoints have failed (full disk, for example). Commits are not affected; the log grows meanwhile.
  public var failedCheckpoints: Int { shared.failedCheckpoints.load(ordering: .relaxed) }

  private static var closed: StoreError { StoreError(.closed, "the store was closed before the call") }

  private static func run(
    _ path: String, _ schema: Schema, _ options: ConnectionOptions, _ shared: Shared,
    _ makeContext: (Connection) throws(StoreError) -> Context, opened: (Result<Void, StoreError>) -> Void
  ) {
    let connection: Connection
    var context: Context
    do {
      connection = try Connection(path: path, options: options)
      try schema.prepare(connection, access: options.access)
      context = try makeContext(connection)
    } catch {
      opened(.failure(error))
      return
    }
    opened(.success(()))
    let writes = options.access != .readOnly
    var due = options.checkpointPages
    while let job = shared.queue.next() {
      job(&context)
      let pages = connection.walPages
      if pages < options.checkpointPages { due = options.checkpointPages }
      if writes && pages > due {
        checkpoint(connection, .passive, shared)
        // A reader or a full disk may keep the log long: try again a quarter later, not at every commit.
        due = pages + options.checkpointPages / 4
      }
    }
    if writes { checkpoint(connection, .truncate, shared) }
  }

  private static func checkpoint(_ connection: Connection, _ mode: Connection.CheckpointMode, _ shared: Shared) {
    do {
      try connection.checkpoint(mode)
    } catch {
      shared.failedCheckpoints.add(1, ordering: .relaxed)
    }
  }
}
