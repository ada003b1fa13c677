#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Jobs on their way from any task to one thread, first in, first out.
///
/// Not bounded by itself: every caller waits for its job, so it holds at most one job per waiting caller.
///
/// `@unchecked Sendable` because the mutable state (`jobs`, `head`, `isClosed`) is touched only between `lock` and
/// `unlock` of the one mutex, and the mutex and the condition have stable addresses for the whole life of the object.
final class JobQueue<Job: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [Job] = []
  private var head = 0
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Adds a job; false when the queue is closed, and the job is not taken.
  func submit(_ job: Job) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed else { return false }
    jobs.append(job)
    pthread_cond_signal(condition)
    return true
  }

  /// The next job, waiting for one; nil when the queue is closed and everything accepted has been handed out.
  func next() -> Job? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while head == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      head = 0
      if isClosed { return nil }
      pthread_cond_wait(condition, mutex)
    }
    let job = jobs[head]
    head += 1
    if head == 1_024 {
      jobs.removeFirst(head)
      head = 0
    }
    return job
  }

  /// Accepts no more jobs; true for the call that closed it.
  func close() -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let wasOpen = !isClosed
    isClosed = true
    pthread_cond_signal(condition)
    return wasOpen
  }
}
