/// How long to wait before trying again.
public struct Backoff: Sendable, Hashable {
  /// Wait before the first new attempt.
  public var initial: Duration
  /// What each further wait is multiplied by.
  public var factor: Double
  /// Longest wait.
  public var maximum: Duration
  /// Most attempts for one element, the first one among them (retry: 2 are one retry), or most restarts in one unhealthy
  /// period (restart); nil for no limit.
  public var attempts: Int?
  /// After this long without a failure the count and the wait start again. A slow failing attempt is not health.
  public var healthy: Duration

  /// From 100 ms, doubling to 30 s, five attempts, forgotten after a healthy minute, unless said.
  public init(
    initial: Duration = .milliseconds(100), factor: Double = 2, maximum: Duration = .seconds(30), attempts: Int? = 5,
    healthy: Duration = .seconds(60)
  ) {
    self.initial = initial
    self.factor = factor
    self.maximum = maximum
    self.attempts = attempts
    self.healthy = healthy
  }

  /// The wait before attempt `number` (1 for the first new one).
  public func wait(before number: Int) -> Duration {
    var wait = initial
    var step = 1
    // What cannot grow stays; a product beyond the maximum may be beyond what a duration holds.
    while step < number, wait < maximum, factor > 1, wait > .zero {
      guard wait / maximum * factor < 1 else { return maximum }
      wait = wait * factor
      step += 1
    }
    return min(wait, maximum)
  }

  var faults: [String] {
    var faults: [String] = []
    if initial < .zero || maximum < .zero { faults.append("a backoff cannot be negative") }
    if !(factor >= 1) { faults.append("a backoff factor of \(factor) is not 1 or more") }
    if let attempts, attempts <= 0 { faults.append("\(attempts) attempts are none; use 1 or more, or nil") }
    return faults
  }
}

/// What happens when a node throws.
public indirect enum Supervision: Sendable, Hashable {
  /// The node fails, and with it the run: downstream gets what was emitted before, then the failure.
  case fail
  /// The element is given up: counted, sent to the dead letters. The node keeps its state and goes on.
  case skip
  /// The element is tried again after a wait; later ones wait behind it. When the attempts are used up, or the error is a
  /// ``RetryableError`` that says trying again is of no use, `then` decides.
  case retry(Backoff, then: Exhausted)
  /// The element is given up as with `skip`, and the node goes on as a fresh copy of the stage after a wait.
  case restart(Backoff)

  /// What happens when the attempts are used up. A failing `finish` always fails the node: there is no element to give up.
  public enum Exhausted: Sendable, Hashable {
    /// The node fails.
    case fail
    /// The element is given up.
    case skip
  }

  /// Whether no element is ever given up.
  @usableFromInline var keepsEveryElement: Bool {
    switch self {
    case .fail: true
    case .retry(_, let exhausted): exhausted == .fail
    case .skip, .restart: false
    }
  }

  var faults: [String] {
    switch self {
    case .fail, .skip: []
    case .retry(let backoff, _), .restart(let backoff): backoff.faults
    }
  }
}

/// An error that knows whether the same call may succeed later. Errors that do not say are tried again.
public protocol RetryableError: Error {
  /// False when trying again cannot help: damaged data, a refused value.
  var isRetryable: Bool { get }
}

/// An element that a node gave up on.
public struct DeadLetter: Sendable, CustomStringConvertible {
  /// Name of the node.
  public let node: String
  /// The element.
  public let element: any Sendable
  /// What the node threw at last.
  public let error: any Error
  /// How often it was tried.
  public let attempts: Int

  public var description: String { "\(node): \(element): \(error) (\(attempts) attempts)" }
}
