/// Where a client stands, and what may follow: a pure value (receiving spec §3, kind 1 and invariants 13 and 18).
public struct ClientLifecycle: Sendable, Equatable {
  /// Something that happened to the client.
  public enum Step: Sendable, Equatable, CaseIterable {
    /// The store was opened.
    case start
    /// A login began.
    case logIn
    /// The credential was accepted.
    case authenticated
    /// The connection stands.
    case connected
    /// What was missed has been fetched.
    case synchronized
    /// The connection broke.
    case disconnected
    /// The server refused the credential.
    case credentialRefused
    /// The provider gave another one.
    case credentialUpdated
    /// A logout began.
    case logOut
    /// The logout, or the client, has ended.
    case close
    /// Something broke that the client cannot mend.
    case breakDown
  }

  /// The state.
  public private(set) var state = ClientState.created
  /// Counts the connections; a new one begins with each attempt to connect.
  public private(set) var connectionGeneration: UInt64 = 0

  /// A client that was just made.
  public init() {}

  /// Takes a step; the state after it, or nil when the step cannot happen here, which changes nothing.
  public mutating func take(_ step: Step) -> ClientState? {
    guard let next = Self.state(after: step, in: state) else { return nil }
    state = next
    if next == .connecting { connectionGeneration &+= 1 }
    return next
  }

  /// Checks that business writes are accepted now.
  /// - Throws: `ClientError` with the code `client.not-ready` in every state but ready; retryable unless the client has
  ///   ended.
  public func admitWrite() throws(ClientError) {
    guard !state.acceptsWrites else { return }
    throw ClientError(
      domain: "client", stableCode: "client.not-ready", retryable: !state.isTerminal && state != .loggingOut,
      message: "the client is \(state); writes are accepted when it is ready")
  }

  private static func state(after step: Step, in state: ClientState) -> ClientState? {
    switch (step, state) {
    case (.start, .created), (.start, .closed): .started
    case (.logIn, .started): .authenticating
    case (.authenticated, .authenticating), (.disconnected, .connecting), (.disconnected, .synchronizing),
      (.disconnected, .ready), (.credentialUpdated, .credentialRequired):
      .connecting
    case (.connected, .connecting): .synchronizing
    case (.synchronized, .synchronizing): .ready
    case (.credentialRefused, .authenticating), (.credentialRefused, .connecting),
      (.credentialRefused, .synchronizing), (.credentialRefused, .ready):
      .credentialRequired
    case (.logOut, .closed), (.logOut, .fatal), (.logOut, .loggingOut), (.logOut, .created): nil
    case (.logOut, _): .loggingOut
    case (.close, .closed), (.close, .fatal): nil
    case (.close, _): .closed
    case (.breakDown, .closed), (.breakDown, .fatal): nil
    case (.breakDown, _): .fatal
    default: nil
    }
  }
}
