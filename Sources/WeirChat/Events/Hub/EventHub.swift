import Synchronization

/// Brings the events of one client to any number of readers that come and go (receiving spec §3).
///
/// Publishing never waits: each reader has a bounded queue of its own, in which events are merged and widened but no hint
/// is lost (see ``EventSubscription`` and the decision note of this folder), so a reader that is stuck costs the others
/// nothing. ``subscribe(limit:interest:token:)`` is complete when it returns: whatever is published after that reaches
/// the reader.
///
/// The hub fences: an event of another account epoch goes nowhere, and a state of an older connection neither. It watches
/// the revisions of the hints, and where one is missing it tells all readers to query everything.
///
/// Memory: for each reader at most its limit in entries of about 200 bytes; the ids in them are shared by all readers.
public final class EventHub: Sendable {
  /// What became of an event at its publication.
  public enum Admission: Sendable, Equatable {
    /// It went to the readers, under this number.
    case published(UInt64)
    /// It belongs to another login than the present one.
    case fenced
    /// A state of an older connection; presence or typing that is expired, repeated or overtaken.
    case stale
    /// The hub is closed.
    case closed
  }

  /// What the hub has done so far.
  public struct Counters: Sendable, Equatable {
    /// Events that went to the readers, with those that the hub made itself.
    public var published: UInt64 = 0
    /// Events of another login.
    public var fenced: UInt64 = 0
    /// Events that were overtaken.
    public var stale: UInt64 = 0
    /// Times that hints were missing.
    public var gaps: UInt64 = 0
  }

  /// What revisions are counted in: they begin anew with another login and with another store.
  struct Line: Equatable {
    var accountEpoch: UInt64
    var store: UInt64 = 0
  }

  private struct State {
    var line: Line
    var accountEpoch: UInt64 { line.accountEpoch }
    var connectionGeneration: UInt64 = 0
    var cursor = RevisionCursor()
    var number: UInt64 = 0
    var cores: [SubscriptionCore] = []
    var tokens: [SubscriptionToken: WeakLease] = [:]
    var isClosed = false
    var counters = Counters()

    /// Asks for everything, since something was missed.
    var everything: ChatEvent {
      .projectionInvalidated(.everything(accountEpoch: accountEpoch, connectionGeneration: connectionGeneration))
    }
  }

  private struct WeakLease {
    weak var lease: EventSubscription.Lease?
  }

  private let state: Mutex<State>
  /// Where presence and typing are kept; nil when nobody asked for it.
  public let transients: TransientBoard?

  /// A hub without readers.
  /// - Parameters:
  ///   - accountEpoch: the present login.
  ///   - transients: takes in presence and typing before they are delivered, and decides which are stale.
  public init(accountEpoch: UInt64 = 0, transients: TransientBoard? = nil) {
    state = Mutex(State(line: Line(accountEpoch: accountEpoch)))
    self.transients = transients
  }

  /// The present login.
  public var accountEpoch: UInt64 { state.withLock { $0.accountEpoch } }

  /// What revisions are counted in now.
  var line: Line { state.withLock { $0.line } }

  /// The present connection: the highest that a state was told of.
  public var connectionGeneration: UInt64 { state.withLock { $0.connectionGeneration } }

  /// Readers now.
  public var subscribers: Int { state.withLock { $0.cores.count } }

  /// What the hub has done so far.
  public var counters: Counters { state.withLock { $0.counters } }

  /// Begins to read; complete when it returns. Query only after that.
  /// - Parameters:
  ///   - limit: the most events that may wait; at least 8.
  ///   - interest: what the reader wants to hear of; nil for everything, also states, presence and typing.
  ///   - token: names the reader. While a subscription with the token lives, that one is returned.
  public func subscribe(
    limit: Int = 256, interest: Interest? = nil, token: SubscriptionToken? = nil
  ) -> EventSubscription {
    state.withLock { state in
      if let token, let lease = state.tokens[token]?.lease, state.cores.contains(where: { $0 === lease.core }) {
        return EventSubscription(lease: lease)
      }
      let core = SubscriptionCore(limit: limit, interest: interest, isEnded: state.isClosed)
      let lease = EventSubscription.Lease(core: core, hub: self)
      if !state.isClosed {
        state.cores.append(core)
        if let token { state.tokens[token] = WeakLease(lease: lease) }
      }
      return EventSubscription(lease: lease)
    }
  }

