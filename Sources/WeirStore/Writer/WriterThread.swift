import Synchronization

/// One thread that owns one connection, and a context (held statements, caches) made on it.
///
/// Jobs run one after another in the order of their arrival. Those that change the file come by ``commit(weight:durability:_:)``
/// and share transactions (group commit): what is pending, up to a weight of 256, becomes one transaction; when many
/// callers wait already, the thread gives further ones 2 ms to join. A caller is resumed after the COMMIT of its work.
/// Checkpoints run after the acknowledgements.
///
/// Memory: the context plus one closure per waiting caller. Cancelling a waiting caller does not undo its job.
public final class WriterThread<Context>: Sendable {
  /// The most weight of one transaction, unless a single job is heavier.
  static var groupWeight: Int { 256 }

  private enum Job: Sendable {
    case plain(@Sendable (inout Context) -> Void)
    case commit(CommitJob<Context>)
  }

  /// What the thread and its owner both see.
  private final class Shared: Sendable {
    let queue = JobQueue<Job>()
    let failedCheckpoints = Atomic<Int>(0)
    let transactions = Atomic<Int>(0)
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

  /// What the owner wants to hear of, always on the thread.
  public struct Events: Sendable {
    /// A transaction, or one job's part of it, was rolled back: what the context remembers of it is void.
    public var rolledBack: @Sendable (inout Context) -> Void
    /// A transaction was committed; its callers hear of it next.
    public var committed: @Sendable (inout Context) -> Void
    /// Everything committed is on the disk: after a checkpoint, or a commit with ``Durability/full``. Also told whether the
    /// file is about to be closed.
    public var settled: @Sendable (inout Context, Bool) -> Void
    /// No job has come for 10 ms: the moment for a small piece of work of its own, a transaction of a few milliseconds at
    /// most. Called again and again until a job comes or it says that there is nothing left. Nil where there is no such work.
    public var idle: (@Sendable (inout Context) -> IdleWork)?

    /// Handlers; by default nobody listens.
    public init(
      rolledBack: @escaping @Sendable (inout Context) -> Void = { _ in },
      committed: @escaping @Sendable (inout Context) -> Void = { _ in },
      settled: @escaping @Sendable (inout Context, Bool) -> Void = { _, _ in },
      idle: (@Sendable (inout Context) -> IdleWork)? = nil
    ) {
      self.rolledBack = rolledBack
      self.committed = committed
      self.settled = settled
      self.idle = idle
    }
  }

