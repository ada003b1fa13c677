import Weir

/// Frames that end without being sent, and what others ask of the state.
extension SchedulerState {
  /// Ends what would be of no use any more if it started now.
  mutating func expire(at now: Duration) {
    for frameClass in FrameClass.allCases {
      guard let queue = queues[frameClass], !queue.isEmpty else { continue }
      let expired = queues[frameClass]?.removeAll { $0.isExpired(at: now) } ?? []
      for frame in expired { end(frame, .expired) }
    }
  }

  /// Takes back the frames with a token. One that is on the air is sent all the same, and says so.
  /// - Returns: how many had not been sent.
  @discardableResult
  public mutating func cancel(token: UInt64) -> Int {
    if onAir?.frame.frame.token == token { onAir?.cancelled = true }
    return removeAll(.cancelled) { $0.frame.token == token }
  }

  /// Takes back one frame, as ``cancel(token:)`` does.
  mutating func cancel(id: FrameID) {
    if onAir?.frame.id == id { onAir?.cancelled = true }
    _ = removeAll(.cancelled) { $0.id == id }
  }

  /// A frame that was never let in has ended: it counts as offered all the same.
  mutating func endUnoffered(_ frame: RadioFrame, _ fate: FrameFate) -> FrameID {
    let id = FrameID(number: nextID)
    nextID += 1
    metrics.count(frame.frameClass, frame.flow) { account in
      account.offered &+= 1
      account.fates[fate.kind, default: 0] &+= 1
    }
    reports.append(
      FrameReport(id: id, frameClass: frame.frameClass, flow: frame.flow, token: frame.token, fate: fate))
    return id
  }

  /// Whether a frame is on the air.
  var isOnAir: Bool { onAir != nil }

  /// Notes something about the radio.
  mutating func count(_ change: (inout SchedulerMetrics) -> Void) { change(&metrics) }

  /// The windows of the sub-bands with a limit.
  func windows(at now: Duration) -> [SchedulerSnapshot.Window] {
    zip(options.region.subBands, budget.ledgers).compactMap { band, ledger in
      guard let ledger else { return nil }
      let start = ledger.earliestStart(of: longestFrame, from: now)
      return SchedulerSnapshot.Window(
        subBand: band.name, used: ledger.used(endingAt: now), limit: ledger.limit, untilPermit: start.map { $0 - now })
    }
  }

  /// Ends everything that waits.
  @discardableResult
  mutating func cancelAll() -> Int { removeAll(.cancelled) { _ in true } }

  /// The radio is in an unknown state: voice, presence and background are not kept, the others wait.
  mutating func quarantine() {
    access = .quarantined
    _ = removeAll(.rejected(.quarantined)) { [.voice, .presence, .background].contains($0.frame.frameClass) }
  }

  private mutating func removeAll(_ fate: FrameFate, where matches: (WaitingFrame) -> Bool) -> Int {
    var count = 0
    for frameClass in FrameClass.allCases {
      let removed = queues[frameClass]?.removeAll(where: matches) ?? []
      for frame in removed { end(frame, fate) }
      count += removed.count
    }
    return count
  }

  // MARK: What others ask

  /// What became of frames since the last call, oldest first.
  public mutating func takeReports() -> [FrameReport] {
    defer { reports = [] }
    return reports
  }

  /// How long the oldest frame of control, voice or chat has waited that is not for `flow`.
  func urgentWait(besides flow: String, at now: Duration) -> Duration? {
    let urgent: [FrameClass] = [.control, .voice, .chat]
    let offered = urgent.flatMap { queues[$0]?.frames ?? [] }.filter { $0.frame.flow != flow }.map(\.offered).min()
    return offered.map { now - $0 }
  }

  /// Time on air for which a class has room now.
  public func room(for frameClass: FrameClass) -> Duration? {
    options.rules(of: frameClass).queue.map { max(.zero, $0 - (queues[frameClass]?.airtime ?? .zero)) }
  }

  /// On which channel the frame goes that would be taken now; nil when none would.
  func nextChannel(at now: Duration) -> RadioChannel? {
    var copy = self
    // Of what the copy does nothing is to be seen; without its counts it is cheap.
    (copy.metrics, copy.reports) = (SchedulerMetrics(), [])
    return copy.take(at: now)?.channel
  }

  /// When a transmission without the queues, by the holder of a lease, may start; nil when it never may.
  func earliestLeasedStart(_ airtime: Duration, of frameClass: FrameClass, in subBand: Int, from now: Duration)
    -> Duration?
  {
    budget.earliestStart(of: airtime, of: frameClass, in: subBand, from: now)
  }

  /// A transmission by the holder of a lease starts.
  mutating func leasedStart(_ airtime: Duration, in subBand: Int, at now: Duration) {
    budget.spend(airtime, in: subBand, at: now)
  }

  /// A transmission by the holder of a lease has ended.
  mutating func leasedEnd(_ airtime: Duration, in subBand: Int, at now: Duration) {
    budget.correct(airtime, in: subBand, endedAt: now)
  }

  /// Takes over what was sent before; nil for what is not known, which counts as spent.
  public mutating func restore(_ entries: [DutyLedger.Entry]?, ofSubBand name: String, at now: Duration) {
    guard let index = options.region.subBands.firstIndex(where: { $0.name == name }) else { return }
    budget.restore(entries, in: index, at: now)
  }

  /// What is remembered of a sub-band; nil where nothing limits it, or there is none of that name.
  public func ledger(ofSubBand name: String) -> DutyLedger? {
    options.region.subBands.firstIndex { $0.name == name }.flatMap { budget.ledgers[$0] }
  }
}
