import Synchronization
import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Observers of changes: told of each group of changes of their entity and operation, one call after another, in the order
/// of the transactions, of the groups inside them and of their registration. They see the state before the merge, cannot
/// fail a pass, and are called again if it is repeated (see ``HookContext/delivery``).
///
/// As a node of a graph it passes each batch on after its observers have seen it.
/// - Emits when: the observers of a batch have returned.
/// - Waits when: an observer does.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one batch.
/// - Errors: none.
public final class HistoryObservers: AsyncStage {
  /// An observer's call: the changes of one group, never empty.
  public typealias Callback = @Sendable ([HookContext]) async -> Void

  /// When an observer is called.
  public enum Phase: Sendable, Hashable {
    /// Before the merge hooks decide: at least once for each group.
    case beforeMerge
    /// After the merge is committed: for each group that was merged; lost where the process dies in between.
    case afterCommit
  }

  private struct Entry: Sendable {
    let id: UUID
    let name: String
    let entity: String
    let operation: HistoryOperation
    let columns: Set<String>?
    let phase: Phase
    let budget: HookBudget
    let callback: Callback

    func wants(_ context: HookContext) -> Bool {
      guard let columns, context.operation == .update else { return true }
      return !columns.isDisjoint(with: context.columns)
    }
  }

  private let entries = Mutex<[Entry]>([])
  private let watch: HookWatch
  private let report: @Sendable (HistoryEvent) -> Void

  /// - Parameters:
  ///   - clock: measures the budgets.
  ///   - report: hears of slow observers.
  public init(clock: GraphClock = .continuous, report: @escaping @Sendable (HistoryEvent) -> Void = { _ in }) {
    watch = HookWatch(clock)
    self.report = report
  }

  /// Registers an observer.
  ///
  /// - Parameters:
  ///   - entity: whose changes.
  ///   - operation: which of them.
  ///   - columns: of updates only those that change one of these declared columns; nil for all.
  ///   - phase: when it is called.
  ///   - name: names it in reports.
  ///   - budget: how long a call may take. A call past its deadline is cancelled; the pass goes on.
  /// - Returns: what it is removed by.
  @discardableResult
  public func register(
    entity: String, operation: HistoryOperation, columns: Set<String>? = nil, phase: Phase = .beforeMerge,
    name: String = "observer", budget: HookBudget = HookBudget(), _ callback: @escaping Callback
  ) -> UUID {
    let entry = Entry(
      id: UUID(), name: name, entity: entity, operation: operation, columns: columns, phase: phase, budget: budget,
      callback: callback)
    entries.withLock { $0.append(entry) }
    return entry.id
  }

  /// Removes one observer. One that is removed while its group is told is still called for that group, not for later ones.
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

  /// Removes all observers of an entity and operation.
  public func removeAll(entity: String, operation: HistoryOperation) {
    entries.withLock { $0.removeAll { $0.entity == entity && $0.operation == operation } }
  }

  /// Removes all observers.
  public func removeAll() { entries.withLock { $0 = [] } }

  /// Whether nobody observes anything.
  public var isEmpty: Bool { entries.withLock { $0.isEmpty } }

  public func process(_ element: HistoryBatch, _ emit: (HistoryBatch) -> Void) async {
    if !element.isRehearsal { await tell(element.transactions, of: element.end, phase: .beforeMerge) }
    emit(element)
  }

  /// Tells the observers of a phase of transactions. Where nobody is registered as it begins, nobody is told.
  func tell(_ transactions: [HistoryTransaction], of token: HistoryToken, phase: Phase) async {
    guard entries.withLock({ $0.contains { $0.phase == phase } }) else { return }
    for transaction in transactions {
      for group in HookGroup.groups(of: transaction, store: token.store, epoch: token.epoch) {
        let (entity, operation) = (group.delivery.entity, group.delivery.operation)
        let present = entries.withLock { entries in
          entries.filter { $0.phase == phase && $0.entity == entity && $0.operation == operation }
        }
        for entry in present {
          let contexts = entry.columns == nil ? group.contexts : group.contexts.filter(entry.wants)
          if contexts.isEmpty { continue }
          await call(entry, contexts)
        }
      }
    }
  }

  private func call(_ entry: Entry, _ contexts: [HookContext]) async {
    do {
      try await watch.run(entry.name, within: entry.budget) { [report] elapsed in
        report(.slowHook(name: entry.name, elapsed: elapsed))
      } _: {
        await entry.callback(contexts)
      }
    } catch {
      report(.observerCancelled(name: entry.name, delivery: contexts[0].delivery))
    }
  }
}
