/// Real time that runs faster: simulations over real devices in a fraction of the time.
public struct ScaledClock: Clock, Sendable {
  /// A moment of scaled time.
  public struct Instant: InstantProtocol, Sendable {
    let offset: Duration
    /// The moment so much scaled time later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Scaled time until another moment.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  private let base = ContinuousClock()
  private let origin = ContinuousClock.now
  private let factor: Int

  /// - Parameter factor: how often faster than real time; below 1 counts as 1.
  public init(factor: Int) { self.factor = max(1, factor) }

  /// The present, in scaled time.
  public var now: Instant { Instant(offset: origin.duration(to: base.now) * factor) }
  /// That of the continuous clock, as often longer.
  public var minimumResolution: Duration { base.minimumResolution * factor }

  /// Sleeps until a moment of scaled time.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: origin.advanced(by: deadline.offset / factor), tolerance: tolerance.map { $0 / factor })
  }
}
