import Synchronization

/// Which transfer is under way, and what is remembered of those before.
final class TransferDesk: Sendable {
  enum Active: Sendable {
    case send(TransferRun)
    case receive(TransferRun, source: UInt8, nonce: UInt64)

    var run: TransferRun {
      switch self {
      case .send(let run), .receive(let run, _, _): run
      }
    }
  }

  /// An offer that was taken once.
  struct Offer: Hashable, Sendable {
    let source: UInt8
    let version: TransferVersion
    let nonce: UInt64
  }

  private struct State {
    var active: Active?
    var ticket: UInt64 = 0
    var partials: TransferPartials
    /// Sessions that are over: late copies of their frames are known as such.
    var past: [TransferCredentials] = []
    /// Offers that were taken: a late copy begins nothing.
    var offers: [Offer] = []
    var waiters: [(run: TransferRun, resume: @Sendable () -> Void)] = []
  }

  static let mostPast = 8
  static let mostOffers = 64

  private let state: Mutex<State>

  init(_ partials: TransferPartials) { state = Mutex(State(partials: partials)) }

  var active: Active? { state.withLock { $0.active } }

  /// Begins a transfer.
  /// - Returns: what to end it with; nil when another is under way.
  func open(_ active: Active) -> UInt64? {
    state.withLock { state in
      guard state.active == nil else { return nil }
      state.active = active
      state.ticket += 1
      if case .receive(let run, let source, let nonce) = active, let version = run.credentials?.version {
        state.offers.append(Offer(source: source, version: version, nonce: nonce))
        if state.offers.count > Self.mostOffers { state.offers.removeFirst() }
      }
      return state.ticket
    }
  }

  func close(_ ticket: UInt64, _ credentials: TransferCredentials?) {
    let waiters = state.withLock { state in
      guard state.ticket == ticket, let run = state.active?.run else { return [@Sendable () -> Void]() }
      state.active = nil
      if let credentials {
        state.past.append(credentials)
        if state.past.count > Self.mostPast { state.past.removeFirst() }
      }
      defer { state.waiters.removeAll { $0.run === run } }
      return state.waiters.filter { $0.run === run }.map(\.resume)
    }
    for resume in waiters { resume() }
  }

  func waitUntilClosed(_ run: TransferRun) async {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        guard state.active?.run === run else { return true }
        state.waiters.append((run, { continuation.resume() }))
        return false
      }
      if isClosed { continuation.resume() }
    }
  }

  func hasTaken(_ offer: Offer) -> Bool { state.withLock { $0.offers.contains(offer) } }

  var past: [TransferCredentials] { state.withLock { $0.past } }

  func partial(for initiation: TransferInitiation, from source: UInt8, at now: Duration) -> TransferPartial? {
    state.withLock { $0.partials.partial(for: initiation, from: source, at: now) }
  }

  func keep(_ partial: TransferPartial, at now: Duration) { state.withLock { $0.partials.keep(partial, at: now) } }

  func drop(_ key: TransferPartial.Key) { state.withLock { $0.partials.drop(key) } }
}
