/// An ordered, named pipeline of hooks between the decoder and the store.
///
/// Each hook sees the fact as the hooks before it left it. It says `goOn` (the next hook), `finish` (straight to the
/// store, skipping the rest) or `drop` (not stored, with a reason to count by). Hooks are synchronous, so they run in
/// the caller's thread and in order. A value: a copy taken by a running graph is not changed by later edits.
///
/// ```swift
/// var hooks = MergeHooks()
/// try hooks.append("no-bots") { fact in
///   fact.isFromBot ? .drop(reason: "bot") : .goOn(fact)
/// }
/// ```
public struct MergeHooks: Sendable {
  /// What a hook decides about a fact.
  public enum Verdict: Sendable, Equatable {
    /// The next hook takes this fact; after the last one the store does.
    case goOn(Fact)
    /// The store takes this fact; later hooks do not see it.
    case finish(Fact)
    /// Nobody takes it.
    case drop(reason: String)
  }

  /// What the pipeline decides about a fact.
  public enum Outcome: Sendable, Equatable {
    /// The store takes this fact.
    case pass(Fact)
    /// The fact was dropped by this hook.
    case dropped(hook: String, reason: String)
  }

  /// A hook: looks at a fact and decides. What it throws stops the fact and names the hook.
  public typealias Hook = @Sendable (Fact) throws -> Verdict

  private var hooks: [(name: String, run: Hook)] = []

  /// A pipeline without hooks: every fact passes.
  public init() {}

  /// The names, in the order in which the hooks run.
  public var names: [String] { hooks.map(\.name) }

  /// Adds a hook at the end.
  ///
  /// - Throws: `HookError.duplicateName`.
  public mutating func append(_ name: String, _ hook: @escaping Hook) throws(HookError) {
    try demandNew(name)
    hooks.append((name, hook))
  }

  /// Adds a hook before the one called `other`.
  ///
  /// - Throws: `HookError.duplicateName`, or `HookError.unknownHook` when there is no `other`: appending instead would
  ///   change the order the caller asked for.
  public mutating func insert(_ name: String, before other: String, _ hook: @escaping Hook) throws(HookError) {
    try demandNew(name)
    guard let index = hooks.firstIndex(where: { $0.name == other }) else { throw .unknownHook(name: other) }
    hooks.insert((name, hook), at: index)
  }

  /// Removes a hook; false when there is none of that name.
  @discardableResult
  public mutating func remove(_ name: String) -> Bool {
    guard let index = hooks.firstIndex(where: { $0.name == name }) else { return false }
    hooks.remove(at: index)
    return true
  }

  /// Removes every hook.
  public mutating func removeAll() {
    hooks.removeAll()
  }

  /// Takes a fact through the hooks.
  ///
  /// - Throws: `HookError.failed`, naming the hook that threw. The fact is then neither stored nor dropped; what becomes
  ///   of it is the caller's policy.
  public func apply(_ fact: Fact) throws(HookError) -> Outcome {
    var fact = fact
    for hook in hooks {
      let verdict: Verdict
      do {
        verdict = try hook.run(fact)
      } catch {
        throw .failed(name: hook.name, reason: String(describing: error))
      }
      switch verdict {
      case .goOn(let next): fact = next
      case .finish(let last): return .pass(last)
      case .drop(let reason): return .dropped(hook: hook.name, reason: reason)
      }
    }
    return .pass(fact)
  }

  private func demandNew(_ name: String) throws(HookError) {
    guard !hooks.contains(where: { $0.name == name }) else { throw .duplicateName(name: name) }
  }
}
