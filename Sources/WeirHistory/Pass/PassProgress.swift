/// When and how much a reader reads next: a pure value.
///
/// A batch that fails comes again, each time after twice the time. After the third failure it is halved until one
/// transaction fails by itself: that one goes to the dead letters, and the others flow. What the store cannot do now (a
/// full disk, a lock) is nobody's fault and is tried for ever.
struct PassProgress: Sendable {
  /// Failures of a batch before it is halved.
  static let tries = 3
  static let shortestDelay: Duration = .milliseconds(100)
  static let longestDelay: Duration = .seconds(30)

  enum Step: Sendable, Equatable {
    /// Read again after the delay, at most so many transactions.
    case read(after: Duration, limit: Int)
    /// Give up on the one transaction that failed.
    case giveUp(attempts: Int)
  }

  let pageSize: Int
  /// Transactions of the next page.
  private(set) var limit: Int
  /// Failures since the last batch that was merged, or since one is looked for that fails by itself.
  private(set) var attempts = 0
  private var transient = 0
  /// Transactions among which is one that fails by itself; zero where none is looked for.
  private var suspects = 0

  init(pageSize: Int) {
    self.pageSize = max(pageSize, 1)
    limit = self.pageSize
  }

  /// A batch of so many scanned transactions was merged, or given up on.
  mutating func passed(scanned: Int) {
    transient = 0
    suspects = max(0, suspects - scanned)
    guard suspects == 0 else { return }
    attempts = 0
    limit = pageSize
  }

  /// A batch failed.
  /// - Parameters:
  ///   - scanned: the transactions it was made of, those of the reader itself included.
  ///   - isTransient: whether the same may succeed later without any repair.
  mutating func failed(scanned: Int, isTransient: Bool) -> Step {
    if isTransient {
      transient += 1
      return .read(after: Self.delay(transient), limit: limit)
    }
    attempts += 1
    if suspects == 0 {
      if attempts < Self.tries { return .read(after: Self.delay(attempts), limit: limit) }
      suspects = scanned
    }
    if scanned <= 1 { return .giveUp(attempts: attempts) }
    limit = max(1, scanned / 2)
    return .read(after: .zero, limit: limit)
  }

  private static func delay(_ number: Int) -> Duration {
    min(longestDelay, shortestDelay * (1 << min(max(number, 1) - 1, 16)))
  }
}
