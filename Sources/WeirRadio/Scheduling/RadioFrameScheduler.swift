import Synchronization
import Weir

/// Sends the frames of many producers over one radio: what is urgent first, what is late not at all, and never more than the
/// region allows. It is the only user of its radio.
///
/// Alone: start ``run()`` in a task, then ``send(_:)`` from any other. In a graph: the scheduler is a ``Process`` from frames to
/// reports, ``FrameSender`` another producer of the same radio.
///
/// Sends when a frame is ready and, where it listens, nobody else is on the air. Waits while the window, a lease or quarantine
/// forbids. Finishes when the task of ``run()`` is cancelled: everything that waits is cancelled, and of a frame on the air nobody
/// knows any more whether it was sent. What becomes of each frame: ``FrameFate``.
///
/// Listening is done on the channel of the frame that is to be sent, before frames of a lease too.
///
/// Memory: that of ``SchedulerState``, and whoever waits for room: one frame for each task that waits in ``send(_:)``.
public final class RadioFrameScheduler: Sendable {
  private let core: Mutex<SchedulerCore>
  private let keys = Atomic<UInt64>(1)
  private let made: Duration
  let bell = Bell()
  let radio: any FrameRadio
  let clock: GraphClock
  let listening: ChannelAccess.Options?
  private let ledger: DutyLedgerFile?
  private let onReport: (@Sendable (FrameReport) -> Void)?

  /// - Parameters:
  ///   - options: the channel, the region, and how each class is treated.
  ///   - radio: who sends.
  ///   - clock: for times to live, waits and the window; a virtual one in simulations.
  ///   - listening: listen before each start; nil to start without.
  ///   - ledger: where the time on air used is kept over restarts; nil to begin with an empty window each time, which is legal
  ///     only where the radio was silent for a window before.
  ///   - onReport: told what became of each frame, once, in order of their ends; it must not block.
  /// - Throws: ``RadioError`` `badOptions`, `badFrequency`; `ledgerFailed` when the file cannot be read or written.
  public init(
    _ options: SchedulerOptions, radio: any FrameRadio, clock: GraphClock = .continuous,
    listening: ChannelAccess.Options? = nil, ledger: DutyLedgerFile? = nil,
    onReport: (@Sendable (FrameReport) -> Void)? = nil
  ) throws(RadioError) {
    var state = try SchedulerState(options)
    if let ledger {
      let now = clock.now
      let limits = options.region.subBands.compactMap { band in band.airtime.map { (name: band.name, airtime: $0) } }
      for (name, entries) in try ledger.histories(of: limits, at: now) {
        state.restore(entries, ofSubBand: name, at: now)
      }
    }
    core = Mutex(SchedulerCore(state))
    self.radio = radio
    self.clock = clock
    made = clock.now
    self.listening = listening
    self.ledger = ledger
    self.onReport = onReport
  }

  // MARK: Frames

  /// Sends a frame: waits for room where its class waits, then for its fate. Cancelling the task takes the frame back; one that
  /// is on the air is sent all the same, and the report says so.
  public func send(_ frame: RadioFrame) async -> FrameReport {
    let key = nextKey()
    defer { change { $0.forget(key: key) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(frame, key: key, onAdmission: nil) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      change { $0.cancel(key: key, at: clock.now) }
    }
  }

  /// Waits until a frame has its place in the queue, and no longer. Its fate is told to `report`.
  /// - Parameter key: to take it back by, from ``nextKey()``.
  /// - Returns: the frame's number; nil when it ended before it was let in.
  func admit(
    _ frame: RadioFrame, key: UInt64, report: @escaping @Sendable (FrameReport) -> Void
  ) async -> FrameID? {
    defer { change { $0.forget(key: key) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        submit(frame, key: key, onAdmission: { continuation.resume(returning: $0) }, onReport: report)
      }
    } onCancel: {
      change { $0.cancel(key: key, at: clock.now) }
    }
  }

  /// Offers a frame without waiting for room; its fate is told to the scheduler's `onReport`.
  public func offer(_ frame: RadioFrame) -> SchedulerState.Offer {
    change { core in
      defer { core.ring() }
      return core.state.offer(frame, at: clock.now)
    }
  }

  /// Takes back all frames with a token.
  /// - Returns: how many had not been sent.
  @discardableResult
  public func cancel(token: UInt64) -> Int { change { $0.cancel(token: token, at: clock.now) } }

  private func submit(
    _ frame: RadioFrame, key: UInt64, onAdmission: (@Sendable (FrameID?) -> Void)?,
    onReport: @escaping @Sendable (FrameReport) -> Void
  ) {
    change { core in
      core.submit(
        Submission(key: key, frame: frame, since: clock.now, onAdmission: onAdmission, onReport: onReport),
        at: clock.now)
    }
  }

  // MARK: What is known

  /// Counts, times and time on air by class and flow.
  public var metrics: SchedulerMetrics { core.withLock { $0.state.metrics } }

  /// How leases ended.
  public var leaseCounts: LeaseCounts { core.withLock { $0.lease.counts } }

  /// All there is to know at this moment.
  public func snapshot() -> SchedulerSnapshot {
    let now = clock.now
    let reason = quarantineReason
    return core.withLock { core in
      let own = core.state.metrics.classes.values.reduce(Duration.zero) { $0 + $1.airtime }
      let age = now - made
      return SchedulerSnapshot(
        metrics: core.state.metrics, windows: core.state.windows(at: now), foreignUse: core.use.percent(at: now),
        ownUse: age > .zero ? min(100, 100 * (own / age)) : 0, leases: core.lease.counts, quarantine: reason)
    }
  }

  /// Time on air for which a class has room now; nil where its rules bound frames only. Producers that pace themselves ask.
  public func room(for frameClass: FrameClass) -> Duration? { core.withLock { $0.state.room(for: frameClass) } }

  /// Why the radio is quarantined; nil when it is not.
  public var quarantineReason: String? {
    core.withLock { core in
      if case .quarantined(let reason) = core.lease.phase { return reason }
      return nil
    }
  }

  /// Somebody else was heard on the channel for a time, as a receiver can tell: makes polite classes silent and windows wider.
  public func heardForeign(_ airtime: Duration) {
    change { core in
      core.use.heard(airtime, at: clock.now)
      core.ring()
    }
  }

  // MARK: Inside

  func nextKey() -> UInt64 { keys.add(1, ordering: .relaxed).newValue }

  /// Changes what is under the lock, then tells whom it concerns.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout SchedulerCore) -> Result) -> Result {
    let (result, effects) = core.withLock { core in
      let result = body(&core)
      return (result, core.takeEffects())
    }
    for (report, tell) in effects.reports {
      tell?(report)
      onReport?(report)
    }
    for (id, tell) in effects.admissions { tell(id) }
    for (owner, tell) in effects.leases { tell(owner) }
    if effects.rings { bell.ring() }
    return result
  }

  /// Notes a transmission before it starts, so that a crash in the middle forgets nothing.
  func note(_ airtime: Duration, on channel: RadioChannel, at now: Duration) throws(RadioError) {
    guard let ledger else { return }
    let region = core.withLock { $0.state.options.region }
    let band = try region.subBand(at: channel.frequency)
    guard band.airtime != nil else { return }
    try ledger.append(airtime, ofSubBand: band.name, window: band.window, endingAt: now + airtime, at: now)
  }
}
