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
}
