import Synchronization
import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Merge hooks, asked one after another what is to become of a batch. They decide and write nothing themselves: what they
/// want is a plan, carried out with the move of the position in one transaction, so that no lock is held while they think.
///
/// As a node of a graph it turns batches into plans.
/// - Emits when: the hooks have decided of a batch.
/// - Waits when: a hook does.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one batch.
/// - Errors: none; a hook that throws fails the batch, which its source repeats.
public final class HistoryMergeHooks: AsyncStage {
  /// A hook.
  public typealias Hook = @Sendable (MergeHookInput) async throws -> MergeDecision

  private struct Entry: Sendable {
    let id: UUID
    let name: String
    let budget: HookBudget
    let hook: Hook
  }

  private let entries = Mutex<[Entry]>([])
  private let watch: HookWatch
  private let report: @Sendable (HistoryEvent) -> Void
  private let targets: [String]

  /// - Parameters:
  ///   - targets: names of what the default merge serves, for the hooks to know.
  ///   - clock: measures the budgets.
  ///   - report: hears what the hooks decide and which are slow.
  public init(
    targets: [String] = [], clock: GraphClock = .continuous,
    report: @escaping @Sendable (HistoryEvent) -> Void = { _ in }
  ) {
    self.targets = targets
    watch = HookWatch(clock)
    self.report = report
  }

  /// Registers a hook behind all others.
  ///
  /// - Returns: what it is removed by, or others are put before.
  @discardableResult
  public func register(name: String = "merge hook", budget: HookBudget = HookBudget(), _ hook: @escaping Hook) -> UUID {
    let entry = Entry(id: UUID(), name: name, budget: budget, hook: hook)
    entries.withLock { $0.append(entry) }
    return entry.id
  }

  /// Registers a hook right before another.
  ///
  /// - Throws: ``HistoryError`` of kind `unknownHook`; the hook is not registered then.
  @discardableResult
  public func register(
    before anchor: UUID, name: String = "merge hook", budget: HookBudget = HookBudget(), _ hook: @escaping Hook
  ) throws(HistoryError) -> UUID {
    let entry = Entry(id: UUID(), name: name, budget: budget, hook: hook)
    let found = entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.id == anchor }) else { return false }
      entries.insert(entry, at: index)
      return true
    }
    guard found else {
      throw HistoryError(.unknownHook, "no merge hook \(anchor) is registered to put \(name) before")
    }
    return entry.id
  }

  /// Removes one hook. A pass that has begun still asks it.
  ///
  /// - Returns: whether it was registered.
  @discardableResult
  public func remove(_ id: UUID) -> Bool {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
      entries.remove(at: index)
      return true
    }
  }

  /// Removes all hooks.
  public func removeAll() { entries.withLock { $0 = [] } }

  public func process(_ element: HistoryBatch, _ emit: (MergePlan) -> Void) async {
    do {
      emit(try await plan(element))
    } catch {
      element.fail(error)
    }
  }

  /// Asks the hooks that are registered now.
  func plan(_ batch: HistoryBatch) async throws -> MergePlan {
    let entries = entries.withLock { $0 }
    var plan = MergePlan(batch)
    while true {
      let end = plan.end
      try await ask(entries, &plan)
      // Where the end has moved, hooks before have decided of more than is merged now: they are asked anew.
      guard plan.end < end, !plan.transactions.isEmpty else { return plan }
      plan = MergePlan(batch, upTo: plan.end, delay: plan.delay)
    }
  }

  private func ask(_ entries: [Entry], _ plan: inout MergePlan) async throws {
    for entry in entries {
      let input = MergeHookInput(
        transactions: plan.transactions, targets: targets, author: plan.batch.author, attempt: plan.batch.attempt)
      do {
        let decision = try await watch.run(entry.name, within: entry.budget) { [report] elapsed in
          report(.slowHook(name: entry.name, elapsed: elapsed))
        } _: {
          try await entry.hook(input)
        }
        let end = plan.end
        let goesOn = try plan.apply(decision, of: entry.name)
        if case .goOn = decision.verdict {} else { report(.decided(hook: entry.name, decision.verdict.summary)) }
        if !goesOn || plan.end < end { return }
      } catch {
        throw HookFailure(hook: entry.name, id: entry.id, cause: error)
      }
    }
  }
}

/// A merge hook threw.
public struct HookFailure: Error, Sendable, CustomStringConvertible {
  /// Which, by its name.
  public let hook: String
  /// Which, by its registration.
  public let id: UUID
  /// What it threw.
  public let cause: any Error

  public var description: String { "\(hook) failed: \(cause)" }
}
