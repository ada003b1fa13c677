/// Spaces elements out in time: a pure value that is told the time and answers how long to wait.
///
/// At most `perSecond` elements go in any second, and those of ``burst`` more: a pause that came out too long is made up
/// for within that time, a longer standstill is not, so a slow store is never followed by a flood.
struct RatePacer: Sendable, Equatable {
  /// How far the pace may lag behind and still catch up.
  static let burst = Duration.milliseconds(20)

  private let interval: Duration
  private var due: Duration

  /// A pacer at `start`, a time of the same clock as later ones.
  init(perSecond: Int, start: Duration) {
    interval = .seconds(1) / Double(max(1, perSecond))
    due = start
  }

  /// The wait before the next element at `now`; nil when it may go at once. Each call stands for one element.
  mutating func wait(at now: Duration) -> Duration? {
    due = max(due, now - Self.burst)
    defer { due += interval }
    return due > now ? due - now : nil
  }
}
