/// A clock whose time moves only by being told: by the simulation it belongs to, or by hand.
///
/// Inside ``simulate(seed:options:fileID:function:_:)`` time stands still while any job is ready or external work is
/// pending, and then goes straight to the next deadline, so hours of sleep cost nothing. With ``Mode/manual`` it goes nowhere
/// until the test calls ``advance(by:)`` or ``Simulation/advance(by:)``: awaiting an item then never moves time.
///
/// A clock made on its own with ``init(seed:)`` is always manual and works with tasks on any executor.
///
/// Sleepers that share a deadline wake in an order fixed by the seed. A cancelled sleep throws `CancellationError` at
/// once and leaves nothing behind.
public struct VirtualClock: Clock, Sendable {
  /// Who moves the time.
  public enum Mode: Sendable {
    /// The simulation, when nothing else can happen.
    case automatic
    /// Only the test.
    case manual
  }

  /// A point of virtual time, counted from the start of the clock.
  public struct Instant: InstantProtocol, Sendable, CustomStringConvertible {
    /// Virtual time since the clock was made.
    public var offset: Duration

    /// Makes the instant `offset` after the start of the clock.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// This instant moved by `duration`; a result that no `Duration` can hold becomes the nearest that one can.
    public func advanced(by duration: Duration) -> Instant {
      let (sum, overflow) = offset.attoseconds.addingReportingOverflow(duration.attoseconds)
      guard overflow else { return Instant(offset: Duration(attoseconds: sum)) }
      return Instant(offset: Duration(attoseconds: duration < .zero ? .min : .max))
    }

    /// The time from this instant to `other`, negative when `other` is earlier.
    public func duration(to other: Instant) -> Duration {
      let (difference, overflow) = other.offset.attoseconds.subtractingReportingOverflow(offset.attoseconds)
      guard overflow else { return Duration(attoseconds: difference) }
      return Duration(attoseconds: other < self ? .min : .max)
    }

    /// Earlier comes first.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }

    /// The offset, such as `3.0 seconds`.
    public var description: String { "\(offset)" }
  }

  private let executor: SeededExecutor

  init(executor: SeededExecutor) {
    self.executor = executor
  }

  /// Makes a clock of its own, moved only by ``advance(by:)``. The seed orders sleepers with one deadline.
  public init(seed: UInt64 = 1) {
    self.init(executor: SeededExecutor(seed: seed, time: .manual))
  }

  /// The present virtual time; zero at first.
  public var now: Instant { Instant(offset: executor.now) }

  /// One attosecond: virtual time is exact.
  public var minimumResolution: Duration { Duration(attoseconds: 1) }

  /// How many sleeps are under way.
  public var sleeperCount: Int { executor.sleeperCount }

  /// When the next sleeper wakes; nil when nobody sleeps.
  public var nextDeadline: Instant? { executor.nextDeadline.map(Instant.init(offset:)) }

  /// Waits until virtual time has reached `deadline`; a deadline that is not in the future only lets other tasks run.
  ///
  /// - Parameter tolerance: ignored, virtual time is exact.
  /// - Throws: `CancellationError` as soon as the task is cancelled, also when it already was.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    guard deadline <= now else { return try await executor.sleep(until: deadline.offset) }
    await Task.yield()
    try Task.checkCancellation()
  }

  /// Moves time forward by `duration`, waking the sleepers it passes in the order of their deadlines.
  ///
  /// Returns without waiting for what they do: a sleep that a woken task begins counts from the new time. Use
  /// ``Simulation/advance(by:)`` to let them act at each deadline. A negative duration counts as zero.
  public func advance(by duration: Duration) {
    advance(to: now.advanced(by: duration))
  }

  /// Moves time forward to `instant`, as ``advance(by:)`` does; does nothing when that is in the past.
  public func advance(to instant: Instant) {
    executor.advance(to: instant.offset)
  }
}
