import Synchronization

/// Wakes the timed nodes of a run at their deadlines.
///
/// One task of the run drives it. A sleep is started only for a deadline earlier than all that are being slept for, so
/// a node that moves its deadline later with every element (debounce) causes no new sleep.
///
/// Memory: one entry for each pending deadline; a node has at most one.
final class TimerService: Sendable {
  typealias Action = @Sendable () -> Void

  private struct State {
    var pending: [UInt64: (deadline: Duration, action: Action)] = [:]
    var nextID: UInt64 = 0
    /// Deadlines for which a sleep is under way.
    var sleeping: [Duration] = []
    var toSleep: [Duration] = []
    var driver: UnsafeContinuation<Void, Never>?
    var stopped = false
  }

  private let state = Mutex(State())
  let clock: GraphClock

  init(clock: GraphClock) { self.clock = clock }

  /// Runs `action` once, at `deadline` or soon after it, from the service's own task.
  /// - Returns: what to pass to ``cancel(_:)``.
  @discardableResult
  func schedule(at deadline: Duration, _ action: @escaping Action) -> UInt64 {
    let (id, driver) = state.withLock { state -> (UInt64, UnsafeContinuation<Void, Never>?) in
      state.nextID += 1
      state.pending[state.nextID] = (deadline, action)
      guard !state.stopped, state.sleeping.allSatisfy({ deadline < $0 }) else { return (state.nextID, nil) }
      state.sleeping.append(deadline)
      state.toSleep.append(deadline)
      let driver = state.driver
      state.driver = nil
      return (state.nextID, driver)
    }
    driver?.resume()
    return id
  }

  func cancel(_ id: UInt64) {
    _ = state.withLock { $0.pending.removeValue(forKey: id) }
  }

  func stop() {
    let driver = state.withLock { state in
      state.stopped = true
      state.pending = [:]
      let driver = state.driver
      state.driver = nil
      return driver
    }
    driver?.resume()
  }

  /// Drives the timers until ``stop()`` or cancellation.
  func run() async {
    await withDiscardingTaskGroup { group in
      while let deadlines = await nextSleeps() {
        for deadline in deadlines {
          group.addTask {
            try? await self.clock.sleep(until: deadline)
            if !Task.isCancelled { self.fire(after: deadline) }
          }
        }
      }
      group.cancelAll()
    }
  }

  private func nextSleeps() async -> [Duration]? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let ready = state.withLock { state in
          if state.stopped || !state.toSleep.isEmpty { return true }
          state.driver = continuation
          return false
        }
        if ready { continuation.resume() }
      }
    } onCancel: {
      stop()
    }
    return state.withLock { state in
      if state.stopped { return nil }
      let deadlines = state.toSleep
      state.toSleep = []
      return deadlines
    }
  }

  private func fire(after slept: Duration) {
    let now = clock.now
    let (actions, driver) = state.withLock { state -> ([Action], UnsafeContinuation<Void, Never>?) in
      if let index = state.sleeping.firstIndex(of: slept) { state.sleeping.remove(at: index) }
      let due = state.pending.filter { $0.value.deadline <= now }.sorted {
        ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
      }
      for (id, _) in due { state.pending.removeValue(forKey: id) }
      var driver: UnsafeContinuation<Void, Never>?
      if let next = state.pending.values.map(\.deadline).min(), state.sleeping.allSatisfy({ next < $0 }) {
        state.sleeping.append(next)
        state.toSleep.append(next)
        driver = state.driver
        state.driver = nil
      }
      return (due.map(\.value.action), driver)
    }
    driver?.resume()
    for action in actions { action() }
  }
}
