import Dispatch

@testable import Weir

/// Runs everything one job at a time on a queue of its own, counts jobs and tasks, and calls a hook whenever a job is
/// queued: inside whatever resumed it.
final class WatchingExecutor: TaskExecutor {
  private struct State {
    var jobs = 0
    var tasks: Set<String> = []
    var hook: (@Sendable () -> Void)?
  }

  private let state = TestMutex(State())
  private let queue = DispatchQueue(label: "watching executor")
  private let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  /// Number of jobs so far: a task has one for its start and one each time it goes on after a suspension.
  var jobs: Int { state.withLock { $0.jobs } }
  /// Number of different tasks so far.
  var tasks: Int { state.withLock { $0.tasks.count } }
  /// Whether the caller runs on this executor.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  /// Sets what is called for each job that is queued from now on.
  func watch(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.hook = hook } }

  func enqueue(_ job: consuming ExecutorJob) {
    // The text of a job names its task; jobs of the runtime itself, such as yields, have none.
    let task = job.description
    let ready = UnownedJob(job)
    let hook = state.withLock { state in
      state.jobs += 1
      if !task.contains("nil") { state.tasks.insert(task) }
      return state.hook
    }
    hook?()
    let identity = asUnownedTaskExecutor()
    queue.async { ready.runSynchronously(on: identity) }
  }
}
