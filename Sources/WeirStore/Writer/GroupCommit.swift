/// One caller's part of a shared transaction.
struct CommitJob<Context>: Sendable {
  let weight: Int
  let durability: Durability?
  /// Does the work inside the transaction and keeps its value.
  let work: @Sendable (inout Context) -> StoreError?
  /// Resumes the caller: nil when the transaction was committed.
  let finish: @Sendable (StoreError?) -> Void

  init<Value: Sendable>(
    weight: Int, durability: Durability?, _ job: @escaping @Sendable (inout Context) throws(StoreError) -> Value,
    _ continuation: CheckedContinuation<Result<Value, StoreError>, Never>
  ) {
    self.weight = max(weight, 1)
    self.durability = durability
    let outcome = JobOutcome<Value>()
    work = { context in
      do throws(StoreError) {
        outcome.set(.success(try job(&context)))
        return nil
      } catch {
        outcome.set(.failure(error))
        return error
      }
    }
    finish = { error in
      let result = error.map { Result<Value, StoreError>.failure($0) } ?? outcome.result
      continuation.resume(returning: result)
    }
  }
}

/// What a job came to, between its work and its caller.
///
/// `@unchecked Sendable` because only the writer's thread touches it: it sets the result and reads it afterwards.
private final class JobOutcome<Value: Sendable>: @unchecked Sendable {
  private(set) var result: Result<Value, StoreError> = .failure(StoreError(.unexpected, "the job has not run"))
  func set(_ result: Result<Value, StoreError>) { self.result = result }
}

/// Runs jobs in one transaction and resumes their callers after its COMMIT.
enum GroupCommit {
  /// Whether a transaction was committed.
  ///
  /// The lock is held for the transaction and no longer: a caller may stop its process as soon as it is resumed, and others must
  /// be able to write then.
  static func run<Context>(
    _ jobs: [CommitJob<Context>], _ connection: Connection, _ context: inout Context, _ options: ConnectionOptions,
    _ events: WriterThread<Context>.Events
  ) -> Bool {
    let standard = options.durability
    var failures = [StoreError?](repeating: nil, count: jobs.count)
    let isFull = jobs.contains { ($0.durability ?? standard) == .full }
    options.writeLock?.take()
    do throws(StoreError) {
      defer { options.writeLock?.giveBack() }
      try connection.setDurability(isFull ? .full : .normal)
      try connection.transaction { () throws(StoreError) in
        for (index, job) in jobs.enumerated() {
          let undo = jobs.count > 1
          if undo { try connection.execute("SAVEPOINT job") }
          guard let failure = job.work(&context) else {
            if undo { try connection.execute("RELEASE job") }
            continue
          }
          // When the disk is full SQLite may have taken the whole transaction back.
          guard undo, connection.isInTransaction else { throw failure }
          try connection.execute("ROLLBACK TO job")
          try connection.execute("RELEASE job")
          events.rolledBack(&context)
          failures[index] = failure
        }
      }
    } catch {
      events.rolledBack(&context)
      for job in jobs { job.finish(error) }
      return false
    }
    events.committed(&context)
    // Everything is acknowledged before anything else is done.
    for (index, job) in jobs.enumerated() { job.finish(failures[index]) }
    if isFull { events.settled(&context, false) }
    return true
  }
}
