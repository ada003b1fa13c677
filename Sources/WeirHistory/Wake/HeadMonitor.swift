import Synchronization

/// Lets tasks wait until the history goes on. One slot: however often it moves meanwhile, a waiter is woken once.
///
/// Who waits says what it will read. Where the watcher is the one that hears of news, it reads that itself and hands it over with
/// the wake-up: a wake-up followed by a question to the reader's thread is two more changes of threads.
final class HeadMonitor: Sendable {
  /// Why a wait has ended.
  enum Awakening: Sendable {
    /// The history was closed or the task was cancelled.
    case ended
    /// There may be news: this page, where it was read already.
    case news(HistoryPage?)
  }

  /// Somebody who waits.
  struct Waiter: Sendable {
    fileprivate let continuation: CheckedContinuation<HistoryPage?, Never>
    /// What it will read.
    let request: PageRequest

    /// Lets it go on. To be called once.
    func resume(with page: HistoryPage?) { continuation.resume(returning: page) }
  }

  private struct State {
    var head: Int64 = -1
    var generation: UInt64 = 0
    var isClosed = false
    var nextWaiter: UInt64 = 0
    var waiting: [UInt64: Waiter] = [:]
    /// Whether the watcher hears every change of the files; it need not while nobody waits.
    var isWatched = false
    var poke: @Sendable () -> Void = {}
    /// Cancelled before they were stored.
    var cancelled: Set<UInt64> = []
  }

  private let state = Mutex(State())

  /// Whom to tell that somebody waits and the files are not watched.
  func setPoke(_ poke: @escaping @Sendable () -> Void) { state.withLock { $0.poke = poke } }

  /// Whether the watcher must hear every change: while somebody waits, and as long as it is told to go on. Whoever waits after
  /// it was told that it need not pokes it.
  func mustWatch(goingOn: Bool) -> Bool {
    state.withLock { state in
      state.isWatched = goingOn || !state.waiting.isEmpty
      return state.isWatched
    }
  }

  /// Whether somebody waits: the watcher looks more often then.
  var isWaitedFor: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Whether the history was closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Rises whenever something may be new. Read it before reading the history, and wait beyond it.
  var generation: UInt64 { state.withLock { $0.generation } }

  /// The last head that was told.
  var head: Int64 { state.withLock { $0.head } }

  /// The history has this head now.
  ///
  /// - Returns: those who waited, if it differs from what was told. Whoever calls has to resume them.
  func moved(to head: Int64) -> [Waiter] {
    claim { state in
      guard state.head != head else { return false }
      state.head = head
      return true
    }
  }

  /// A transaction was recorded, or the file is another one. Wakes those who wait, also where the head is what it was.
  func recorded(upTo head: Int64) {
    wake { state in
      state.head = head
      return true
    }
  }

  /// Lets everybody go, for good.
  func close() {
    wake { state in
      state.isClosed = true
      return true
    }
  }

  private func wake(_ change: (inout State) -> Bool) {
    for waiter in claim(change) { waiter.resume(with: nil) }
  }

  private func claim(_ change: (inout State) -> Bool) -> [Waiter] {
    state.withLock { state in
      guard change(&state) else { return [] }
      state.generation &+= 1
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
  }

  /// Waits until the generation is beyond `seen`, to read `request` then.
  func wait(beyond seen: UInt64, toRead request: PageRequest) async -> Awakening {
    let id = state.withLock { state in
      state.nextWaiter &+= 1
      return state.nextWaiter
    }
    let page: HistoryPage? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (goesOn, poke) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
          if state.isClosed || state.generation != seen || state.cancelled.remove(id) != nil { return (true, nil) }
          state.waiting[id] = Waiter(continuation: continuation, request: request)
          defer { state.isWatched = true }
          return (false, state.isWatched ? nil : state.poke)
        }
        poke?()
        if goesOn { continuation.resume(returning: nil) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiting.removeValue(forKey: id)
        if waiter == nil { state.cancelled.insert(id) }
        return waiter
      }
      waiter?.continuation.resume(returning: nil)
    }
    let isClosed = state.withLock { state in
      state.cancelled.remove(id)
      return state.isClosed
    }
    return isClosed || Task.isCancelled ? .ended : .news(page)
  }
}
