import Foundation

/// A thread for every job, for tests whose tasks keep theirs: the threads of the pool are few, and other tests want them.
final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let ready = UnownedJob(job)
    let identity = asUnownedTaskExecutor()
    Thread.detachNewThread { ready.runSynchronously(on: identity) }
  }
}
