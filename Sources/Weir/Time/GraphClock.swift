/// The time of a run: any clock with `Duration` steps, seen as an offset from the moment it was wrapped.
public struct GraphClock: Sendable {
  private let offset: @Sendable () -> Duration
  private let sleeper: @Sendable (Duration) async throws -> Void

  /// Wraps a clock; offsets count from now.
  public init<C: Clock & Sendable>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    offset = { origin.duration(to: clock.now) }
    sleeper = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
  }

  /// The continuous clock of the system.
  public static var continuous: GraphClock { GraphClock(ContinuousClock()) }

  /// Time since the clock was wrapped.
  public var now: Duration { offset() }

  /// Sleeps until an offset.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until offset: Duration) async throws { try await sleeper(offset) }

  /// Sleeps for a time.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await sleeper(now + duration) }
}

extension Duration {
  /// The duration in whole nanoseconds, for limits of age: what is shorter than one counts as one.
  @usableFromInline var wholeNanoseconds: UInt64 { UInt64(Swift.max(1, nanoseconds)) }

  /// The duration in nanoseconds, clamped to what 64 bits hold.
  @usableFromInline var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, tooMuch) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return tooMuch ? (seconds < 0 ? .min : .max) : sum
  }
}
