/// The state of a simulated run: what is ready, who sleeps, what is awaited from outside, and what happens next.
///
/// A pure value: ``next()`` decides and returns an action, the executor that owns the lock carries it out. All choices come
/// from one generator, so the sequence of actions is a function of the seed and of the order in which work arrives.
///
/// Memory: one word a ready job, one entry a sleeper, waiter or piece of external work.
struct Schedule<Job, Waiter> {
  enum Action {
    /// Run this job.
    case run(Job)
    /// Resume these waiters, in this order.
    case wake([Waiter])
    /// Nothing can happen until another thread delivers something.
    case awaitExternal
    /// The root task has ended and no job is left.
    case ended
    /// The root task has not ended and nothing can ever happen.
    case blocked
  }

  private(set) var now: Duration = .zero
  private(set) var steps = 0
  private(set) var foreignEnqueues = 0
  private(set) var rootEnded = false
  var mode: VirtualClock.Mode
  /// The thread that runs the jobs, while there is one.
  var driver: ThreadIdentity?

  private var generator: SeededGenerator
  private var ready: [Job] = []
  private var sleepers = SleeperQueue<Waiter>()
  private var idleWaiters: [Waiter] = []
  private var external: [UInt64: String] = [:]
  private var lastID: UInt64 = 0
  private var isParked = false

  init(seed: UInt64, mode: VirtualClock.Mode) {
    generator = SeededGenerator(seed: seed)
    self.mode = mode
  }

  var readyCount: Int { ready.count }
  var sleeperCount: Int { sleepers.count }
  var nextDeadline: Duration? { sleepers.nextDeadline }
  /// The names of the external work under way, in the order it began.
  var externalNames: [String] { external.sorted { $0.key < $1.key }.map(\.value) }

  mutating func makeID() -> UInt64 {
    lastID &+= 1
    return lastID
  }

  /// Takes a job; returns whether a parked driver must be woken for it.
  mutating func enqueue(_ job: Job, from thread: ThreadIdentity) -> Bool {
    if let driver, driver != thread { foreignEnqueues += 1 }
    ready.append(job)
    return unpark()
  }

  /// Decides what happens next: a ready job; else those who waited for idleness; else, with no external work pending,
  /// the next deadline.
  mutating func next() -> Action {
    if !ready.isEmpty {
      let chosen = generator.index(below: ready.count)
      ready.swapAt(chosen, ready.count - 1)
      steps += 1
      return .run(ready.removeLast())
    }
    if rootEnded { return .ended }
    if !external.isEmpty { return .awaitExternal }
    if !idleWaiters.isEmpty {
      defer { idleWaiters.removeAll() }
      return .wake(idleWaiters)
    }
    if mode == .automatic, let deadline = sleepers.nextDeadline {
      return .wake(advance(to: deadline))
    }
    return .blocked
  }

  mutating func endRoot() {
    rootEnded = true
  }

  // MARK: Time

  mutating func addSleeper(id: UInt64, deadline: Duration, waiter: Waiter) {
    sleepers.insert(id: id, deadline: deadline, tieBreaker: generator.next(), waiter: waiter)
  }

  mutating func removeSleeper(id: UInt64) -> Waiter? {
    sleepers.remove(id: id)
  }

  /// Moves time forward, never back, and returns the sleepers it passed in waking order.
  mutating func advance(to instant: Duration) -> [Waiter] {
    now = max(now, instant)
    return sleepers.removeDue(at: now)
  }

  mutating func removeAllSleepers() -> [Waiter] {
    sleepers.removeAll()
  }

  mutating func addIdleWaiter(_ waiter: Waiter) {
    idleWaiters.append(waiter)
  }

  // MARK: External work

  mutating func beginExternal(named name: String) -> UInt64 {
    let id = makeID()
    external[id] = name
    return id
  }

  /// Ends a piece of external work; returns whether a parked driver must be woken. Ending twice does nothing.
  mutating func endExternal(id: UInt64) -> Bool {
    guard external.removeValue(forKey: id) != nil else { return false }
    return unpark()
  }

  // MARK: Parking of the driver

  /// Notes that the driver is about to wait; false when a job has come in meanwhile.
  mutating func park() -> Bool {
    guard ready.isEmpty else { return false }
    isParked = true
    return true
  }

  /// Ends the wait; true for exactly one caller, who then owes the driver one signal (or is the driver).
  mutating func unpark() -> Bool {
    defer { isParked = false }
    return isParked
  }
}
