import Synchronization
import Weir

/// Wakes one task that waits; a ring while nobody waits is kept.
final class Bell: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring() {
    state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state.waiter = nil }
      state.isRung = state.waiter == nil
      return state.waiter
    }?.resume()
  }

  /// Waits for a ring; also returns when the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = state.withLock { state in
          if state.isRung || Task.isCancelled {
            state.isRung = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
  }

  /// Waits for a ring or a time, whichever is first.
  func wait(until time: Duration?, _ clock: GraphClock) async {
    guard let time else { return await wait() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask { try? await clock.sleep(until: time) }
      await group.next()
      group.cancelAll()
    }
  }
}
