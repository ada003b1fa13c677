import Weir

/// How long a hook may take.
public struct HookBudget: Sendable, Hashable {
  /// After this it is reported as slow, while it still runs; nil for never.
  public var patience: Duration?
  /// After this it is cancelled, and what it was to decide counts as failed; nil for never. A hook that does not heed the
  /// cancellation is waited for all the same: nothing can be told of what it still does.
  public var deadline: Duration?

  /// By default a hook is reported after five seconds and never cancelled.
  public init(patience: Duration? = .seconds(5), deadline: Duration? = nil) {
    self.patience = patience?.forSleeping
    self.deadline = deadline?.forSleeping
  }

  /// No report and no end.
  public static var unlimited: HookBudget { HookBudget(patience: nil) }

  /// Runs a hook within the budget.
  func run<Value: Sendable>(
    _ name: String, clock: GraphClock, slow: @escaping @Sendable (Duration) -> Void,
    _ hook: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard patience != nil || deadline != nil else { return try await hook() }
    let start = clock.now
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await hook() }
      group.addTask {
        if let patience, deadline.map({ patience < $0 }) ?? true {
          try await clock.sleep(until: start + patience)
          slow(clock.now - start)
        }
        guard let deadline else { return nil }
        try await clock.sleep(until: start + deadline)
        throw HistoryError(.hookDeadline, "\(name) took more than \(deadline) and was cancelled; give it more time")
      }
      defer { group.cancelAll() }
      while let result = await group.nextResult() {
        // The watch ends without a value; the hook has one, or has failed.
        switch result {
        case .success(let value?): return value
        case .success(nil): continue
        case .failure(let error):
          group.cancelAll()
          // The hook's end is awaited, its answer is too late.
          while await group.nextResult() != nil {}
          throw error
        }
      }
      throw CancellationError()
    }
  }
}
