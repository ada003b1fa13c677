import Weir

/// What a server accepts as proof of who the account is. Its text comes out by ``withToken(_:)`` alone: not by printing,
/// dumping or interpolating (receiving spec §3, invariant 13).
public struct Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let token: String

  /// A credential of its text.
  public init(token: String) { self.token = token }

  /// Lends the text.
  public func withToken<Result>(_ body: (String) throws -> Result) rethrows -> Result { try body(token) }

  /// Says that there is one, not what it is.
  public var description: String { "Credential(…)" }

  /// Says that there is one, not what it is.
  public var debugDescription: String { description }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

/// That a provider is asked for a credential (receiving spec §3, kind 17).
public struct CredentialRequest: Sendable, Hashable {
  /// Whose.
  public var account: String
  /// For which login.
  public var accountEpoch: UInt64

  /// A request for the login of an account.
  public init(account: String, accountEpoch: UInt64) {
    self.account = account
    self.accountEpoch = accountEpoch
  }
}

/// Why there is no credential. It never holds words of the provider, since those could hold a token.
public struct CredentialError: CodedError, RetryableError, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure. The raw values are the stable codes.
  public enum Kind: String, Sendable {
    /// The provider failed.
    case providerFailed = "credential.provider-failed"
    /// The provider failed a moment ago and is not asked again yet.
    case backingOff = "credential.backing-off"
    /// The login ended before the provider answered; the answer was thrown away.
    case superseded = "credential.superseded"
    /// The waiting task was cancelled.
    case cancelled = "credential.cancelled"
  }

  /// The kind of failure.
  public let kind: Kind
  /// The stable code of the provider's error, or the name of its type.
  public let cause: String
  /// How long the provider will not be asked, from now.
  public let retryAfter: Duration

  init(_ kind: Kind, cause: String = "", retryAfter: Duration = .zero) {
    self.kind = kind
    self.cause = cause
    self.retryAfter = retryAfter
  }

  /// The stable code.
  public var code: String { kind.rawValue }

  /// Whether asking again later may help.
  public var isRetryable: Bool { kind == .providerFailed || kind == .backingOff }

  /// Code, cause and wait in one line.
  public var description: String {
    let why = cause.isEmpty ? "" : ": \(cause)"
    return retryAfter > .zero ? "\(code)\(why); ask again after \(retryAfter)" : "\(code)\(why)"
  }
}
