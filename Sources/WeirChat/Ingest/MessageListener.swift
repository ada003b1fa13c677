import Dispatch
import Synchronization
import Weir

/// Takes the callbacks of a ``ListenerRegistry`` into a graph:
///
///     let listener = MessageListener(limit: .bytes(1 << 20), overflow: .wait(atMost: .seconds(1)))
///     let inbox = try Blueprint("inbox") { graph in
///       graph.callbacks("listener", listener).via("decode", listener.decodeStage()) …
///     }
///     try registry.add(listener)
///     … run the graph, await listener.untilHeard() …
///     try registry.login(account: "me")
///
/// A callback never waits longer than ``ListenerOverflow/wait(atMost:)`` says, and none is lost silently: losses are
/// counted, and as soon as there is room the graph hears of them with ``ListenerCallback/Content/lost(_:)``, upon which
/// the missing messages are to be fetched from history. While no graph runs, callbacks are lost in the same way.
public final class MessageListener: Sendable {
  private struct State {
    var owner: ObjectIdentifier?
    var emitter: CallbackEmitter<ListenerCallback>?
    var counts = ListenerCounts()
    /// Losses of which the graph has heard.
    var reported: UInt64 = 0
    /// Session of the latest callback, for the report of losses.
    var latest: (account: String, epoch: Int64) = ("", 0)
    var blocked: [DispatchSemaphore] = []
    var hearers: [CheckedContinuation<Void, Never>] = []
  }

  /// How much may wait between the callbacks and the graph.
  public let limit: LinkLimit
  /// What happens when that is full.
  public let overflow: ListenerOverflow
  private let lineLimit: Int
  private let state = Mutex(State())

  /// A listener that is registered nowhere yet.
  ///
  /// - Parameters:
  ///   - limit: how much may wait between the callbacks and the graph.
  ///   - overflow: what happens when that is full.
  ///   - lineLimit: the longest payload accepted, in bytes.
  public init(
    limit: LinkLimit = LinkLimit(elements: 1_024, bytes: 4 << 20),
    overflow: ListenerOverflow = .wait(atMost: .seconds(1)), lineLimit: Int = 1 << 20
  ) {
    self.limit = limit
    self.overflow = overflow
    self.lineLimit = lineLimit
  }

  /// What became of its callbacks so far.
  public var counts: ListenerCounts { state.withLock { $0.counts } }

  /// Returns when a graph hears the listener: log in after that, and no callback is lost at the start.
  public func untilHeard() async {
    await withCheckedContinuation { continuation in
      let isHeard = state.withLock { state in
        if state.emitter == nil { state.hearers.append(continuation) }
        return state.emitter != nil
      }
      if isHeard { continuation.resume() }
    }
  }

  /// Decodes its callbacks in a graph.
  public func decodeStage() -> DecodeStage<ListenerCallback> {
    DecodeStage { [self] (callback) throws(DecodeError) in try decode(callback) }
  }

  /// What a callback holds.
  ///
  /// - Throws: `DecodeError` for a payload that is refused.
  public func decode(_ callback: ListenerCallback) throws(DecodeError) -> Decoded {
    switch callback.content {
    case .lost(let count): return .lost(count)
    case .payload(let kind, let bytes):
      let decoder = OpenIMCallbackDecoder(account: callback.account, lineLimit: lineLimit)
      do throws(DecodeError) {
        let decoded = try decoder.decode(bytes, as: kind, receivedAt: callback.receivedAt)
        if decoded == .ignored(.emptyClientMsgID) { state.withLock { $0.counts.ignoredEmptyID += 1 } }
        return decoded
      } catch {
        state.withLock { $0.counts.refused += 1 }
        throw error
      }
    }
  }

  // MARK: For the registry

  /// Takes the listener for a registry; false when that has it already.
  func take(for owner: ObjectIdentifier) throws(ListenerError) -> Bool {
    let result = state.withLock { state -> Result<Bool, ListenerError> in
      if state.owner == owner { return .success(false) }
      guard state.owner == nil else { return .failure(.registeredElsewhere) }
      state.owner = owner
      return .success(true)
    }
    return try result.get()
  }

  /// Gives the listener up: its source ends, after what it took before.
  func release() {
    let emitter = state.withLock { state in
      state.owner = nil
      return state.emitter
    }
    emitter?.finish()
  }

  /// A callback came.
  func receive(_ kind: CallbackKind, _ payload: [UInt8]?, account: String, epoch: Int64, receivedAt: Int64) {
    let emitter = state.withLock { state in
      state.counts.received += 1
      state.latest = (account, epoch)
      if payload == nil { state.counts.ignoredNil += 1 }
      return state.emitter
    }
    guard let payload else { return }
    guard let emitter else { return lost(nil) }
    offer(
      ListenerCallback(content: .payload(kind, payload), account: account, epoch: epoch, receivedAt: receivedAt),
      to: emitter)
  }

