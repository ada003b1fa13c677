import Synchronization
import Weir

/// Looks after the budgets of the calls in progress, with one timer for all of them: a timer for each call would live on until
/// its time, however short the call was.
///
/// Memory: one entry for each call in progress, and the timer, which ends when it finds no call. Where a call's time comes
/// before that of the timer, a new one takes its place, and the old one lives on as long as the clock keeps what was cancelled.
final class HookWatch: Sendable {
  private struct Call {
    let start: Duration
    /// When it is reported; nil where it is not, or not any more.
    var patience: Duration?
    /// When it is cancelled; nil where it is not, or not any more.
    var deadline: Duration?
    let slow: @Sendable (Duration) -> Void
    let cancel: @Sendable () -> Void
    var isPast = false

    var due: Duration? { [patience, deadline].compactMap { $0 }.min() }
  }

  private struct State {
    var calls: [UInt64: Call] = [:]
    var next: UInt64 = 0
    /// The timer, and when it goes off.
    var timer: (number: UInt64, due: Duration, task: Task<Void, Never>)?
    var timers: UInt64 = 0
  }

  private let clock: GraphClock
  private let state = Mutex(State())

  init(_ clock: GraphClock) { self.clock = clock }

  deinit { state.withLock { $0.timer?.task.cancel() } }

  /// Runs a hook within a budget.
  func run<Value: Sendable>(
    _ name: String, within budget: HookBudget, slow: @escaping @Sendable (Duration) -> Void,
    _ hook: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard budget.patience != nil || budget.deadline != nil else { return try await hook() }
    guard let deadline = budget.deadline else {
      // Nobody but the caller cancels it.
      let call = begin(budget, slow) {}
      defer { _ = end(call) }
      return try await hook()
    }
    let task = Task { try await hook() }
    let call = begin(budget, slow) { task.cancel() }
    // Its end is awaited also where its answer is too late.
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    if end(call) {
      throw HistoryError(.hookDeadline, "\(name) took more than \(deadline) and was cancelled; give it more time")
    }
    return try result.get()
  }

  private func begin(
    _ budget: HookBudget, _ slow: @escaping @Sendable (Duration) -> Void, _ cancel: @escaping @Sendable () -> Void
  ) -> UInt64 {
    let start = clock.now
    let deadline = budget.deadline
    // What is cancelled first need not be reported.
    let patience = budget.patience.flatMap { patience in deadline.map { patience < $0 } ?? true ? patience : nil }
    let call = Call(
      start: start, patience: patience.map { start + $0 }, deadline: deadline.map { start + $0 }, slow: slow,
      cancel: cancel)
    return state.withLock { state in
      state.next &+= 1
      state.calls[state.next] = call
      arm(&state, for: call.due)
      return state.next
    }
  }

  /// - Returns: whether the call was cancelled at its deadline.
  private func end(_ call: UInt64) -> Bool {
    state.withLock { $0.calls.removeValue(forKey: call)?.isPast ?? false }
  }

  /// Sees to it that a timer goes off by then.
  private func arm(_ state: inout State, for due: Duration?) {
    guard let due else { return }
    if let timer = state.timer {
      if timer.due <= due { return }
      timer.task.cancel()
    }
    state.timers &+= 1
    let number = state.timers
    let task = Task { [weak self, clock] in
      var next: Duration? = due
      while let due = next {
        guard (try? await clock.sleep(until: due)) != nil else { return }
        next = self?.look(number)
      }
    }
    state.timer = (number, due, task)
  }

  /// Does what is due now.
  ///
  /// - Returns: when this timer has to look again; nil where it need not.
  private func look(_ timer: UInt64) -> Duration? {
    let now = clock.now
    let (acts, next) = state.withLock { state -> ([@Sendable () -> Void], Duration?) in
      guard let current = state.timer, current.number == timer else { return ([], nil) }
      var acts: [@Sendable () -> Void] = []
      for (id, var call) in state.calls {
        if let patience = call.patience, patience <= now {
          call.patience = nil
          acts.append { [call] in call.slow(now - call.start) }
        }
        if let deadline = call.deadline, deadline <= now {
          call.deadline = nil
          call.isPast = true
          acts.append(call.cancel)
        }
        state.calls[id] = call
      }
      let next = state.calls.values.compactMap(\.due).min()
      state.timer = next.map { (timer, $0, current.task) }
      return (acts, next)
    }
    for act in acts { act() }
    return next
  }
}
