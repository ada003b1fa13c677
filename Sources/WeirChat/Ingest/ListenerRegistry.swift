import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The place where an application's SDK object delivers its callbacks, and where listeners are registered for them.
///
/// The order of a session is that of the seed: initialise, register listeners, log in, receive, log out. A listener can be
/// added only between initialising and logging in; adding it twice delivers once; logging out removes all of them, so
/// that nobody hears another account's messages. All methods may be called from any thread.
public final class ListenerRegistry: Sendable {
  /// How the registry holds a listener.
  public enum Ownership: Sendable {
    /// Until it is removed.
    case strong
    /// Not at all: the caller keeps it. A running graph keeps its listeners too.
    case weak
  }

  /// What was delivered to nobody.
  public struct Counts: Sendable, Equatable {
    /// Callbacks that came while nobody was logged in.
    public var outsideSession: UInt64 = 0
    /// Callbacks that came when no listener was registered, or the last one had gone.
    public var unheard: UInt64 = 0
  }

  private struct Entry {
    weak var listener: MessageListener?
    /// Set when the registry holds it.
    var held: MessageListener?
  }

  private struct State {
    var isInitialized = false
    var account: String?
    var epoch: Int64 = 0
    var entries: [Entry] = []
    var counts = Counts()
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Int64

  /// A registry before the SDK is initialised.
  ///
  /// - Parameter now: milliseconds since 1970.
  public init(now: @escaping @Sendable () -> Int64 = { ListenerRegistry.wallClock() }) { self.now = now }

  /// Who is logged in; nil for nobody.
  public var account: String? { state.withLock { $0.account } }

  /// What was delivered to nobody so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// The SDK has been initialised: from now on listeners can be added. Doing it again changes nothing.
  public func initialize() { state.withLock { $0.isInitialized = true } }

  /// Registers a listener.
  ///
  /// - Returns: false when it was registered already; it is still delivered to once.
  /// - Throws: `ListenerError` outside the time for registering, or when it belongs to another registry.
  @discardableResult
  public func add(_ listener: MessageListener, _ ownership: Ownership = .strong) throws(ListenerError) -> Bool {
    let result = state.withLock { state -> Result<Bool, ListenerError> in
      guard state.isInitialized else { return .failure(.notInitialized) }
      if let account = state.account { return .failure(.loggedIn(account: account)) }
      do throws(ListenerError) {
        guard try listener.take(for: ObjectIdentifier(self)) else { return .success(false) }
      } catch {
        return .failure(error)
      }
      state.entries.append(Entry(listener: listener, held: ownership == .strong ? listener : nil))
      return .success(true)
    }
    return try result.get()
  }

  /// Removes a listener, at any time: its source ends after what it took before.
  ///
  /// - Returns: false when it was not registered.
  @discardableResult
  public func remove(_ listener: MessageListener) -> Bool {
    let isFound = state.withLock { state in
      let before = state.entries.count
      state.entries.removeAll { $0.listener === listener }
      return state.entries.count < before
    }
    if isFound { listener.release() }
    return isFound
  }

  /// Begins a session.
  ///
  /// - Returns: its epoch; epochs count from 1 and never come again.
  /// - Throws: `ListenerError` when the SDK is not initialised, someone is logged in, or the account is empty.
  @discardableResult
  public func login(account: String) throws(ListenerError) -> Int64 {
    let result = state.withLock { state -> Result<Int64, ListenerError> in
      guard state.isInitialized else { return .failure(.notInitialized) }
      if let account = state.account { return .failure(.loggedIn(account: account)) }
      guard !account.isEmpty else { return .failure(.emptyAccount) }
      state.account = account
      state.epoch += 1
      return .success(state.epoch)
    }
    return try result.get()
  }

  /// Ends the session, if there is one, and removes all listeners: before a switch of accounts, and at the end.
  public func logout() {
    let entries = state.withLock { state in
      state.account = nil
      defer { state.entries = [] }
      return state.entries
    }
    for entry in entries { entry.listener?.release() }
  }

  /// A callback came. Call it on the thread of the callback; how long it may take, the listeners say.
  ///
  /// - Parameters:
  ///   - kind: which callback.
  ///   - payload: its JSON; nil when the SDK delivered none.
  public func deliver(_ kind: CallbackKind, _ payload: [UInt8]?) {
    let session = state.withLock { state -> (listeners: [MessageListener], account: String, epoch: Int64)? in
      guard let account = state.account else {
        state.counts.outsideSession += 1
        return nil
      }
      state.entries.removeAll { $0.listener == nil }
      let listeners = state.entries.compactMap(\.listener)
      if listeners.isEmpty { state.counts.unheard += 1 }
      return (listeners, account, state.epoch)
    }
    guard let session else { return }
    let receivedAt = now()
    for listener in session.listeners {
      listener.receive(
        kind, payload, account: session.account, epoch: session.epoch, receivedAt: receivedAt)
    }
  }

  /// A callback came, as text.
  public func deliver(_ kind: CallbackKind, text: String?) {
    deliver(kind, text.map { Array($0.utf8) })
  }

  /// The machine's time, in milliseconds since 1970.
  public static func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
