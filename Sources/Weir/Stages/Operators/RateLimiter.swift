import Synchronization

/// A rate that several ``RateLimit`` stages share, in one graph or in many, and that may be changed while they run.
///
/// May be used from any task. Waiting stages take tokens as they come, in no order among them; within a stage the order
/// of elements holds. Memory: one entry for each stage that is running.
public final class RateLimiter: Sendable {
  /// A stage that wants to hear of changes, as long as it exists.
  @usableFromInline
  final class Observer: Sendable {
    let look: @Sendable () -> Void
    init(_ look: @escaping @Sendable () -> Void) { self.look = look }
  }

  private struct WeakObserver {
    weak var observer: Observer?
  }

  private struct State {
    var bucket: TokenBucket
    var observers: [WeakObserver] = []
  }

  private let state: Mutex<State>
  private let clock: GraphClock

  /// - Parameters:
  ///   - rate: what may pass.
  ///   - clock: must go at the pace of the clock of the runs that use the limiter: a virtual one for virtual runs.
  /// - Throws: ``RateFault`` when the rate lets nothing pass.
  public init(_ rate: Rate, clock: GraphClock = .continuous) throws(RateFault) {
    try RateFault.check(rate)
    state = Mutex(State(bucket: TokenBucket(rate)))
    self.clock = clock
  }

  /// The rate in force.
  public var rate: Rate { state.withLock { $0.bucket.rate } }

  /// Changes the rate. Stages that wait look again at once; tokens used up so far stay used up.
  /// - Throws: ``RateFault`` when the rate lets nothing pass; the old one stays in force.
  public func setRate(_ rate: Rate) throws(RateFault) {
    try RateFault.check(rate)
    let now = clock.now
    let observers = state.withLock { state in
      state.bucket.change(to: rate, at: now)
      return state.observers.compactMap(\.observer)
    }
    for observer in observers { observer.look() }
  }

  @usableFromInline var now: Duration { clock.now }
  @usableFromInline var readyTime: Duration { state.withLock { $0.bucket.readyTime } }

  @usableFromInline
  func take() -> Bool {
    let now = clock.now
    return state.withLock { $0.bucket.take(at: now) }
  }

  /// The caller keeps the observer for as long as it wants to hear.
  @usableFromInline
  func observe(_ look: @escaping @Sendable () -> Void) -> Observer {
    let observer = Observer(look)
    state.withLock { state in
      state.observers.removeAll { $0.observer == nil }
      state.observers.append(WeakObserver(observer: observer))
    }
    return observer
  }
}

/// A rate that lets nothing pass.
public struct RateFault: CodedError, Hashable, CustomStringConvertible {
  public let code = "bad-rate"
  /// What is wrong and what to do, in words.
  public let faults: [String]

  public var description: String { faults.joined(separator: "; ") }

  static func check(_ rate: Rate) throws(RateFault) {
    let faults = rate.faults
    if !faults.isEmpty { throw RateFault(faults: faults) }
  }
}
