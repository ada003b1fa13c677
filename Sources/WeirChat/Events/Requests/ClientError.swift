import Weir

/// Why a request failed, as the application sees it (receiving spec §3, invariant 17).
///
/// Programs branch on `domain`, `stableCode`, `retryable`, `retryAfterMilliseconds` and `userAction` only. `message` is
/// for display: nothing may depend on it, so it does not take part in `==` either.
public struct ClientError: CodedError, RetryableError, Sendable, CustomStringConvertible {
  /// What the user can do.
  public enum UserAction: Int64, Sendable, CaseIterable {
    /// Nothing.
    case none = 0
    /// Log in again.
    case logInAgain = 1
    /// Look after the network.
    case checkNetwork = 2
    /// Ask an administrator.
    case contactAdministrator = 3
  }

  /// The part of the system that failed.
  public var domain: String
  /// The code to branch on and to count by; the same in every release and language.
  public var stableCode: String
  /// Whether the same request, under the same idempotency key, may succeed later.
  public var retryable: Bool
  /// The least time to wait before that, in milliseconds; 0 for none.
  public var retryAfterMilliseconds: Int64
  /// What the user can do.
  public var userAction: Native<UserAction>
  /// Names the operation, for support.
  public var operationID: String
  /// Names the trace at the server, for support.
  public var traceID: String
  /// Words for display.
  public var message: String

  /// An error of its parts.
  public init(
    domain: String, stableCode: String, retryable: Bool = false, retryAfterMilliseconds: Int64 = 0,
    userAction: Native<UserAction> = .known(.none), operationID: String = "", traceID: String = "", message: String = ""
  ) {
    self.domain = domain
    self.stableCode = stableCode
    self.retryable = retryable
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.userAction = userAction
    self.operationID = operationID
    self.traceID = traceID
    self.message = message
  }

  /// The stable code.
  public var code: String { stableCode }

  /// Whether the same request may succeed later.
  public var isRetryable: Bool { retryable }

  /// Domain, code and words in one line.
  public var description: String {
    message.isEmpty ? "\(domain): \(stableCode)" : "\(domain): \(stableCode): \(message)"
  }
}

extension ClientError: Equatable {
  /// Whether both mean the same; the words for display do not count.
  public static func == (left: ClientError, right: ClientError) -> Bool {
    left.domain == right.domain && left.stableCode == right.stableCode && left.retryable == right.retryable
      && left.retryAfterMilliseconds == right.retryAfterMilliseconds && left.userAction == right.userAction
      && left.operationID == right.operationID && left.traceID == right.traceID
  }
}
