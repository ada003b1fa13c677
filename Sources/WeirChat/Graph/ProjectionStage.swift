import Weir
import WeirStore

/// Writes facts to a store in a graph: what was waiting, up to `maximum` facts, becomes one transaction (group commit;
/// storage spec A6 with a window of zero).
///
/// Put it behind a boundary, so that facts gather while a transaction is under way.
///
/// - Emits when: a transaction has been committed, its result.
/// - Waits when: the store works, or its link is full.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one group of facts.
/// - Errors: `StoreError`; nothing of the group was kept then. With `Supervision.retry` the same group is tried again
///   as long as the error says that this may help.
public struct ProjectionStage: AsyncChunkStage {
  /// Most facts of a transaction.
  public let maximum: Int
  private let apply: @Sendable ([Fact]) async throws(StoreError) -> CommitResult
  private let onFailure: (@Sendable (StoreError) -> Void)?

  /// Writes to `store`; `onFailure` hears of every transaction that failed, also of those that are tried again.
  public init(
    _ store: any MessageStore, maximum: Int = 256, onFailure: (@Sendable (StoreError) -> Void)? = nil
  ) {
    self.init(maximum: maximum, onFailure: onFailure) { (facts) async throws(StoreError) in
      try await store.apply(facts)
    }
  }

  /// Writes by calling `apply`, which answers as `MessageStore.apply` does: after COMMIT.
  public init(
    maximum: Int = 256, onFailure: (@Sendable (StoreError) -> Void)? = nil,
    apply: @escaping @Sendable ([Fact]) async throws(StoreError) -> CommitResult
  ) {
    self.maximum = maximum
    self.apply = apply
    self.onFailure = onFailure
  }

  public mutating func process(
    _ facts: [Fact], _ emit: (CommitResult) -> Void
  ) async throws(StoreError) {
    do {
      emit(try await apply(facts))
    } catch {
      onFailure?(error)
      throw error
    }
  }

  public var faults: [String] {
    maximum > 0 ? [] : ["transactions of \(maximum) facts store nothing; use 1 or more"]
  }
}
