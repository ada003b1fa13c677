/// How much of a channel others used of late: time heard busy over the last minute, in percent.
///
/// Memory: one number for each second of the minute.
public struct ChannelUse: Sendable, Hashable {
  private var seconds = [Duration](repeating: .zero, count: 60)
  private var last = 0

  /// Nothing heard yet.
  public init() {}

  /// Somebody else was on the air for `time`, until `now`.
  public mutating func heard(_ time: Duration, at now: Duration) {
    advance(to: now)
    seconds[last % 60] = min(.seconds(60), seconds[last % 60] + max(.zero, time))
  }

  /// The part of the last minute that others used.
  public mutating func percent(at now: Duration) -> Int {
    advance(to: now)
    let sum = seconds.reduce(Duration.zero, +)
    return min(100, Int(sum / .milliseconds(600)))
  }

  private mutating func advance(to now: Duration) {
    let second = max(last, Int(clamping: now.components.seconds))
    for index in stride(from: last + 1, through: min(second, last + 60), by: 1) { seconds[index % 60] = .zero }
    last = second
  }
}
