import Dispatch

/// Threads of its own for tests whose tasks keep theirs: the pool's are few, and other tests want them.
final class ThreadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "weir.tests.threads", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let ready = UnownedJob(job)
    let identity = asUnownedTaskExecutor()
    queue.async { ready.runSynchronously(on: identity) }
  }
}