  /// Starts the thread, opens and prepares the file on it, and makes the context.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - schema: who owns the file and how its tables come to be.
  ///   - options: settings of the connection. With `FileAccess.readOnly` or `observe` the thread serves reads beside a writer.
  ///   - verify: looks at the file before anything in it is changed.
  ///   - isReady: whether nothing has to be written to open the file: then the lock of the options is not waited for. By default
  ///     that is not known.
  ///   - events: what the owner wants to hear of.
  ///   - makeContext: makes the context; runs on the thread, once.
  /// - Throws: `StoreError` as `Connection.init`, `verify`, `Schema.prepare` and `makeContext` throw it. No file is ever
  ///   deleted.
  public static func open(
    path: String, schema: Schema, options: ConnectionOptions = ConnectionOptions(),
    verify: @escaping @Sendable (Connection) throws(StoreError) -> Void = { _ in },
    isReady: @escaping @Sendable (Connection) throws(StoreError) -> Bool = { _ in false }, events: Events = Events(),
    makeContext: @escaping @Sendable (Connection) throws(StoreError) -> Context
  ) async throws(StoreError) -> WriterThread {
    let shared = Shared()
    var thread: DedicatedThread?
    let opened: Result<Void, StoreError> = await withCheckedContinuation { continuation in
      thread = DedicatedThread {
        let connection: Connection
        let context: Context
        do throws(StoreError) {
          connection = try Connection(path: path, options: options)
          try verify(connection)
          let lock = try isReady(connection) ? nil : options.writeLock
          lock?.take()
          defer { lock?.giveBack() }
          try schema.prepare(connection, access: options.access)
          context = try makeContext(connection)
        } catch {
          continuation.resume(returning: .failure(error))
          return
        }
        continuation.resume(returning: .success(()))
        run(connection, context, options, shared, events)
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
      let plain: @Sendable (inout Context) -> Void = { context in
        let result: Result<Value, StoreError>
        do throws(StoreError) {
          result = .success(try job(&context))
        } catch {
          result = .failure(error)
        }
        continuation.resume(returning: result)
      }
      if !shared.queue.submit(.plain(plain)) { continuation.resume(returning: .failure(Self.closed)) }
    }
    return try result.get()
  }

  /// Runs `job` inside a write transaction, which it may share with the jobs of other callers, and returns what it
  /// returns after the COMMIT. When the job throws, its own work is undone and that of the others stays.
  ///
  /// - Parameters:
  ///   - weight: how much of a transaction the job fills; 256 is a whole one.
  ///   - durability: how far the COMMIT must reach; the farthest of a transaction's jobs holds. Nil for the connection's.
  /// - Throws: what `job` or the transaction throws, or `StoreError` of kind `closed`.
  public func commit<Value: Sendable>(
    weight: Int = 1, durability: Durability? = nil,
    _ job: @escaping @Sendable (inout Context) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
      let commit = CommitJob(weight: weight, durability: durability, job, continuation)
      if !shared.queue.submit(.commit(commit)) { continuation.resume(returning: .failure(Self.closed)) }
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

  /// How many transactions have been committed by ``commit(weight:durability:_:)``.
  public var transactions: Int { shared.transactions.load(ordering: .relaxed) }

  private static var closed: StoreError { StoreError(.closed, "the store was closed before the call") }

  // MARK: On the thread

  private static func run(
    _ connection: Connection, _ context: consuming Context, _ options: ConnectionOptions, _ shared: Shared,
    _ events: Events
  ) {
    var context = context
    let writes = options.access.writes
    var checkpoints = CheckpointSchedule(options)
    var idle = IdleSchedule(hasWork: events.idle != nil)
    while true {
      let isIdleDue = writes && checkpoints.isIdleDue(connection.walPages)
      let pause = idle.wait ?? (isIdleDue ? CheckpointSchedule.idleMicroseconds : nil)
      switch shared.queue.next(within: pause) {
      case .job(.plain(let job)): job(&context)
      case .job(.commit(let first)):
        idle.committed()
        let group = gather(first, shared.queue)
        if GroupCommit.run(group, connection, &context, options, events) {
          shared.transactions.add(1, ordering: .relaxed)
        }
      case .timedOut where idle.wait != nil:
        options.writeLock?.take()
        idle.worked(events.idle?(&context) ?? .done)
        options.writeLock?.giveBack()
      case .timedOut:
        checkpoint(.passive)
        checkpoints.idled(at: connection.walPages)
        continue
      case .closed:
        if writes { checkpoint(.truncate) }
        return
      }
      if writes, let mode = checkpoints.due(connection.walPages) { checkpoint(mode) }
    }

    func checkpoint(_ mode: Connection.CheckpointMode) {
      options.writeLock?.take()
      defer { options.writeLock?.giveBack() }
      do throws(StoreError) {
        if try connection.checkpoint(mode) { events.settled(&context, mode == .truncate) }
      } catch {
        shared.failedCheckpoints.add(1, ordering: .relaxed)
      }
    }
  }

  /// The jobs of the next transaction: those that wait, and when they are many also those of the next 2 ms.
  private static func gather(_ first: CommitJob<Context>, _ queue: JobQueue<Job>) -> [CommitJob<Context>] {
    var group = [first]
    var weight = first.weight
    var mayWait = queue.count >= 8
    while weight < groupWeight {
      let next = queue.nextWaiting {
        if case .commit(let job) = $0 { weight + job.weight <= groupWeight } else { false }
      }
      if case .commit(let job)? = next {
        group.append(job)
        weight += job.weight
        continue
      }
      guard mayWait, queue.count == 0 else { break }
      mayWait = false
      if !queue.waitForJob(within: 2_000) { break }
    }
    return group
  }
}
