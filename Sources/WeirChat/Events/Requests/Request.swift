import Synchronization

/// How a call ended (receiving spec §3, kind 16).
public enum RequestOutcome<Value: Sendable>: Sendable {
  /// It did what it promises.
  case success(Value)
  /// It did not.
  case failure(ClientError)
  /// It was withdrawn before it ended. Not an error, and not to be shown as one.
  case cancelled

  /// The value; nil unless it is a success.
  public var value: Value? {
    if case .success(let value) = self { value } else { nil }
  }

  /// The error to show; nil for a success and for a cancellation.
  public var error: ClientError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension RequestOutcome: Equatable where Value: Equatable {}

/// A call that completes exactly once, whoever tries to complete it and however often (receiving spec §3, kind 16 and
/// invariant 15). Its completion goes to those who wait for it, not through a hub, where it could be merged.
///
/// Memory: the outcome, and one entry for each task that waits.
public final class Request<Value: Sendable>: Sendable {
  private struct State {
    var outcome: RequestOutcome<Value>?
    var waiting: [UInt64: CheckedContinuation<RequestOutcome<Value>?, Never>] = [:]
    var handlers: [@Sendable (RequestOutcome<Value>) -> Void] = []
    var nextWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A call that has not ended.
  public init() {}

  /// How it ended; nil while it has not.
  public var outcome: RequestOutcome<Value>? { state.withLock { $0.outcome } }

  /// Ends it, unless it has ended. Returns whether this was the end.
  @discardableResult
  public func complete(_ outcome: RequestOutcome<Value>) -> Bool {
    let told = state.withLock {
      state -> (
        [CheckedContinuation<RequestOutcome<Value>?, Never>], [@Sendable (RequestOutcome<Value>) -> Void]
      )? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { (state.waiting, state.handlers) = ([:], []) }
      return (Array(state.waiting.values), state.handlers)
    }
    guard let (waiting, handlers) = told else { return false }
    for continuation in waiting { continuation.resume(returning: outcome) }
    for handler in handlers { handler(outcome) }
    return true
  }

  /// Withdraws it. After its end this does nothing.
  @discardableResult
  public func cancel() -> Bool { complete(.cancelled) }

  /// Calls `handler` once with the outcome: when it ends, or now if it has. It runs where the end is told and must not
  /// wait; ``CompletionLine/deliver(_:to:)`` brings it to the main actor.
  public func onCompletion(_ handler: @escaping @Sendable (RequestOutcome<Value>) -> Void) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.handlers.append(handler) }
      return state.outcome
    }
    if let outcome { handler(outcome) }
  }

  /// Waits for the outcome; nil when the waiting task is cancelled. That ends the wait and not the call: what the call
  /// has done stays done.
  public func wait() async -> RequestOutcome<Value>? {
    let id = state.withLock { state in
      state.nextWaiter &+= 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now: RequestOutcome<Value>?? = state.withLock { state in
          if let outcome = state.outcome { return outcome }
          if Task.isCancelled { return .some(nil) }
          state.waiting[id] = continuation
          return nil
        }
        if let now { continuation.resume(returning: now) }
      }
    } onCancel: {
      let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
      continuation?.resume(returning: nil)
    }
  }
}
