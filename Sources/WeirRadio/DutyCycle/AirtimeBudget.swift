/// What the region, and politeness, allow now: one exact window for each sub-band that has a limit.
struct AirtimeBudget: Sendable {
  let region: RadioRegion
  /// The part of each window that only control and voice may use, in percent.
  let reserve: Int
  /// By the index of the sub-band in the region; nil where nothing limits it.
  private(set) var ledgers: [DutyLedger?]
  /// How much of the channel others use, in percent.
  var foreignUse = 0

  init(region: RadioRegion, reserve: Int) {
    self.region = region
    self.reserve = reserve
    ledgers = region.subBands.map { band in band.airtime.map { DutyLedger(window: band.window, limit: $0) } }
  }

  /// Most airtime of a window that a class may use; nil without a limit.
  func limit(of frameClass: FrameClass, in subBand: Int) -> Duration? {
    ledgers[subBand].map { frameClass <= .voice ? $0.limit : $0.limit * (100 - reserve) / 100 }
  }

  /// Whether a frame may start at `now`.
  func admits(_ airtime: Duration, of frameClass: FrameClass, in subBand: Int, at now: Duration) -> Bool {
    ledgers[subBand]?.admits(airtime, at: now, within: limit(of: frameClass, in: subBand)) ?? true
  }

  /// The first time from `now` on at which a frame may start; nil when it never may.
  func earliestStart(
    of airtime: Duration, of frameClass: FrameClass, in subBand: Int, from now: Duration
  ) -> Duration? {
    guard let ledger = ledgers[subBand] else { return now }
    return ledger.earliestStart(of: airtime, from: now, within: limit(of: frameClass, in: subBand))
  }

  /// A frame starts at `now`.
  mutating func spend(_ airtime: Duration, in subBand: Int, at now: Duration) {
    ledgers[subBand]?.record(airtime, endingAt: now + airtime)
  }

  /// The newest frame of a sub-band has ended.
  mutating func correct(_ airtime: Duration, in subBand: Int, endedAt end: Duration) {
    ledgers[subBand]?.correctLast(airtime: airtime, endedAt: end)
  }

  /// Takes over what is known of the past; nothing known counts as spent.
  mutating func restore(_ entries: [DutyLedger.Entry]?, in subBand: Int, at now: Duration) {
    guard ledgers.indices.contains(subBand) else { return }
    guard let entries else {
      ledgers[subBand]?.exhaust(at: now)
      return
    }
    for entry in entries { ledgers[subBand]?.record(entry.airtime, endingAt: min(entry.end, now)) }
  }
}
