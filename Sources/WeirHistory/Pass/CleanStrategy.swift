/// When the passes of a reader clean up behind them. What may go is decided by ``History/clean(keeping:)`` alone.
public enum CleanStrategy: Sendable, Hashable {
  /// Never.
  case none
  /// After a pass, if the last cleaning of the file is longer ago than this. It throttles; to keep history for a time,
  /// see ``HistoryKeeping/age``. The moment is kept in the file, so a restart does not allow another one.
  case byDuration(Duration)
  /// After each so many passes that merged something; less than one is one.
  case byNotification(Int)
}

/// Counts towards the next cleaning. A permission is used up only by a cleaning that had something to delete.
struct CleanCounter: Sendable {
  let strategy: CleanStrategy
  private var passes = 0

  init(_ strategy: CleanStrategy) { self.strategy = strategy }

  /// A pass has merged something.
  ///
  /// - Returns: whether to clean now.
  mutating func passed() -> Bool {
    passes += 1
    switch strategy {
    case .none: return false
    case .byDuration: return true
    case .byNotification(let count): return passes >= max(count, 1)
    }
  }

  /// A cleaning has deleted something.
  mutating func cleaned() { passes = 0 }
}
