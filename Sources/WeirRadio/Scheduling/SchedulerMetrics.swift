/// What a scheduler has done so far. Sums of 64 bits and histograms of fixed size.
///
/// Memory: six classes and at most ``mostFlows`` flows of 0.6 KiB each.
public struct SchedulerMetrics: Sendable, Equatable {
  /// Flows that are counted one by one; further ones are counted together.
  public static let mostFlows = 256
  /// The name under which further flows are counted.
  public static let otherFlows = "(others)"

  /// The figures of a class or a flow.
  public struct Account: Sendable, Equatable {
    /// Frames offered, whatever became of them.
    public internal(set) var offered: UInt64 = 0
    /// Frames by fate.
    public internal(set) var fates: [FrameFate.Kind: UInt64] = [:]
    /// Frames that wait, or are on the air.
    public internal(set) var queued: UInt64 = 0
    /// Time on air that waits.
    public internal(set) var queuedAirtime: Duration = .zero
    /// Time on air used.
    public internal(set) var airtime: Duration = .zero
    /// From offer to the start of sending.
    public internal(set) var wait = LatencyHistogram()
    /// From offer to the modem's confirmation.
    public internal(set) var latency = LatencyHistogram()

    /// Whether every frame is accounted for: offered is the sum of all fates and of what waits.
    public var isBalanced: Bool { offered == fates.values.reduce(0, &+) &+ queued }
  }

  /// A flow of a class.
  public struct Flow: Sendable, Hashable {
    /// The class.
    public let frameClass: FrameClass
    /// The flow's name.
    public let name: String

    /// The key of a flow.
    public init(frameClass: FrameClass, name: String) {
      self.frameClass = frameClass
      self.name = name
    }
  }

  /// By class.
  public internal(set) var classes: [FrameClass: Account] = Dictionary(
    uniqueKeysWithValues: FrameClass.allCases.map { ($0, Account()) })
  /// By flow.
  public internal(set) var flows: [Flow: Account] = [:]
  /// From the start of sending to the modem's word.
  public internal(set) var sending = LatencyHistogram()
  /// Transmissions that the modem refused.
  public internal(set) var failures: UInt64 = 0
  /// Transmissions of which the modem said nothing in time.
  public internal(set) var timeouts: UInt64 = 0
  /// Waits because somebody else was heard.
  public internal(set) var backoffs: UInt64 = 0
  /// Starts put off because somebody else was heard for too long.
  public internal(set) var busyChannel: UInt64 = 0
  /// Times the radio was looked after.
  public internal(set) var recoveries: UInt64 = 0
  /// Times that did not help.
  public internal(set) var recoveryFailures: UInt64 = 0

  /// Changes the figures of a frame's class and flow alike.
  mutating func count(_ frameClass: FrameClass, _ flow: String, _ change: (inout Account) -> Void) {
    change(&classes[frameClass, default: Account()])
    var key = Flow(frameClass: frameClass, name: flow)
    if flows[key] == nil, flows.count >= SchedulerMetrics.mostFlows {
      key = Flow(frameClass: frameClass, name: SchedulerMetrics.otherFlows)
    }
    change(&flows[key, default: Account()])
  }
}

/// Times in buckets that double, from a millisecond to about nine hours: 26 numbers, whatever is counted.
public struct LatencyHistogram: Sendable, Equatable {
  private(set) var buckets = [UInt64](repeating: 0, count: 26)
  /// How many times were counted.
  public private(set) var count: UInt64 = 0

  mutating func record(_ time: Duration) {
    let milliseconds = max(0, time / .milliseconds(1))
    let index = milliseconds < 1 ? 0 : min(buckets.count - 1, Int(milliseconds.exponent) + 1)
    buckets[index] &+= 1
    count &+= 1
  }

  /// A time that the given part of all does not exceed: the upper bound of its bucket; zero when nothing was counted.
  public func percentile(_ part: Double) -> Duration {
    guard count > 0 else { return .zero }
    let rank = UInt64((min(max(0, part), 1) * Double(count)).rounded(.up))
    var seen: UInt64 = 0
    for (index, number) in buckets.enumerated() {
      seen &+= number
      if seen >= max(1, rank) { return .milliseconds(1 << index) }
    }
    return .milliseconds(1 << (buckets.count - 1))
  }
}
