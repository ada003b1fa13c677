import Synchronization

/// Lets tasks wait until the history goes on. One slot: however often it moves meanwhile, a waiter is woken once.
final class HeadMonitor: Sendable {
  private struct State {
    var head: Int64 = -1
    var generation: UInt64 = 0
    var isClosed = false
    var nextWaiter: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    /// Cancelled before they were stored.
    var cancelled: Set<UInt64> = []
  }

  private let state = Mutex(State())
  /// Whether somebody waits: the watcher looks more often then.
  var isWaitedFor: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Whether the history was closed.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Rises whenever something may be new. Read it before reading the history, and wait beyond it.
  var generation: UInt64 { state.withLock { $0.generation } }

  /// The last head that was told.
  var head: Int64 { state.withLock { $0.head } }

  /// The history has this head now. Wakes those who wait, if it differs from what was told.
  func moved(to head: Int64) {
    wake { state in
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
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard change(&state) else { return [] }
      state.generation &+= 1
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until the generation is beyond `seen`.
  ///
  /// - Returns: false when the history was closed or the task was cancelled.
  func wait(beyond seen: UInt64) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter &+= 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state -> Bool in
          if state.isClosed || state.generation != seen || state.cancelled.remove(id) != nil { return true }
          state.waiting[id] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        let waiting = state.waiting.removeValue(forKey: id)
        if waiting == nil { state.cancelled.insert(id) }
        return waiting
      }
      waiting?.resume()
    }
    return state.withLock { state in
      state.cancelled.remove(id)
      return !state.isClosed
    } && !Task.isCancelled
  }
}
