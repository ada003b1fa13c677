import Synchronization

/// Runs one root task to its end on the calling thread.
struct SimulationDriver {
  let executor: SeededExecutor
  let options: SimulationOptions

  /// How many further steps a failed run may take to unwind after its root task was cancelled.
  private static let unwindingSteps = 100_000

  private enum Ending {
    case ended
    case blocked
    case stepLimit
    case externalTimeout
  }

  /// Runs `body` and everything it starts; returns its value or throws its error, or a `SimulationError`.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (Simulation) async throws -> Value
  ) throws -> (value: Value, report: SimulationReport) {
    let executor = executor
    let outcome = Outcome<Value>()
    executor.schedule.withLock { $0.driver = .current }
    defer { executor.schedule.withLock { $0.driver = nil } }
    let root = Task(executorPreference: executor) {
      do {
        outcome.set(.success(try await body(Simulation(executor: executor))))
      } catch {
        outcome.set(.failure(error))
      }
      executor.schedule.withLock { $0.endRoot() }
    }
    switch drive(stepLimit: options.stepLimit, waitsForThreads: true) {
    case .ended:
      break
    case .blocked:
      throw SimulationError.stalled(describeStall(root: root))
    case .stepLimit:
      let now = executor.now
      unwind(root)
      throw SimulationError.stepLimitReached(seed: executor.seed, limit: options.stepLimit, now: now)
    case .externalTimeout:
      let pending = executor.schedule.withLock { $0.externalNames }
      unwind(root)
      throw SimulationError.externalWorkTimedOut(
        seed: executor.seed, pending: pending, waited: options.externalTimeout)
    }
    let report = makeReport()
    if report.leftoverSleepers > 0 { unwind(root) }
    guard let result = outcome.take() else {
      // The root ended, so it stored a result first; kept as an error rather than a trap.
      throw SimulationError.stalled(describeStall(root: root))
    }
    let value = try result.get()
    if !options.allowsLeftovers, report.leftoverSleepers > 0 || !report.leftoverExternalWork.isEmpty {
      throw SimulationError.leftBehind(
        seed: executor.seed, sleepers: report.leftoverSleepers, pending: report.leftoverExternalWork)
    }
    return (value, report)
  }

  /// Carries out what the schedule decides until it has nothing more to do or `stepLimit` jobs have run.
  private func drive(
    stepLimit: Int, waitsForThreads: Bool, ran: (UnownedJob) -> Void = { _ in }
  ) -> Ending {
    let identity = executor.asUnownedTaskExecutor()
    var steps = 0
    while true {
      switch executor.schedule.withLock({ $0.next() }) {
      case .run(let job):
        ran(job)
        job.runSynchronously(on: identity)
        steps += 1
        if steps >= stepLimit, executor.schedule.withLock({ !$0.rootEnded || $0.readyCount > 0 }) { return .stepLimit }
      case .wake(let waiters):
        for waiter in waiters { waiter.resume() }
      case .awaitExternal:
        guard waitsForThreads, executor.park(atMost: options.externalTimeout) else { return .externalTimeout }
      case .ended:
        return .ended
      case .blocked:
        guard waitsForThreads, options.stallPatience > .zero, executor.park(atMost: options.stallPatience) else {
          return .blocked
        }
      }
    }
  }

  /// Cancels whatever can be cancelled and lets it run out, so that a failed run leaves as little as possible behind.
  /// Returns the identities of the tasks that stirred.
  @discardableResult
  private func unwind(_ root: Task<Void, Never>) -> Set<String> {
    var stirred: Set<String> = []
    let executor = executor
    root.cancel()
    executor.cancelAllSleepers()
    executor.schedule.withLock { $0.mode = .manual }
    _ = drive(stepLimit: Self.unwindingSteps, waitsForThreads: false) { job in
      // Jobs of the runtime itself, such as yields, carry no task id.
      let name = job.description
      if !name.contains("nil") { stirred.insert(name) }
    }
    return stirred
  }

  private func describeStall(root: Task<Void, Never>) -> SimulationStall {
    let (steps, now, sleepers, foreign) = executor.schedule.withLock {
      ($0.steps, $0.now, $0.sleeperCount, $0.foreignEnqueues)
    }
    let stirred = unwind(root).count
    let ended = executor.schedule.withLock { $0.rootEnded }
    return SimulationStall(
      seed: executor.seed, steps: steps, now: now, sleepers: sleepers, hungTasks: ended ? stirred : max(1, stirred),
      endedWhenCancelled: ended, foreignEnqueues: foreign)
  }

  private func makeReport() -> SimulationReport {
    executor.schedule.withLock {
      SimulationReport(
        seed: executor.seed, steps: $0.steps, elapsed: $0.now, foreignEnqueues: $0.foreignEnqueues,
        leftoverSleepers: $0.sleeperCount, leftoverExternalWork: $0.externalNames)
    }
  }
}

/// Where the root task leaves its result.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  func set(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
  }

  func take() -> Result<Value, any Error>? {
    result.withLock { $0 }
  }
}
