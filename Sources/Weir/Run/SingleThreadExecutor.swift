#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs every task of a graph on one thread of its own.
///
/// Hand-overs between tasks then cost a queue operation instead of waking a thread: the way to the lowest latency of an
/// idle graph, and to graphs that must not compete for the cooperative pool. Work that burns time in one stage delays
/// all others; leave such graphs on the pool.
///
/// Pass it in ``RunOptions/executor``. Its thread ends when the last reference is gone and the last job is done.
public final class SingleThreadExecutor: TaskExecutor {
  /// What the thread and the enqueuers share. The thread holds it strongly, and the executor not at all.
  private final class Queue: @unchecked Sendable {
    // Safety: `jobs` and `isClosed` are used only between lock and unlock; the pthread objects have fixed addresses.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    @exclusivity(unchecked) private var jobs: [(job: UnownedJob, executor: SingleThreadExecutor)] = []
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var isWaiting = false

    init() {
      mutex = .allocate(capacity: 1)
      filled = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(filled, nil)
    }

    deinit {
      pthread_cond_destroy(filled)
      pthread_mutex_destroy(mutex)
      filled.deallocate()
      mutex.deallocate()
    }

    /// The executor stays alive until the job has run.
    func append(_ job: UnownedJob, for executor: SingleThreadExecutor) {
      pthread_mutex_lock(mutex)
      jobs.append((job, executor))
      let wake = isWaiting
      pthread_mutex_unlock(mutex)
      if wake { pthread_cond_signal(filled) }
    }

    func close() {
      pthread_mutex_lock(mutex)
      isClosed = true
      pthread_mutex_unlock(mutex)
      pthread_cond_signal(filled)
    }

    func run() {
      var batch: [(job: UnownedJob, executor: SingleThreadExecutor)] = []
      while true {
        pthread_mutex_lock(mutex)
        while jobs.isEmpty && !isClosed {
          isWaiting = true
          pthread_cond_wait(filled, mutex)
        }
        isWaiting = false
        swap(&batch, &jobs)
        let over = batch.isEmpty && isClosed
        pthread_mutex_unlock(mutex)
        if over { return }
        for entry in batch { entry.job.runSynchronously(on: entry.executor.asUnownedTaskExecutor()) }
        batch.removeAll(keepingCapacity: true)
      }
    }
  }

  private let queue = Queue()

  /// Starts the thread.
  public init() {
    let context = Unmanaged.passRetained(queue)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = pthread_create(
      &thread, nil,
      { context in
        #if canImport(Darwin)
          let pointer: UnsafeMutableRawPointer? = context
        #else
          let pointer = context
        #endif
        if let pointer { Unmanaged<Queue>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    if status == 0 {
      #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
      #else
        pthread_detach(thread)
      #endif
    } else {
      context.release()
      isBroken = true
    }
  }

  /// No thread could be had: jobs run on the pool instead.
  private nonisolated(unsafe) var isBroken = false  // written once, in init, before the executor is shared

  deinit { queue.close() }

  /// Queues a job for the thread. Called by the runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isBroken {
      globalConcurrentExecutor.enqueue(job)
    } else {
      queue.append(job, for: self)
    }
  }
}