  /// Publishes an event. Kinds 8 to 12 and 15 tell their login and connection themselves; the others belong to the
  /// present ones unless it is said otherwise.
  @discardableResult
  public func publish(
    _ event: ChatEvent, accountEpoch: UInt64? = nil, connectionGeneration: UInt64? = nil
  ) -> Admission {
    let change = event.change
    // Asked for outside of the lock: the clock is not ours.
    let now = transients?.now ?? 0
    var woken: [CheckedContinuation<Void, Never>] = []
    let admission: Admission = state.withLock { state in
      guard !state.isClosed else { return .closed }
      guard (change?.accountEpoch ?? accountEpoch ?? state.accountEpoch) == state.accountEpoch else {
        state.counters.fenced &+= 1
        return .fenced
      }
      let generation = change?.connectionGeneration ?? connectionGeneration ?? state.connectionGeneration
      guard isCurrent(event, generation, now, &state) else {
        state.counters.stale &+= 1
        return .stale
      }
      if let revisions = change?.countedRevisions, state.cursor.admit(revisions) == .gap {
        state.counters.gaps &+= 1
        if !event.requiresFullRequery { Self.deliver(state.everything, generation, &state, &woken) }
      }
      Self.deliver(event, generation, &state, &woken)
      return .published(state.number)
    }
    for continuation in woken { continuation.resume() }
    return admission
  }

  /// Publishes an event of another stream; its number there is replaced by one of the hub's.
  @discardableResult
  public func publish(_ envelope: EventEnvelope) -> Admission {
    publish(
      envelope.event, accountEpoch: envelope.accountEpoch, connectionGeneration: envelope.connectionGeneration)
  }

  /// Tells all readers to query everything, because something may have been missed.
  @discardableResult
  public func invalidateEverything() -> Admission {
    let (epoch, generation) = state.withLock { ($0.accountEpoch, $0.connectionGeneration) }
    return publish(
      .projectionInvalidated(.everything(accountEpoch: epoch, connectionGeneration: generation)))
  }

  /// Begins another login. What waits of the old one is void, and readers are told to query everything: from the first
  /// event they see, they are in the new login.
  public func beginEpoch(_ epoch: UInt64) {
    begin { state in
      guard epoch != state.accountEpoch else { return false }
      state.line.accountEpoch = epoch
      state.connectionGeneration = 0
      transients?.clear()
      return true
    }
  }

  /// Tells that another store, or an older copy of it, has taken the place of the one that the readers query: revisions
  /// are counted anew. What waits of the old one is void, and readers are told to query everything; an answer with a
  /// lower revision is not old any more.
  public func beginStore() {
    begin { state in
      state.line.store &+= 1
      return true
    }
  }

  /// Lets revisions begin anew, if `change` says so.
  private func begin(_ change: (inout State) -> Bool) {
    var woken: [CheckedContinuation<Void, Never>] = []
    state.withLock { state in
      guard !state.isClosed, change(&state) else { return }
      state.cursor = RevisionCursor()
      for core in state.cores { core.void() }
      Self.deliver(state.everything, state.connectionGeneration, &state, &woken)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Ends all subscriptions after what waits in them, and publishes nothing any more.
  public func close() {
    let cores = state.withLock { state in
      state.isClosed = true
      defer { (state.cores, state.tokens) = ([], [:]) }
      return state.cores
    }
    for core in cores { _ = core.end(isCancelled: false) }
  }

  func leave(_ core: SubscriptionCore) {
    state.withLock { state in
      state.cores.removeAll { $0 === core }
      state.tokens = state.tokens.filter { $0.value.lease != nil }
    }
  }

  /// Whether an event may still be told. Moves the connection on.
  private func isCurrent(_ event: ChatEvent, _ generation: UInt64, _ now: Int64, _ state: inout State) -> Bool {
    switch event {
    case .stateChanged:
      guard generation >= state.connectionGeneration else { return false }
      if generation > state.connectionGeneration {
        state.connectionGeneration = generation
        transients?.reconnect(generation)
      }
      return true
    case .presenceChanged(let update): return transients?.admit(update, generation, at: now) ?? true
    case .typingChanged(let update): return transients?.admit(update, generation, at: now) ?? true
    default: return true
    }
  }

  private static func deliver(
    _ event: ChatEvent, _ generation: UInt64, _ state: inout State, _ woken: inout [CheckedContinuation<Void, Never>]
  ) {
    state.number &+= 1
    state.counters.published &+= 1
    guard !state.cores.isEmpty else { return }
    let published = PublishedEvent(
      EventEnvelope(
        number: state.number, accountEpoch: state.accountEpoch, connectionGeneration: generation, event: event))
    for core in state.cores { core.offer(published, &woken) }
  }
}

extension ProjectionChange {
  /// The revisions that the hub counts: none of a payload that must not, or cannot, be read.
  fileprivate var countedRevisions: ClosedRange<Int64>? {
    requiresFullRequery || schemaVersion != Self.knownSchema ? nil : revisions
  }
}
