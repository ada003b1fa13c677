/// Why a simulated run failed, apart from errors thrown by the simulated code itself.
public enum SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The root task had not ended, no job was ready, and nothing could make one ready.
  case stalled(SimulationStall)

  /// More jobs ran than the limit allows: a livelock, or a limit too low. `now` is the virtual time reached.
  case stepLimitReached(seed: UInt64, limit: Int, now: Duration)

  /// External work named `pending` did not end within `waited` of real time.
  case externalWorkTimedOut(seed: UInt64, pending: [String], waited: Duration)

  /// The root task ended and left `sleepers` tasks asleep and the external work `pending` unfinished.
  case leftBehind(seed: UInt64, sleepers: Int, pending: [String])

  /// The environment variable `name` or the sweep itself asks for something impossible.
  case invalidSeeds(name: String, value: String)

  /// A stable word for the kind of failure.
  public var code: String {
    switch self {
    case .stalled: "simulation-stalled"
    case .stepLimitReached: "simulation-step-limit"
    case .externalWorkTimedOut: "simulation-external-timeout"
    case .leftBehind: "simulation-left-behind"
    case .invalidSeeds: "simulation-invalid-seeds"
    }
  }

  /// What went wrong and what to do.
  public var description: String {
    switch self {
    case .stalled(let stall):
      stall.description
    case .stepLimitReached(let seed, let limit, let now):
      """
      seed \(seed): still running after \(limit) steps, at virtual time \(now). Look for tasks that wake each other \
      for ever, or raise `stepLimit`.
      """
    case .externalWorkTimedOut(let seed, let pending, let waited):
      """
      seed \(seed): external work [\(pending.joined(separator: ", "))] did not end within \(waited) of real time. \
      Finish its token when the work is done, or raise `externalTimeout`.
      """
    case .leftBehind(let seed, let sleepers, let pending):
      """
      seed \(seed): the root task ended but left \(sleepers) sleeping task(s) and external work \
      [\(pending.joined(separator: ", "))]. Wait for what you start, or set `allowsLeftovers`.
      """
    case .invalidSeeds(let name, let value):
      "\(name) is \"\(value)\", which names no seed. Give a whole number, for a count one above zero."
    }
  }
}

/// What was known about a run when nothing could move it any more.
public struct SimulationStall: Equatable, Sendable, CustomStringConvertible {
  /// The seed of the run.
  public var seed: UInt64
  /// How many jobs had run.
  public var steps: Int
  /// The virtual time reached.
  public var now: Duration
  /// How many of the hanging tasks slept on the virtual clock: with manual time they wait for the test to move it.
  public var sleepers: Int
  /// How many tasks hung: each waits for a continuation that nobody resumed, or for another task that hangs.
  ///
  /// Counted by cancelling the root task after the stall and counting the tasks that stirred. When ``endedWhenCancelled`` is
  /// true this is every structured task that had to wake up to end; otherwise it is a lower bound, since tasks that
  /// ignore cancellation cannot be seen.
  public var hungTasks: Int
  /// Whether the root task ended once it was cancelled. If not, it and what it holds stays in memory.
  public var endedWhenCancelled: Bool
  /// How many jobs came from other threads.
  public var foreignEnqueues: Int

  /// What went wrong and what to do.
  public var description: String {
    let count = endedWhenCancelled ? "\(hungTasks)" : "at least \(hungTasks)"
    let ending =
      endedWhenCancelled ? "all ended when cancelled" : "cancelling did not end the root task, its memory is lost"
    var text = """
      seed \(seed): stalled after \(steps) steps at virtual time \(now): the root task has not ended, no job is ready, \
      \(count) task(s) hang (\(ending)). Look for a continuation that is lost or never resumed.
      """
    if sleepers > 0 {
      text += " \(sleepers) of them sleep on the virtual clock, which is manual: advance it."
    }
    if foreignEnqueues > 0 {
      text += """
         \(foreignEnqueues) job(s) came from other threads: announce such work with `externalWork`, or set \
        `stallPatience`.
        """
    } else {
      text += " Work in a plain `Task {}`, on the main actor or on another thread is not seen by the simulation."
    }
    return text
  }
}
