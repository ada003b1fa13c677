import Weir

/// Turns the results of commits into numbered hints in a graph. Stands behind a ``ProjectionStage``, so a hint never runs
/// ahead of its COMMIT.
///
/// - Emits when: a commit changed something that can be seen, one hint for each conversation, in order of revisions.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: none.
public struct InvalidationEmitter: Stage {
  private var last: UInt64

  /// An emitter whose first hint has the number after `last`.
  public init(after last: UInt64 = 0) {
    self.last = last
  }

  public mutating func process(_ result: CommitResult, _ emit: (InvalidationHint) -> Void) {
    for change in result.changes {
      last &+= 1
      emit(InvalidationHint(number: last, change))
    }
  }
}
