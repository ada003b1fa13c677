/// What a reader of the history tells of its passes.
public enum HistoryEvent: Sendable {
  /// A batch was merged: these transactions, and the position stands there now.
  case merged(seqs: [Int64], cursor: Int64)
  /// A batch failed; it comes again after the delay, or in smaller parts.
  case failed(PassFailure)
  /// Every transaction of a batch fails by itself and in the same way: a hook or a target is at fault, and none of them is
  /// given up. All come again after the delay.
  case stalled(PassFailure)
  /// A transaction failed by itself: it is among the dead letters, and the others go on.
  case deadLettered(seq: Int64, attempts: Int, reason: String)
  /// A dead letter was merged after all, and is none any more.
  case replayed(seq: Int64)
  /// A hook decided something else than to go on.
  case decided(hook: String, String)
  /// A hook is taking long.
  case slowHook(name: String, elapsed: Duration)
  /// An observer was cancelled at its deadline.
  case observerCancelled(name: String, delivery: HistoryDelivery)
  /// A target outside of the file failed after the merge was committed.
  case targetFailed(name: String, any Error)
  /// A hook has put the rest off.
  case deferred(from: Int64, Duration)
  /// Another pass of the same author was faster; the batch is read again from where that has come.
  case lostRace
  /// The position is void: what follows it was purged, or it is not of this file's past.
  case expired(HistoryError)
  /// The rows were rebuilt, and the position stands there now.
  case rebuilt(cursor: Int64)
  /// History was deleted.
  case cleaned(HistoryCleaning)
  /// The passes have ended for good, with this; a tracker may be started again.
  case ended(any Error)
  /// The cleaning failed; the pass before it is complete.
  case cleaningFailed(HistoryError)
}

/// A failed batch.
public struct PassFailure: Error, Sendable, CustomStringConvertible {
  /// The transactions.
  public let seqs: [Int64]
  /// What was thrown: a ``HookFailure``, a ``HistoryError`` or what a target threw.
  public let cause: any Error
  /// How often the batch has failed now.
  public let attempt: Int
  /// When it comes again.
  public let delay: Duration

  public var description: String {
    "the batch \(seqs.first ?? 0)–\(seqs.last ?? 0) failed (attempt \(attempt)): \(cause); again in \(delay)"
  }
}
