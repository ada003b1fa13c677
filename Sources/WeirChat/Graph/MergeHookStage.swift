import Weir

/// Takes facts through a pipeline of merge hooks in a graph.
///
/// - Emits when: the hooks pass a fact on, as the last of them left it.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: `HookError.failed`, naming the hook that threw; supervision decides what becomes of the fact.
public struct MergeHookStage: Stage {
  private let hooks: MergeHooks
  private let onDrop: (@Sendable (Fact, _ hook: String, _ reason: String) -> Void)?

  /// Runs `hooks`; `onDrop` hears of the facts that a hook drops, which count as filtered in the graph.
  public init(
    _ hooks: MergeHooks, onDrop: (@Sendable (Fact, _ hook: String, _ reason: String) -> Void)? = nil
  ) {
    self.hooks = hooks
    self.onDrop = onDrop
  }

  public mutating func process(_ fact: Fact, _ emit: (Fact) -> Void) throws(HookError) {
    switch try hooks.apply(fact) {
    case .pass(let fact): emit(fact)
    case .dropped(let hook, let reason): onDrop?(fact, hook, reason)
    }
  }
}