  // MARK: Offering

  private func offer(_ callback: ListenerCallback, to emitter: CallbackEmitter<ListenerCallback>) {
    switch emitter.yield(callback) {
    case .accepted: accepted()
    case .dropped where overflow == .dropOldest:
      accepted()
      lost(emitter)
    case .dropped: lost(emitter)
    case .ended: lost(nil)
    case .full: wait(callback, emitter)
    }
  }

  /// Offers again whenever there is room, for as long as the callback's thread may be held.
  private func wait(_ callback: ListenerCallback, _ emitter: CallbackEmitter<ListenerCallback>) {
    guard case .wait(let patience) = overflow, patience > .zero else { return lost(emitter) }
    state.withLock { $0.counts.waited += 1 }
    let deadline = DispatchTime.now() + patience.dispatchInterval
    while true {
      // Queued before the next offer, so that room announced in between is not missed.
      let gate = DispatchSemaphore(value: 0)
      state.withLock { $0.blocked.append(gate) }
      let result = emitter.yield(callback)
      guard result == .full else {
        state.withLock { $0.blocked.removeAll { $0 === gate } }
        if case .accepted = result { return accepted() }
        return lost(result == .ended ? nil : emitter)
      }
      guard gate.wait(timeout: deadline) == .success else {
        state.withLock { $0.blocked.removeAll { $0 === gate } }
        return lost(emitter)
      }
    }
  }

  private func accepted() {
    state.withLock { $0.counts.handedOn += 1 }
  }

  private func lost(_ emitter: CallbackEmitter<ListenerCallback>?) {
    state.withLock { $0.counts.lost += 1 }
    // Asks to be told of room again, which is when the graph can be told of the loss.
    emitter?.onDemand { [weak self, weak emitter] _ in
      if let emitter { self?.hasRoom(emitter) }
    }
  }

  // MARK: The source

  /// Connects the source of a run.
  func start(_ emitter: CallbackEmitter<ListenerCallback>) throws(ListenerError) {
    let hearers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      guard state.emitter == nil else { return nil }
      state.emitter = emitter
      defer { state.hearers = [] }
      return state.hearers
    }
    guard let hearers else { throw .alreadyRunning }
    emitter.onEnd { [weak self] _ in self?.stopped() }
    emitter.onDemand { [weak self, weak emitter] _ in
      if let emitter { self?.hasRoom(emitter) }
    }
    for hearer in hearers { hearer.resume() }
  }

  private func stopped() {
    let blocked = state.withLock { state in
      state.emitter = nil
      defer { state.blocked = [] }
      return state.blocked
    }
    for gate in blocked { gate.signal() }
  }

  /// There is room: first the graph hears of losses, then those who wait go on.
  private func hasRoom(_ emitter: CallbackEmitter<ListenerCallback>) {
    let report = state.withLock { state -> (callback: ListenerCallback, before: UInt64)? in
      guard state.counts.lost > state.reported else { return nil }
      defer { state.reported = state.counts.lost }
      return (
        ListenerCallback(
          content: .lost(state.counts.lost), account: state.latest.account, epoch: state.latest.epoch, receivedAt: 0),
        state.reported
      )
    }
    if let report {
      switch emitter.yield(report.callback) {
      case .accepted: break
      // Taken, at the cost of another callback, of which the next report tells.
      case .dropped where overflow == .dropOldest: state.withLock { $0.counts.lost += 1 }
      case .dropped, .full, .ended: state.withLock { $0.reported = report.before }
      }
    }
    let blocked = state.withLock { state in
      defer { state.blocked = [] }
      return state.blocked
    }
    for gate in blocked { gate.signal() }
  }
}

extension GraphBuilder {
  /// A source of the callbacks of a listener. Decode them with ``MessageListener/decodeStage()``.
  ///
  /// - Emits when: the listener's registry delivers a callback, or losses are to be told.
  /// - Waits when: never; the callback's thread waits, or the listener's overflow policy applies.
  /// - Finishes when: the listener is removed from its registry, or the run is drained.
  /// - Cancels when: downstream does; callbacks are then lost and counted.
  /// - Memory: the listener's limit.
  /// - Errors: `ListenerError.alreadyRunning`, and `LinkOverflow` with the policy ``ListenerOverflow/fail``.
  public func callbacks(
    _ name: String, _ listener: MessageListener, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<ListenerCallback> {
    // Callbacks know their own weight.
    callbackSource(
      name, of: ListenerCallback.self, limit: listener.limit, policy: listener.overflow.policy, file: file, line: line
    ) { emitter in try listener.start(emitter) }
  }
}

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    // A longer wait than a day serves nobody, and a shorter number does not overflow.
    guard seconds < 86_400 else { return .seconds(86_400) }
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
