/// When and how much a reader reads next: a pure value.
///
/// A batch that fails comes again, each time after twice the time. After the third failure it is halved until one
/// transaction fails by itself, which has three attempts of its own. Before the last of them others of the batch are rehearsed:
/// where one goes well the hooks work, and the transaction that fails once more goes to the dead letters, while the others
/// flow. Where every one fails in the same way, and none of the batch was merged, the fault is that of a hook or a target:
/// the batch comes again, for as long as it takes. What an error calls retryable (a full disk, a lock, a network that is away)
/// is nobody's fault and is tried for ever as well.
struct PassProgress: Sendable {
  /// Failures of a batch before it is halved, and of one transaction by itself before it is given up.
  static let tries = 3
  static let shortestDelay: Duration = .milliseconds(100)
  static let longestDelay: Duration = .seconds(30)

  enum Step: Sendable, Equatable {
    /// Read again after the delay, at most so many transactions.
    case read(after: Duration, limit: Int)
    /// Rehearse what follows the one that failed: so many transactions.
    case rehearse(next: Int)
    /// The fault is not that of the transactions: read all of them again after the delay.
    case stalled(after: Duration)
    /// Give up on the one transaction that failed.
    case giveUp(attempts: Int)
  }

  let pageSize: Int
  /// Transactions of the next page.
  private(set) var limit: Int
  /// Failures of a batch of several before one is looked for that fails by itself.
  private var shared = 0
  /// Failures of one transaction by itself.
  private var own = 0
  private var transient = 0
  /// Rounds after which the fault was not that of the transactions.
  private var rounds = 0
  /// Transactions among which is one that fails by itself; zero where none is looked for.
  private var suspects = 0
  /// Whether one of those was merged.
  private var hasMerged = false
  /// How the one that is looked at fails.
  private var kind = ""
  /// Whether something has shown that it fails otherwise than all others.
  private var isSingled = false
  /// How the last one failed that was given up, until something is merged.
  private var lastGivenUp: String?

  init(pageSize: Int) {
    self.pageSize = max(pageSize, 1)
    limit = self.pageSize
  }

  /// How often what is read next has failed before.
  var attempts: Int { max(own, limit == 1 ? 0 : shared, transient) }

  /// A batch of so many scanned transactions was merged, or given up on.
  mutating func passed(scanned: Int, isMerged: Bool) {
    (transient, own, isSingled) = (0, 0, false)
    if isMerged { (rounds, lastGivenUp, hasMerged) = (0, nil, true) } else { lastGivenUp = kind }
    suspects = max(0, suspects - scanned)
    guard suspects == 0 else { return }
    (shared, hasMerged, limit) = (0, false, pageSize)
  }

  /// A batch failed.
  /// - Parameters:
  ///   - scanned: the transactions it was made of, those of the reader itself included.
  ///   - isTransient: whether the same may succeed later without any repair.
  ///   - kind: how; the same for failures that are alike.
  mutating func failed(scanned: Int, isTransient: Bool, kind: String) -> Step {
    if isTransient {
      transient += 1
      return .read(after: Self.delay(transient), limit: limit)
    }
    guard scanned <= 1 else {
      own = 0
      if suspects == 0 {
        shared += 1
        if rounds == 0, shared < Self.tries { return .read(after: Self.delay(shared), limit: limit) }
        (suspects, hasMerged) = (scanned, false)
      }
      limit = max(1, scanned / 2)
      return .read(after: .zero, limit: limit)
    }
    own += 1
    self.kind = kind
    if own == Self.tries - 1, suspects > 1, !isSingled { return .rehearse(next: suspects - 1) }
    if own < Self.tries { return .read(after: Self.delay(own), limit: limit) }
    // One after another without any success between is no fault of the transactions either.
    if suspects <= 1, !hasMerged, lastGivenUp == kind { return stall() }
    return .giveUp(attempts: own)
  }

  /// A rehearsal of another transaction failed, in this way.
  mutating func rehearsalFailed(kind: String) {
    if kind != self.kind { isSingled = true }
  }

  /// The rehearsals have ended: one went well, or all have failed.
  mutating func rehearsed(wentWell: Bool) -> Step {
    transient = 0
    if wentWell || hasMerged { isSingled = true }
    return isSingled ? .read(after: Self.delay(own), limit: limit) : stall()
  }

  private mutating func stall() -> Step {
    (shared, own, suspects, hasMerged, limit) = (0, 0, 0, false, pageSize)
    rounds = min(rounds + 1, 1 << 16)
    return .stalled(after: Self.delay(rounds + Self.tries))
  }

  private static func delay(_ number: Int) -> Duration {
    min(longestDelay, shortestDelay * (1 << min(max(number, 1) - 1, 16)))
  }
}
