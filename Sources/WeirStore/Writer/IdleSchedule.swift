/// What a piece of work in a pause came to.
public enum IdleWork: Sendable {
  /// There is more to do.
  case more
  /// Nothing is left until the next commit.
  case done
  /// There is none, and will be none as long as the file is open.
  case never
  /// It failed; to be tried again after a second.
  case failed
}

/// When the writer works for itself: after a pause that no steady stream of commits leaves, also where the machine is busy and
/// callers come to run late, so that a commit waits for such
/// work at most when it comes right behind a pause, and then for one piece of it.
struct IdleSchedule {
  private static let pause: Int64 = 10_000
  private static let patience: Int64 = 1_000_000

  private var hasWork: Bool
  /// How long the queue must stay empty before the next piece, in microseconds; nil when there is none to do.
  private(set) var wait: Int64?

  init(hasWork: Bool) {
    self.hasWork = hasWork
    wait = hasWork ? Self.pause : nil
  }

  /// A transaction may have left something to do.
  mutating func committed() { wait = hasWork ? Self.pause : nil }

  /// A piece was done.
  mutating func worked(_ work: IdleWork) {
    switch work {
    case .more: wait = 0
    case .done: wait = nil
    case .never: (hasWork, wait) = (false, nil)
    case .failed: wait = Self.patience
    }
  }
}
