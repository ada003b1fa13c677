import Dispatch
import Synchronization

/// A task executor that runs everything on one thread, in an order fixed by a seed.
///
/// Ready jobs wait in a set from which the next is drawn by a ``SeededGenerator``: one seed is one interleaving. Nothing
/// runs until a driver does: use ``simulate(seed:options:fileID:function:_:)``, which starts the root task and drives it
/// on the calling thread.
///
/// What runs here: the root task, its child tasks (task groups, `async let`), default actors called from them, tasks made with
/// `Task(executorPreference:)`, and all their continuations and yields. What does not: a plain `Task {}` or
/// `Task.detached`, the main actor, and actors with executors of their own.
///
/// Jobs may be enqueued from any thread; those from other threads than the driver's make the order depend on real time, so
/// they are counted in ``SimulationReport/foreignEnqueues``.
public final class SeededExecutor: TaskExecutor {
  typealias Waiter = CheckedContinuation<Void, any Error>

  /// The seed that fixes the order.
  public let seed: UInt64

  let schedule: Mutex<Schedule<UnownedJob, Waiter>>
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Makes an executor with an empty queue and a clock at zero. Without a driver it runs nothing, hence not public.
  init(seed: UInt64, time: VirtualClock.Mode = .automatic) {
    self.seed = seed
    schedule = Mutex(Schedule(seed: seed, mode: time))
  }

  /// The clock whose sleepers live in this executor's queue.
  public var clock: VirtualClock { VirtualClock(executor: self) }

  /// Takes a job that is ready to run. Called by the runtime, from any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let ready = UnownedJob(job)
    let thread = ThreadIdentity.current
    if schedule.withLock({ $0.enqueue(ready, from: thread) }) { wakeUp.signal() }
  }

  // MARK: Time

  var now: Duration { schedule.withLock { $0.now } }
  var sleeperCount: Int { schedule.withLock { $0.sleeperCount } }
  var nextDeadline: Duration? { schedule.withLock { $0.nextDeadline } }

  func sleep(until deadline: Duration) async throws {
    let id = schedule.withLock { $0.makeID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: Waiter) in
        let isCancelled = schedule.withLock { schedule in
          // Asked under the lock: a cancellation that comes later finds the sleeper registered.
          guard !Task.isCancelled else { return true }
          schedule.addSleeper(id: id, deadline: deadline, waiter: waiter)
          return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      schedule.withLock { $0.removeSleeper(id: id) }?.resume(throwing: CancellationError())
    }
  }

  func advance(to instant: Duration) {
    for waiter in schedule.withLock({ $0.advance(to: instant) }) { waiter.resume() }
  }

  func cancelAllSleepers() {
    for waiter in schedule.withLock({ $0.removeAllSleepers() }) { waiter.resume(throwing: CancellationError()) }
  }

  /// Waits until no job is ready and no external work is pending, without moving time.
  func settle() async {
    // The waiter is only ever resumed normally, so there is no error to lose.
    try? await withCheckedThrowingContinuation { (waiter: Waiter) in
      schedule.withLock { $0.addIdleWaiter(waiter) }
    }
  }

  // MARK: External work

  func beginExternal(named name: String) -> UInt64 {
    schedule.withLock { $0.beginExternal(named: name) }
  }

  func endExternal(id: UInt64) {
    if schedule.withLock({ $0.endExternal(id: id) }) { wakeUp.signal() }
  }

  // MARK: Driving

  /// Waits until another thread brings a job or ends its work, at most `limit` of real time; false when nothing came.
  func park(atMost limit: Duration) -> Bool {
    guard schedule.withLock({ $0.park() }) else { return true }
    if wakeUp.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .success { return true }
    // Time is up, unless someone has already taken it on them to signal: then that signal is consumed here.
    if schedule.withLock({ $0.unpark() }) { return false }
    wakeUp.wait()
    return true
  }
}

extension Duration {
  /// This duration in nanoseconds, at least zero, capped at one year.
  fileprivate var wholeNanoseconds: Int {
    let year: Int128 = 365 * 24 * 3600 * 1_000_000_000
    return Int(Swift.min(Swift.max(attoseconds / 1_000_000_000, 0), year))
  }
}
