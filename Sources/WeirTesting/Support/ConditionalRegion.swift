import Synchronization

/// State under a lock on whose change tasks can wait: Hoare's conditional critical region.
///
/// A wait is an attempt: a closure that looks at the state and either takes what it came for, changing the state, or
/// returns nil and is tried again, first come first served, after every update. Attempts and updates run under the lock
/// and must not call foreign code; continuations are resumed after unlocking.
final class ConditionalRegion<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: UInt64
    /// Returns how to resume the waiter once its attempt has succeeded.
    let attempt: @Sendable (inout State) -> (@Sendable () -> Void)?
    let cancel: @Sendable () -> Void
  }

  private struct Contents: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0

    /// Tries the waiters in order until none succeeds, since one success may enable another.
    mutating func collectReady() -> [@Sendable () -> Void] {
      var resumptions: [@Sendable () -> Void] = []
      var index = 0
      while index < waiters.count {
        if let resume = waiters[index].attempt(&state) {
          resumptions.append(resume)
          waiters.remove(at: index)
          index = 0
        } else {
          index += 1
        }
      }
      return resumptions
    }
  }

  private let contents: Mutex<Contents>

  init(_ state: State) {
    contents = Mutex(Contents(state: state))
  }

  /// Changes or reads the state, then resumes every waiter whose attempt now succeeds.
  @discardableResult
  func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, resumptions) = contents.withLock { contents in
      let result = body(&contents.state)
      return (result, contents.collectReady())
    }
    for resume in resumptions { resume() }
    return result
  }

  /// Reads the state.
  func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
    contents.withLock { body($0.state) }
  }

  /// Waits until `attempt` returns a value.
  ///
  /// - Parameters:
  ///   - enter: changes the state once, in the same step as the first attempt.
  ///   - leave: undoes `enter` when the task is cancelled before an attempt has succeeded.
  /// - Throws: `CancellationError` as soon as the task is cancelled; a success that came first is returned.
  func wait<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    enter: @Sendable (inout State) -> Void = { _ in },
    leave: @escaping @Sendable (inout State) -> Void = { _ in },
    _ attempt: @escaping @Sendable (inout State) -> Result?
  ) async throws -> Result {
    let id = contents.withLock { contents in
      contents.lastID &+= 1
      return contents.lastID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
        let waiter = Waiter(
          id: id,
          attempt: { state in
            guard let result = attempt(&state) else { return nil }
            return { continuation.resume(returning: result) }
          },
          cancel: { continuation.resume(throwing: CancellationError()) })
        register(waiter, enter: enter)
      }
    } onCancel: {
      cancel(id: id, leave: leave)
    }
  }

  private func register(_ waiter: Waiter, enter: (inout State) -> Void) {
    let resumptions = contents.withLock { contents -> [@Sendable () -> Void] in
      // Asked under the lock: a cancellation that comes later finds the waiter registered.
      guard !Task.isCancelled else { return [waiter.cancel] }
      enter(&contents.state)
      contents.waiters.append(waiter)
      return contents.collectReady()
    }
    for resume in resumptions { resume() }
  }

  private func cancel(id: UInt64, leave: (inout State) -> Void) {
    let resumptions = contents.withLock { contents -> [@Sendable () -> Void] in
      guard let index = contents.waiters.firstIndex(where: { $0.id == id }) else { return [] }
      let waiter = contents.waiters.remove(at: index)
      leave(&contents.state)
      return [waiter.cancel] + contents.collectReady()
    }
    for resume in resumptions { resume() }
  }
}
