/// So many elements in so much time, and how many of them may come at once.
public struct Rate: Sendable, Hashable, CustomStringConvertible {
  /// Elements in each `period`, 1 or more.
  public var count: Int
  /// Above zero.
  public var period: Duration
  /// Elements that may pass at once after a quiet time, from 1 to 1,000,000,000.
  public var burst: Int

  /// So many elements in each period; `burst` of them may go at once after a pause.
  public init(_ count: Int, per period: Duration, burst: Int = 1) {
    self.count = count
    self.period = period
    self.burst = burst
  }

  public var description: String { "\(count) per \(period), \(burst) at once" }

  /// What is wrong with the rate, in words; none when it can be used.
  public var faults: [String] {
    var faults = durationFaults(period, "a rate")
    if count <= 0 { faults.append("a rate of \(count) elements lets nothing pass; use 1 or more") }
    if burst <= 0 { faults.append("a burst of \(burst) lets nothing pass; use 1 or more") }
    if burst > Rate.maximumBurst { faults.append("a burst of \(burst) is above \(Rate.maximumBurst); use less") }
    return faults
  }

  static var maximumBurst: Int { 1_000_000_000 }

  // Faulty rates never get into a graph; these keep their arithmetic from trapping all the same.
  var usableBurst: Int { min(max(1, burst), Rate.maximumBurst) }

  /// Rounded up, so that the rate is never exceeded.
  var spacing: Duration {
    let period = min(max(self.period, .nanoseconds(1)), .longest).attoseconds
    let count = Int128(max(1, self.count))
    return Duration(attoseconds: (period + count - 1) / count)
  }

  var tolerance: Duration { spacing * (usableBurst - 1) }
}
