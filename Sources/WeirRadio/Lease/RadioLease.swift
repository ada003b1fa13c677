import Synchronization
import Weir

/// The radio for one owner alone, for as long as it changes how the radio is set up: while it lasts, nobody else sends or gives
/// commands.
///
/// It must be given back with ``end(_:)``, which counts once. A lease that is dropped or held too long counts as quarantined:
/// nobody gets the radio until it has been set up anew.
public final class RadioLease: Sendable {
  private let scheduler: RadioFrameScheduler
  private let owner: UInt64
  private let flow: String
  private let hasEnded = Atomic<Bool>(false)

  init(scheduler: RadioFrameScheduler, owner: UInt64, flow: String) {
    self.scheduler = scheduler
    self.owner = owner
    self.flow = flow
  }

  deinit { end(.quarantined(reason: "a lease was dropped without its end")) }

  /// Whether the radio is still this owner's.
  public var isHeld: Bool { scheduler.change { $0.lease.isHeld(by: owner) } }

  /// Whether urgent frames for others have waited long enough: finish what is under way, put the radio back, end the lease and
  /// ask for it again.
  public var isYieldRequested: Bool {
    scheduler.change { core in
      let wait = core.state.urgentWait(besides: flow, at: scheduler.clock.now)
      let isRequested = wait.map { $0 > core.state.options.yieldAfter } ?? false
      if isRequested { core.lease.countYield() }
      return isRequested
    }
  }

  /// Sends a frame past the queues, when the window admits it and, where the scheduler listens, the channel is free. The class decides
  /// how much of the window it may use. One frame at a time: a second is refused with `busy`.
  /// - Parameter continuesBurst: true for frames right behind another of one burst, where the rules of the region let a burst go on
  ///   without listening again (radio study, section 3).
  /// - Throws: ``RadioError`` `leaseEnded`, `frameTooLong`, `sendFailed`, `sendTimedOut`, `ledgerFailed`; `stopped` when the task
  ///   was cancelled.
  public func send(
    _ payload: [UInt8], _ frameClass: FrameClass = .file, on channel: RadioChannel? = nil, continuesBurst: Bool = false
  ) async throws(RadioError) {
    try await scheduler.sendLeased(
      payload, frameClass, on: channel, listensFirst: !continuesBurst, owner: owner)
  }

  /// Nothing more is sent; the radio is being put back as it was, within `time`.
  /// - Throws: ``RadioError`` `leaseEnded`.
  public func beginRestoring(within time: Duration) throws(RadioError) {
    let until = scheduler.clock.now + time
    guard scheduler.change({ $0.lease.restore(owner, until: until) }) else { throw RadioLease.ended }
  }

  /// Gives the radio back.
  /// - Returns: false when the lease had ended before: this end does not count.
  @discardableResult
  public func end(_ ending: LeaseEnding) -> Bool {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    return scheduler.change { $0.endLease(owner, ending, at: scheduler.clock.now) }
  }

  static let isOnAir = RadioError(.busy, "a frame of this lease is on the air; send one after the other")
  static let ended = RadioError(.leaseEnded, "the lease is over; ask for another")
}

extension RadioFrameScheduler {
  /// Waits until the radio is free and takes it. Whoever asked first gets it first.
  /// - Parameters:
  ///   - flow: whom the owner talks to: urgent frames for the same flow do not make the lease yield, the owner carries them.
  ///   - hold: the longest time until it is given back; after that the radio counts as quarantined.
  ///   - mayWait: false to fail with `busy` when somebody else has it.
  /// - Throws: ``RadioError`` `busy`, `quarantined` (not waited for), `stopped` when the task was cancelled.
  public func lease(for flow: String, hold: Duration, mayWait: Bool = true) async throws(RadioError) -> RadioLease {
    if let quarantineReason {
      throw RadioError(.quarantined, "\(quarantineReason); connect and set up the radio anew, then reinitialise it")
    }
    if !mayWait, change({ $0.lease.phase != .free || $0.state.isOnAir }) {
      throw RadioError(.busy, "somebody else has the radio")
    }
    let key = nextKey()
    defer { change { $0.forget(key: key) } }
    let owner: UInt64? = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { core in
          core.requestLease(key: key, hold: hold, at: clock.now) { continuation.resume(returning: $0) }
        }
      }
    } onCancel: {
      change { $0.cancelLease(key: key) }
    }
    guard let owner else { throw RadioError(.stopped, "the wait for the radio was cancelled") }
    return RadioLease(scheduler: self, owner: owner, flow: flow)
  }

  /// Sets a quarantined radio up anew. Everybody waits meanwhile; when `body` throws, it stays quarantined.
  /// - Throws: what `body` throws; ``RadioError`` `busy` when the radio is not quarantined.
  public func reinitialise(_ body: () async throws -> Void) async throws {
    guard change({ $0.lease.reinitialise() }) else { throw RadioError(.busy, "the radio is not quarantined") }
    do {
      try await body()
    } catch {
      change { $0.quarantine("setting the radio up anew failed: \(error)") }
      throw error
    }
    change { _ = $0.reinitialised() }
  }

  /// Says that the radio is in a state that nobody knows.
  public func quarantine(_ reason: String) { change { $0.quarantine(reason) } }

  func sendLeased(
    _ payload: [UInt8], _ frameClass: FrameClass, on channel: RadioChannel?, listensFirst: Bool, owner: UInt64
  ) async throws(RadioError) {
    let options = change { $0.state.options }
    let channel = channel ?? options.channel
    let band = try options.region.subBand(at: channel.frequency)
    let subBand = options.region.subBands.firstIndex(of: band) ?? 0
    let airtime = channel.modulation.timeOnAir(bytes: payload.count)
    guard payload.count <= channel.modulation.maximumBytes, band.longestTransmission.map({ airtime <= $0 }) ?? true
    else {
      throw RadioError(.frameTooLong, "\(payload.count) bytes take \(airtime), more than the channel allows")
    }
    var listener = ChannelListener()
    waiting: while true {
      if listensFirst, listening != nil {
        let (isHeld, isOnAir) = change { ($0.lease.isHeld(by: owner), $0.isLeasedOnAir) }
        if !isHeld { throw RadioLease.ended }
        if isOnAir { throw RadioLease.isOnAir }
        guard await isFree(channel, for: frameClass, &listener) else {
          if Task.isCancelled { throw RadioError(.stopped, "the wait for a free channel was cancelled") }
          continue
        }
      }
      let now = clock.now
      switch change({ $0.startLeased(airtime, of: frameClass, in: subBand, owner: owner, at: now) }) {
      case .started: break waiting
      case .ended: throw RadioLease.ended
      case .onAir: throw RadioLease.isOnAir
      case .never:
        throw RadioError(.frameTooLong, "\(payload.count) bytes take \(airtime), more than a window allows")
      case .wait(let start):
        do {
          try await clock.sleep(until: start)
        } catch {
          throw RadioError(.stopped, "the wait for the window was cancelled")
        }
      }
    }
    defer { change { $0.isLeasedOnAir = false } }
    try note(airtime, on: channel, at: clock.now)
    let (error, measured) = await sendGuarded(payload, on: channel, airtime: airtime)
    change { $0.state.leasedEnd(max(airtime, measured ?? .zero), in: subBand, at: clock.now) }
    if let error { throw error }
  }
}
