import Weir

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The time of day as an injected clock counts it on: it is read once, and from then on only the clock moves it. So a
/// change of the system's time cannot revive what has expired, and a test can move it by hand.
public struct WallClock: Sendable {
  /// The clock.
  public let clock: GraphClock
  private let origin: Int64

  /// The time of day now, moved on by `clock`.
  /// - Parameter now: milliseconds since 1970 at this moment; nil asks the system.
  public init(_ clock: GraphClock = .continuous, now: Int64? = nil) {
    self.clock = clock
    let moment = now ?? Self.systemMilliseconds
    origin = moment.subtractingReportingOverflow(Self.milliseconds(clock.now)).partialValue
  }

  /// Milliseconds since 1970.
  public var now: Int64 {
    let (sum, overflow) = origin.addingReportingOverflow(Self.milliseconds(clock.now))
    return overflow ? .max : sum
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    return overflow
      ? (seconds < 0 ? .min : .max) : scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
  }

  private static var systemMilliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
