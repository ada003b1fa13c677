import Weir
import WeirStore

/// A fact with the position that its source has reached with it, or a position alone: that of a line which was no fact.
public struct SourcedFact: Sendable {
  /// The fact; nil when the line held none.
  public var fact: Fact?
  /// Where the source goes on once the fact is stored.
  public var checkpoint: SourceCheckpoint

  /// A fact of a source.
  public init(_ fact: Fact?, checkpoint: SourceCheckpoint) {
    self.fact = fact
    self.checkpoint = checkpoint
  }
}

/// As ``ProjectionStage``, and the positions of the sources go with their facts: after any crash a source that asks
/// ``MessageStore/checkpoint(of:)`` goes on exactly behind what is stored. Each source must come in its own order.
///
/// - Emits when: a transaction has been committed, its result.
/// - Waits when: the store works, or its link is full.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: one group of facts.
/// - Errors: `StoreError`, as ``ProjectionStage``.
public struct SourcedProjectionStage: AsyncChunkStage {
  /// Most facts of a transaction.
  public let maximum: Int
  private let store: any MessageStore
  private let onFailure: (@Sendable (StoreError) -> Void)?

  /// Writes to `store`; `onFailure` hears of every transaction that failed, also of those that are tried again.
  public init(
    _ store: any MessageStore, maximum: Int = 256, onFailure: (@Sendable (StoreError) -> Void)? = nil
  ) {
    self.store = store
    self.maximum = maximum
    self.onFailure = onFailure
  }

  public mutating func process(
    _ group: [SourcedFact], _ emit: (CommitResult) -> Void
  ) async throws(StoreError) {
    var latest: [SourceCheckpoint] = []
    for element in group {
      if let index = latest.firstIndex(where: { $0.source.utf8Equals(element.checkpoint.source) }) {
        latest[index] = element.checkpoint
      } else {
        latest.append(element.checkpoint)
      }
    }
    do {
      emit(try await store.apply(group.compactMap(\.fact), checkpoints: latest))
    } catch {
      onFailure?(error)
      throw error
    }
  }

  public var faults: [String] {
    maximum > 0 ? [] : ["transactions of \(maximum) facts store nothing; use 1 or more"]
  }
}
