import Weir

/// Decides who asks the provider and who waits: a pure value, apart from the lock and the calls. Of one login at most one
/// call is under way; the task that comes first makes it, the others wait for its result. If that task is cancelled,
/// one that waits makes the call instead.
struct CredentialFlight: Sendable {
  /// What a task that wants a credential has to do.
  enum Answer: Sendable {
    case use(IssuedCredential)
    case fail(CredentialError)
    /// Call the provider, and say how it went under this number.
    case call(UInt64)
    case wait
  }

  private(set) var request: CredentialRequest
  private let backoff: Backoff
  private var current: IssuedCredential?
  private var serial: UInt64 = 0
  private var call: UInt64?
  private var calls: UInt64 = 0
  private var failures = 0
  private var lastCause = ""
  private var notBefore: Duration?

  init(_ request: CredentialRequest, backoff: Backoff) {
    self.request = request
    self.backoff = backoff
  }

  /// A task wants a credential other than `refused`, or any.
  mutating func ask(refused: UInt64?, now: Duration) -> Answer {
    if let current, refused.map({ current.serial > $0 }) ?? true { return .use(current) }
    if call != nil { return .wait }
    if let notBefore, now < notBefore {
      return .fail(CredentialError(.backingOff, cause: lastCause, retryAfter: notBefore - now))
    }
    return .call(begin())
  }

  /// The provider answered the call of a number. An answer to a call of an earlier login changes nothing.
  mutating func succeeded(_ number: UInt64, _ credential: Credential) -> IssuedCredential? {
    guard call == number else { return nil }
    call = nil
    failures = 0
    notBefore = nil
    serial &+= 1
    let issued = IssuedCredential(credential: credential, request: request, serial: serial)
    current = issued
    return issued
  }

  /// The provider failed at the call of a number: one error for all who wait, and no call for a while.
  mutating func failed(_ number: UInt64, cause: String, now: Duration) -> CredentialError? {
    guard call == number else { return nil }
    call = nil
    failures += 1
    lastCause = cause
    let wait = backoff.wait(before: failures)
    notBefore = now + wait
    return CredentialError(.providerFailed, cause: cause, retryAfter: wait)
  }

  /// The task that made the call of a number was cancelled. The number of the call that one of those who wait makes
  /// instead, if there are any.
  mutating func abandoned(_ number: UInt64, hasWaiting: Bool) -> UInt64? {
    guard call == number else { return nil }
    call = nil
    return hasWaiting ? begin() : nil
  }

  /// Another login: nothing of the old one counts. Those who wait are told so.
  mutating func begin(_ request: CredentialRequest) {
    let calls = calls
    self = CredentialFlight(request, backoff: backoff)
    // Numbers go on, so that an answer to an old call is known as one.
    self.calls = calls
  }

  private mutating func begin() -> UInt64 {
    calls &+= 1
    call = calls
    return calls
  }
}

/// A credential that a ``CredentialBroker`` gave out, and its place among those of the login.
public struct IssuedCredential: Sendable {
  /// The credential.
  public let credential: Credential
  /// The login it is good for.
  public let request: CredentialRequest
  /// Counts the credentials of the login from 1. Give it back when the server refuses the credential.
  public let serial: UInt64
}
