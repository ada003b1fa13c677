/// What was sent within a sliding window, and whether one more frame may be: exact, as a value without a clock.
///
/// A window that ends while nothing is sent holds no more than the one that ended with the last frame, so it is enough to
/// look at the windows that end with a frame. Times count from any moment, the same for all calls.
///
/// Memory: at most ``maximumEntries`` entries of 32 bytes. Beyond that the two oldest are taken together as if both had been
/// sent as late as the later one, which only ever allows less.
public struct DutyLedger: Sendable, Hashable {
  /// A transmission.
  public struct Entry: Sendable, Hashable {
    /// When it ended.
    public var end: Duration
    /// How long it was.
    public var airtime: Duration
    var start: Duration { end - airtime }

    /// A transmission that ended at a time.
    public init(end: Duration, airtime: Duration) {
      self.end = end
      self.airtime = airtime
    }
  }

  /// Most transmissions remembered one by one.
  public static let maximumEntries = 4_096

  /// Length of the window.
  public let window: Duration
  /// Most time on air within it.
  public let limit: Duration
  /// The transmissions of the last window, oldest first.
  public private(set) var entries: [Entry] = []

  /// A ledger without history. A limit above the window is the window.
  public init(window: Duration, limit: Duration) {
    self.window = max(.nanoseconds(1), window)
    self.limit = min(max(.zero, limit), self.window)
  }

  /// Time on air within the window that ends at `time`.
  public func used(endingAt time: Duration) -> Duration {
    let start = time - window
    var sum = Duration.zero
    for entry in entries { sum += max(.zero, min(entry.end, time) - max(entry.start, start)) }
    return sum
  }

  /// Whether a frame that starts at `start` stays within `limit` (at most the ledger's own).
  public func admits(_ airtime: Duration, at start: Duration, within limit: Duration? = nil) -> Bool {
    earliestStart(of: airtime, from: start, within: limit) == start
  }

  /// The first time from `start` on at which a frame may start; nil when it is longer than the limit.
  public func earliestStart(of airtime: Duration, from start: Duration, within limit: Duration? = nil) -> Duration? {
    let room = min(limit ?? self.limit, self.limit) - airtime
    guard room >= .zero, airtime >= .zero else { return nil }
    let windowStart = start + airtime - window
    var excess = Duration.zero - room
    for entry in entries { excess += max(.zero, entry.end - max(entry.start, windowStart)) }
    guard excess > .zero else { return start }
    // The oldest leave first: the window has to begin where enough of them has gone.
    for entry in entries {
      let from = max(entry.start, windowStart)
      let inside = max(.zero, entry.end - from)
      if inside >= excess { return from + excess + window - airtime }
      excess -= inside
    }
    return start
  }

  /// Notes a transmission. What has left the window for good is forgotten.
  public mutating func record(_ airtime: Duration, endingAt end: Duration) {
    guard airtime > .zero else { return }
    // A clock that steps back must not free anything: transmissions stand in the order in which they were made.
    let end = max(end, entries.last?.end ?? end)
    entries.append(Entry(end: end, airtime: airtime))
    let horizon = end - window
    let gone = entries.prefix { $0.end <= horizon }.count
    if gone > 0 { entries.removeFirst(gone) }
    if entries.count > DutyLedger.maximumEntries {
      entries[1].airtime += entries[0].airtime
      entries.removeFirst()
    }
  }

  /// Corrects the newest transmission by what was seen: it is never made shorter, and never earlier.
  public mutating func correctLast(airtime: Duration, endedAt end: Duration) {
    guard let last = entries.indices.last else { return }
    entries[last].airtime = max(entries[last].airtime, airtime)
    entries[last].end = max(entries[last].end, end)
  }

  /// Counts the whole limit as sent just now: what is not known counts as spent.
  public mutating func exhaust(at now: Duration) {
    entries = limit > .zero ? [Entry(end: now, airtime: limit)] : []
  }
}
