import Weir

/// Decides whether a failed request is tried again, when, and under which key: a pure value (receiving spec §3,
/// invariant 17). The key of the first attempt is the key of all.
public struct RetryPlan: Sendable, Equatable {
  /// What to do after a failure.
  public enum Decision: Sendable, Equatable {
    /// Wait at least this long, then make the same request under the same key.
    case retry(after: Duration, idempotencyKey: String)
    /// Tell the caller.
    case giveUp
  }

  /// What names the request at the server, however often it is made.
  public let idempotencyKey: String
  /// The waits between attempts, and how many there are.
  public let backoff: Backoff
  /// Failures so far.
  public private(set) var failures = 0

  /// A plan for one request.
  public init(idempotencyKey: String, backoff: Backoff = Backoff()) {
    self.idempotencyKey = idempotencyKey
    self.backoff = backoff
  }

  /// What to do after an attempt failed with `error`. Never earlier than the error asks for.
  public mutating func decide(after error: ClientError) -> Decision {
    failures += 1
    guard error.retryable, backoff.attempts.map({ failures <= $0 }) ?? true else { return .giveUp }
    let asked = Duration.milliseconds(max(error.retryAfterMilliseconds, 0))
    return .retry(after: max(asked, backoff.wait(before: failures)), idempotencyKey: idempotencyKey)
  }
}
