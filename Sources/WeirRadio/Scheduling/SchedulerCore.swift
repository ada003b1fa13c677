/// What is to be done outside of the lock after the state was changed.
struct SchedulerEffects {
  var reports: [(report: FrameReport, tell: (@Sendable (FrameReport) -> Void)?)] = []
  var admissions: [(id: FrameID?, tell: @Sendable (FrameID?) -> Void)] = []
  var leases: [(owner: UInt64?, tell: @Sendable (UInt64?) -> Void)] = []
  /// Whether the driver has something to look at.
  var rings = false
}

/// A frame that somebody waits for: for room, or for its fate.
struct Submission: Sendable {
  let key: UInt64
  var frame: RadioFrame
  let since: Duration
  /// Told once it is in the queue; nil when it ended before.
  let onAdmission: (@Sendable (FrameID?) -> Void)?
  let onReport: @Sendable (FrameReport) -> Void
}

/// Somebody who waits for the radio.
private struct LeaseWaiter: Sendable {
  let key: UInt64
  let hold: Duration
  let asked: Duration
  let tell: @Sendable (UInt64?) -> Void
}

/// Everything that ``RadioFrameScheduler`` keeps under its lock: the state, who waits for what, and the lease.
struct SchedulerCore: Sendable {
  var state: SchedulerState
  var lease = LeaseState()
  var use = ChannelUse()
  var isRunning = false
  var isStopped = false
  /// Whether the holder of the lease has a frame on the air.
  var isLeasedOnAir = false

  /// Frames for which there is no room yet, oldest first.
  private var waiting: [FrameClass: [Submission]] = [:]
  private var tellers: [FrameID: @Sendable (FrameReport) -> Void] = [:]
  /// Frames in the queues by the key of their submission, so that a cancelled task can take its frame back.
  private var queued: [UInt64: FrameID] = [:]
  private var keys: [FrameID: UInt64] = [:]
  private var cancelledEarly: Set<UInt64> = []
  private var leaseWaiters: [LeaseWaiter] = []
  private var effects = SchedulerEffects()

  init(_ state: SchedulerState) { self.state = state }

  /// What has to be done now that nobody can see the state.
  mutating func takeEffects() -> SchedulerEffects {
    for report in state.takeReports() {
      let tell = tellers.removeValue(forKey: report.id)
      if let key = keys.removeValue(forKey: report.id) { queued[key] = nil }
      effects.reports.append((report, tell))
    }
    defer { effects = SchedulerEffects() }
    return effects
  }

  /// The driver has something to look at.
  mutating func ring() { effects.rings = true }

  // MARK: Frames

  mutating func submit(_ submission: Submission, at now: Duration) {
    let frameClass = submission.frame.frameClass
    if isStopped || cancelledEarly.remove(submission.key) != nil {
      giveUp(submission, .cancelled, at: now)
    } else if let line = waiting[frameClass], !line.isEmpty {
      waiting[frameClass]?.append(submission)
    } else if !admit(submission, at: now) {
      waiting[frameClass, default: []].append(submission)
    }
    ring()
  }

  private mutating func admit(_ submission: Submission, at now: Duration) -> Bool {
    var frame = submission.frame
    let life = frame.timeToLive ?? state.options.rules(of: frame.frameClass).timeToLive
    // It lives from the moment at which it was given.
    frame.timeToLive = life.map { $0 - (now - submission.since) }
    switch state.offer(frame, at: now, mayWait: true) {
    case .full: return false
    case .accepted(let id), .rejected(let id, _):
      tellers[id] = submission.onReport
      queued[submission.key] = id
      keys[id] = submission.key
      if let tell = submission.onAdmission { effects.admissions.append((id, tell)) }
      return true
    }
  }

  private mutating func giveUp(_ submission: Submission, _ fate: FrameFate, at now: Duration) {
    let id = state.endUnoffered(submission.frame, fate)
    tellers[id] = submission.onReport
    if let tell = submission.onAdmission { effects.admissions.append((nil, tell)) }
  }

  /// The task that waits for a frame was cancelled.
  mutating func cancel(key: UInt64, at now: Duration) {
    if let id = queued[key] {
      state.cancel(id: id)
    } else {
      for frameClass in FrameClass.allCases {
        guard let index = waiting[frameClass]?.firstIndex(where: { $0.key == key }) else { continue }
        if let submission = waiting[frameClass]?.remove(at: index) { giveUp(submission, .cancelled, at: now) }
        return
      }
      cancelledEarly.insert(key)
    }
    ring()
  }

  /// A submission is over before it was made known.
  mutating func forget(key: UInt64) { cancelledEarly.remove(key) }

