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
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      // A clock that is never set, so that a wait cannot become long when somebody sets the time.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
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

  /// What a wait for a job came to.
  enum Next {
    /// The next job.
    case job(Job)
    /// None came in time.
    case timedOut
    /// The queue is closed and everything accepted has been handed out.
    case closed
  }

  /// The next job, waiting for one, at most `microseconds` (nil for as long as it takes).
  func next(within microseconds: Int64? = nil) -> Next {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if head == jobs.count && !isClosed { poll() }
    let deadline = microseconds.map { Self.deadline(in: $0) }
    while head == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      head = 0
      if isClosed { return .closed }
      if !wait(deadline) { return .timedOut }
    }
    return .job(take())
  }

  /// Looks for a job for some 20 microseconds before the thread goes to sleep. A caller that stores one thing after the
  /// other comes back within them, and to wake a sleeping thread takes longer.
  private func poll() {
    let end = Self.now() &+ 20_000
    while head == jobs.count, !isClosed, Self.now() < end {
      pthread_mutex_unlock(mutex)
      sched_yield()
      pthread_mutex_lock(mutex)
    }
  }

  /// Nanoseconds of a clock that never runs back.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The next job if it is there already and `isWanted`; nil otherwise.
  func nextWaiting(where isWanted: (Job) -> Bool) -> Job? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard head < jobs.count, isWanted(jobs[head]) else { return nil }
    return take()
  }

  /// Waits at most `microseconds` for a job to be there. False when none came.
  func waitForJob(within microseconds: Int64) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let deadline = Self.deadline(in: microseconds)
    while head == jobs.count {
      if isClosed || !wait(deadline) { return false }
    }
    return true
  }

  /// How many jobs wait.
  var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return jobs.count - head
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

  private func take() -> Job {
    let job = jobs[head]
    head += 1
    if head == 1_024 {
      jobs.removeFirst(head)
      head = 0
    }
    return job
  }

  /// Waits for a signal; false when the deadline has passed.
  private func wait(_ deadline: timespec?) -> Bool {
    guard var deadline else {
      pthread_cond_wait(condition, mutex)
      return true
    }
    #if canImport(Darwin)
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      var rest = timespec(tv_sec: deadline.tv_sec - now.tv_sec, tv_nsec: deadline.tv_nsec - now.tv_nsec)
      if rest.tv_nsec < 0 { (rest.tv_sec, rest.tv_nsec) = (rest.tv_sec - 1, rest.tv_nsec + 1_000_000_000) }
      if rest.tv_sec < 0 { return false }
      return pthread_cond_timedwait_relative_np(condition, mutex, &rest) == 0
    #else
      return pthread_cond_timedwait(condition, mutex, &deadline) == 0
    #endif
  }

  private static func deadline(in microseconds: Int64) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = Int64(time.tv_nsec) + max(microseconds, 0) % 1_000_000 * 1_000
    time.tv_sec += Int(max(microseconds, 0) / 1_000_000 + nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    return time
  }
}
