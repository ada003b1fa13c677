#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where stamps of the always-on tracing come from: the system's monotonic clock, or an injected one in simulations.
@frozen
public struct TraceClock: Sendable {
  @usableFromInline let custom: (@Sendable () -> UInt64)?

  /// The system's monotonic clock, read directly (about 30 ns a read).
  public static let monotonic = TraceClock(custom: nil)

  @usableFromInline
  init(custom: (@Sendable () -> UInt64)?) { self.custom = custom }

  /// A clock of one's own.
  /// - Parameter nanoseconds: monotone, never zero; called from any task, outside every lock of the framework.
  public init(nanoseconds: @escaping @Sendable () -> UInt64) { custom = nanoseconds }

  /// Nanoseconds since an arbitrary origin.
  @inlinable
  public func now() -> UInt64 {
    if let custom { return custom() }
    return TraceClock.monotonicNanoseconds()
  }

  /// The stamp to carry into a locked region: zero where the region may read the system clock itself when it needs to,
  /// since an injected clock is foreign code and must not run under a lock.
  @inlinable
  func eager() -> UInt64 { custom?() ?? 0 }

  @usableFromInline
  static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}
