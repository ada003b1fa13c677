import Weir

/// One callback as a ``MessageListener`` hands it to its graph.
public struct ListenerCallback: Sendable, Equatable, Weighted {
  /// What came.
  public enum Content: Sendable, Equatable {
    /// A payload of a callback.
    case payload(CallbackKind, [UInt8])
    /// Nothing: so many callbacks have been lost up to now, since the listener was made.
    case lost(UInt64)
  }

  /// What came.
  public var content: Content
  /// Whose session it came in.
  public var account: String
  /// Which session of the registry it came in; counts from 1.
  public var epoch: Int64
  /// When it came, in milliseconds since 1970.
  public var receivedAt: Int64

  /// Bytes it keeps alive.
  public var weight: Int {
    switch content {
    case .payload(_, let bytes): MemoryLayout<Self>.stride + bytes.count
    case .lost: MemoryLayout<Self>.stride
    }
  }
}

/// What a ``MessageListener`` does with a callback for which its graph has no room.
public enum ListenerOverflow: Sendable, Equatable {
  /// The thread of the callback waits for room, but no longer than this; then the callback is lost and counted.
  case wait(atMost: Duration)
  /// The oldest waiting callbacks are lost and counted.
  case dropOldest
  /// The new callback is lost and counted.
  case dropNewest
  /// The graph fails with `LinkOverflow`; later callbacks are lost and counted.
  case fail

  var policy: OverflowPolicy<ListenerCallback> {
    switch self {
    case .wait: .wait
    case .dropOldest: .dropOldest
    case .dropNewest: .dropNewest
    case .fail: .fail
    }
  }
}

/// What became of the callbacks of a ``MessageListener``. At rest,
/// `received = handedOn + lost + ignoredNil` holds, but for oldest ones that were handed on first and lost then.
public struct ListenerCounts: Sendable, Equatable {
  /// Callbacks that came, those without a payload included.
  public var received: UInt64 = 0
  /// Callbacks that the graph took.
  public var handedOn: UInt64 = 0
  /// Callbacks without a payload (seed: the message may be nil).
  public var ignoredNil: UInt64 = 0
  /// Messages without a client id, ignored by rule when they were decoded.
  public var ignoredEmptyID: UInt64 = 0
  /// Callbacks that were lost: no room, or no graph was running.
  public var lost: UInt64 = 0
  /// Callbacks that had to wait for room.
  public var waited: UInt64 = 0
  /// Payloads that the decoder refused.
  public var refused: UInt64 = 0

  /// Nothing has come yet.
  public init() {}
}

/// Why a listener cannot be registered, or a session not begin.
public enum ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The SDK has not been initialised.
  case notInitialized
  /// Someone is logged in.
  case loggedIn(account: String)
  /// A session needs an account.
  case emptyAccount
  /// The listener belongs to another registry.
  case registeredElsewhere
  /// The listener feeds a graph that is running.
  case alreadyRunning

  /// Stable code of the case.
  public var code: String {
    switch self {
    case .notInitialized: "listener.not-initialized"
    case .loggedIn: "listener.logged-in"
    case .emptyAccount: "listener.empty-account"
    case .registeredElsewhere: "listener.registered-elsewhere"
    case .alreadyRunning: "listener.already-running"
    }
  }

  /// What is wrong and what to do about it.
  public var description: String {
    switch self {
    case .notInitialized: "the SDK is not initialised yet; call initialize() first"
    case .loggedIn(let account): "\(account) is logged in; log out first, which removes all listeners"
    case .emptyAccount: "a session needs the own user id"
    case .registeredElsewhere: "the listener is registered with another registry; remove it there or make another one"
    case .alreadyRunning: "the listener feeds a running graph already; end that run first or make another listener"
    }
  }
}
