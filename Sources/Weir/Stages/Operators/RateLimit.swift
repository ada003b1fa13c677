/// Holds elements back so that no more pass than a rate allows. Delays, never drops.
///
/// - Emits when: an element arrives and a token is there, or the next token comes.
/// - Waits when: an element waits for its token; upstream then waits too. And when downstream waits.
/// - Finishes when: its input does, after the element that waits has passed at its time.
/// - Cancels when: downstream does.
/// - Memory: one element.
/// - Errors: none; a rate that lets nothing pass is a fault of the blueprint.
@frozen
public struct RateLimit<Element: Sendable>: TimedStage {
  /// Used where there is no limiter.
  @usableFromInline var bucket: TokenBucket
  @usableFromInline let limiter: RateLimiter?
  @usableFromInline var observer: RateLimiter.Observer?
  /// What to add to times of the limiter's clock to get times of the run's clock.
  @usableFromInline var shift = Duration.zero
  @usableFromInline var pending: Element?

  /// A rate of its own for every run.
  @inlinable
  public init(_ rate: Rate) {
    bucket = TokenBucket(rate)
    limiter = nil
  }

  /// A rate that is shared and can be changed.
  @inlinable
  public init(_ limiter: RateLimiter) {
    bucket = TokenBucket(limiter.rate)
    self.limiter = limiter
  }

  @inlinable
  public mutating func start(at now: Duration, look: @escaping @Sendable () -> Void) {
    guard let limiter else { return }
    shift = now - limiter.now
    // Held by this copy of the stage: the limiter forgets it when the run is over.
    observer = limiter.observe(look)
  }

  @inlinable
  public mutating func process(_ element: Element, at now: Duration, _ emit: (Element) -> Void) {
    if take(at: now) { emit(element) } else { pending = element }
  }

  @inlinable public var acceptsInput: Bool { pending == nil }

  /// One tick ahead of the token, since a stage is woken beyond its deadline.
  @inlinable public var deadline: Duration? {
    guard pending != nil else { return nil }
    let ready = limiter.map { $0.readyTime + shift } ?? bucket.readyTime
    return ready - .nanoseconds(1)
  }

  @inlinable
  public mutating func wake(at now: Duration, _ emit: (Element) -> Void) {
    guard let element = pending, take(at: now) else { return }
    pending = nil
    emit(element)
  }

  /// Nothing waits any more: the stage is woken until it accepts input before it is finished. An element that is left
  /// all the same is passed on rather than lost.
  @inlinable
  public mutating func finish(at now: Duration, _ emit: (Element) -> Void) {
    if let element = pending.take() { emit(element) }
  }

  @inlinable
  mutating func take(at now: Duration) -> Bool {
    guard let limiter else { return bucket.take(at: now) }
    if limiter.take() { return true }
    // Measured anew with every refusal, so that the next look is never in the past, however the clocks differ.
    shift = now - limiter.now
    return false
  }

  @inlinable public var held: Int { pending == nil ? 0 : 1 }
  @inlinable public var holds: Int? { 1 }
  @inlinable public var isOneToOne: Bool { true }
  @inlinable public var faults: [String] { bucket.rate.faults }
}

extension Outlet {
  /// Holds elements back so that no more pass than `count` a `period`, `burst` of them at once; see ``RateLimit``.
  @inlinable
  public consuming func rateLimit(
    _ name: String, _ count: Int, per period: Duration, burst: Int = 1, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Outlet<Element> {
    via(name, RateLimit(Rate(count, per: period, burst: burst)), file: file, line: line)
  }

  /// Holds elements back so that no more pass than `rate` allows; see ``RateLimit``.
  @inlinable
  public consuming func rateLimit(
    _ name: String, _ rate: Rate, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, RateLimit(rate), file: file, line: line)
  }

  /// Holds elements back so that no more pass than a limiter allows, which may be shared and changed; see
  /// ``RateLimit``.
  @inlinable
  public consuming func rateLimit(
    _ name: String, _ limiter: RateLimiter, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    via(name, RateLimit(limiter), file: file, line: line)
  }
}