  mutating func cancel(token: UInt64, at now: Duration) -> Int {
    var count = state.cancel(token: token)
    for frameClass in FrameClass.allCases {
      let leaving = waiting[frameClass]?.filter { $0.frame.token == token } ?? []
      waiting[frameClass]?.removeAll { $0.frame.token == token }
      for submission in leaving { giveUp(submission, .cancelled, at: now) }
      count += leaving.count
    }
    ring()
    return count
  }

  /// Lets those in that have room now, and ends those that have waited too long.
  mutating func admitWaiting(at now: Duration) {
    for frameClass in FrameClass.allCases {
      guard var line = waiting[frameClass], !line.isEmpty else { continue }
      let life = state.options.rules(of: frameClass).timeToLive
      line.removeAll { submission in
        guard let life = submission.frame.timeToLive ?? life, now >= submission.since + life else { return false }
        giveUp(submission, .expired, at: now)
        return true
      }
      while let first = line.first, admit(first, at: now) { line.removeFirst() }
      waiting[frameClass] = line
    }
  }

  /// When one of those that wait for room has waited too long.
  private var nextExpiry: Duration? {
    waiting.flatMap { frameClass, line in
      let life = state.options.rules(of: frameClass).timeToLive
      return line.compactMap { submission in
        (submission.frame.timeToLive ?? life).map { submission.since + $0 }
      }
    }.min()
  }

  // MARK: What can be done

  mutating func step(at now: Duration) -> SchedulerState.Step {
    if lease.expire(at: now) { state.quarantine() }
    grantLease(at: now)
    admitWaiting(at: now)
    state.foreignUse = use.percent(at: now)
    let step = state.step(at: now)
    // What has expired may have made room.
    admitWaiting(at: now)
    guard case .wait(let until) = step else { return step }
    return .wait(until: [until, nextExpiry, lease.deadline].compactMap { $0 }.min())
  }

  /// Ends everything: no frame will be sent any more.
  mutating func stop(at now: Duration) {
    isStopped = true
    state.cancelAll()
    for frameClass in FrameClass.allCases {
      for submission in waiting[frameClass] ?? [] { giveUp(submission, .cancelled, at: now) }
    }
    waiting = [:]
    for waiter in leaseWaiters { effects.leases.append((nil, waiter.tell)) }
    leaseWaiters = []
    ring()
  }

  // MARK: Lease

  mutating func requestLease(
    key: UInt64, hold: Duration, at now: Duration, _ tell: @escaping @Sendable (UInt64?) -> Void
  ) {
    if isStopped || cancelledEarly.remove(key) != nil {
      effects.leases.append((nil, tell))
    } else {
      leaseWaiters.append(LeaseWaiter(key: key, hold: hold, asked: now, tell: tell))
      grantLease(at: now)
    }
  }

  mutating func cancelLease(key: UInt64) {
    if let index = leaseWaiters.firstIndex(where: { $0.key == key }) {
      effects.leases.append((nil, leaseWaiters.remove(at: index).tell))
    } else {
      cancelledEarly.insert(key)
    }
  }

  /// The first that waits gets the radio when it is free and nothing is on the air.
  private mutating func grantLease(at now: Duration) {
    guard !leaseWaiters.isEmpty, !state.isOnAir else { return }
    let first = leaseWaiters[0]
    guard let owner = lease.acquire(until: now + first.hold, askedAt: first.asked, at: now) else { return }
    state.access = .leased
    effects.leases.append((owner, leaseWaiters.removeFirst().tell))
    ring()
  }

  /// What becomes of a frame that the holder of the lease wants sent now.
  enum LeasedStart: Sendable {
    /// It is counted and goes on the air.
    case started
    /// The window admits it then.
    case wait(until: Duration)
    /// The window never admits it.
    case never
    /// The frame before it has not ended.
    case onAir
    /// The lease is over.
    case ended
  }

  mutating func startLeased(
    _ airtime: Duration, of frameClass: FrameClass, in subBand: Int, owner: UInt64, at now: Duration
  ) -> LeasedStart {
    guard case .leased(owner, _) = lease.phase else { return .ended }
    if isLeasedOnAir { return .onAir }
    guard let start = state.earliestLeasedStart(airtime, of: frameClass, in: subBand, from: now) else { return .never }
    guard start == now else { return .wait(until: start) }
    state.leasedStart(airtime, in: subBand, at: now)
    isLeasedOnAir = true
    return .started
  }

  mutating func endLease(_ owner: UInt64, _ ending: LeaseEnding, at now: Duration) -> Bool {
    guard lease.end(owner, ending, at: now) else { return false }
    if case .quarantined = ending {
      state.quarantine()
    } else {
      state.access = .open
      grantLease(at: now)
    }
    ring()
    return true
  }

  mutating func quarantine(_ reason: String) {
    lease.quarantine(reason)
    state.quarantine()
    ring()
  }

  mutating func reinitialised() -> Bool {
    guard lease.reinitialised() else { return false }
    state.access = .open
    ring()
    return true
  }
}
