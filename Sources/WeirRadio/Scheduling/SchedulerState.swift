import Weir

/// Which frame goes next, and what becomes of the others: the whole scheduler as a value without a clock, a modem or a task.
/// Every call says what time it is; times count from any moment and never go back.
///
/// Strict priority by frame, with guaranteed shares (``ShareAccount``); within a class, flows take turns by time on air
/// (``ClassQueue``). A frame may start when its sub-band's window admits it at that moment (``DutyLedger``), when its last bit
/// will be out within its time to live, and when its class is not silent out of politeness.
///
/// Memory: the frames that the rules of the classes let wait, one ledger for each sub-band with a limit, and the reports
/// that ``takeReports()`` has not fetched yet, one for each frame that ended.
public struct SchedulerState: Sendable {
  /// What came of an offer.
  public enum Offer: Sendable, Equatable {
    /// It waits its turn.
    case accepted(FrameID)
    /// It ended at once; the report says so too.
    case rejected(FrameID, Rejection)
    /// No room yet, and the class waits for it: offer it again when something has left. The frame counts as not offered.
    case full(estimatedWait: Duration?)
  }

  /// What can be done.
  public enum Step: Sendable, Equatable {
    /// A frame of this class may start now: listen, if need be, then ``take(at:)``.
    case ready(FrameClass)
    /// Nothing until then, unless a frame is offered; nil when nothing waits for a time.
    case wait(until: Duration?)
    /// A frame is on the air.
    case onAir
  }

  /// A frame that goes on the air now.
  public struct Transmission: Sendable, Equatable {
    /// Which frame.
    public let id: FrameID
    /// What to send.
    public let frame: RadioFrame
    /// Where.
    public let channel: RadioChannel
    /// Time on air by the formula.
    public let airtime: Duration
  }

  /// Who may use the radio.
  enum Access: Sendable, Equatable {
    case open
    case leased
    case quarantined
  }

  let options: SchedulerOptions
  var queues: [FrameClass: ClassQueue] = [:]
  var shares: [FrameClass: ShareAccount] = [:]
  var controls: [FrameClass: StandingQueueControl] = [:]
  var budget: AirtimeBudget
  var reports: [FrameReport] = []
  var nextID: UInt64 = 1
  var onAir: (frame: WaitingFrame, start: Duration, cancelled: Bool)?
  /// Time on air of the longest frame of the scheduler's own channel: the quantum of flows.
  let longestFrame: Duration
  /// Time on air of the longest frame that the scheduler's own channel allows: no frame of control, voice or chat waits
  /// for more than one of them, and ``turnAround``, once it is first in its class.
  public var longestFrameAirtime: Duration { longestFrame }
  /// Time between the end of a frame and the start of the next.
  public var turnAround: Duration { options.turnAround }
  var access = Access.open
  /// How much of the channel others use, in percent.
  public var foreignUse: Int {
    get { budget.foreignUse }
    set { budget.foreignUse = newValue }
  }
  /// What was done so far, by class and flow.
  public internal(set) var metrics = SchedulerMetrics()

  /// - Throws: ``RadioError`` `badOptions` with every fault, `badFrequency` where the channel lies in no sub-band.
  public init(_ options: SchedulerOptions) throws(RadioError) {
    let faults = options.faults()
    guard faults.isEmpty else { throw RadioError(.badOptions, faults.joined(separator: "; ")) }
    let subBand = try options.region.subBand(at: options.channel.frequency)
    self.options = options
    budget = AirtimeBudget(region: options.region, reserve: options.reserve)
    let modulation = options.channel.modulation
    let most = subBand.longestTransmission.map { modulation.mostBytes(within: $0) ?? 0 } ?? modulation.maximumBytes
    longestFrame = modulation.timeOnAir(bytes: most)
    for frameClass in FrameClass.allCases {
      let rules = options.rules(of: frameClass)
      let control = StandingQueueControl(longest: longestFrame)
      queues[frameClass] = ClassQueue(greetingInterval: control.interval)
      shares[frameClass] = ShareAccount(share: rules.guaranteedShare, window: options.shareWindow)
      if rules.isDroppable { controls[frameClass] = control }
    }
  }

  // MARK: Frames in

  /// Offers a frame.
  /// - Parameter mayWait: whether the caller can offer it again later, where the class waits for room.
  public mutating func offer(_ frame: RadioFrame, at now: Duration, mayWait: Bool = false) -> Offer {
    expire(at: now)
    let rules = options.rules(of: frame.frameClass)
    let id = FrameID(number: nextID)
    let waiting: WaitingFrame
    do {
      waiting = try prepare(frame, id, rules, now)
    } catch {
      return count(rejected(id, frame, .impossible(error)))
    }
    if access == .quarantined, [.voice, .presence, .background].contains(frame.frameClass) {
      return count(rejected(id, frame, .quarantined))
    }
    if waiting.isExpired(at: now) {
      nextID += 1
      metrics.count(frame.frameClass, frame.flow) { $0.offered &+= 1 }
      end(waiting, .expired, waited: false)
      return .accepted(id)
    }
    if rules.coalesces, let old = queues[frame.frameClass]?.replace(with: waiting) {
      admit(waiting)
      end(old, .coalesced(by: id))
      return .accepted(id)
    }
    while !hasRoom(for: waiting, rules) {
      switch rules.whenFull {
      case .wait where mayWait:
        return .full(estimatedWait: estimatedWait(for: waiting, rules, at: now))
      case .wait, .dropNewest:
        return count(rejected(id, frame, .queueFull(estimatedWait: estimatedWait(for: waiting, rules, at: now))))
      case .dropOldest:
        guard let oldest = queues[frame.frameClass]?.removeOldest() else { break }
        end(oldest, .rejected(.displaced))
      case .evictLowest:
        guard let evicted = evictLowest(below: frame.frameClass) else {
          return count(rejected(id, frame, .queueFull(estimatedWait: estimatedWait(for: waiting, rules, at: now))))
        }
        end(evicted, .rejected(.displaced))
        queues[frame.frameClass]?.append(waiting, quantum: longestFrame + options.turnAround, at: now)
        admit(waiting)
        return .accepted(id)
      }
    }
    queues[frame.frameClass]?.append(waiting, quantum: longestFrame + options.turnAround, at: now)
    admit(waiting)
    return .accepted(id)
  }

  private func prepare(
    _ frame: RadioFrame, _ id: FrameID, _ rules: ClassRules, _ now: Duration
  ) throws(RadioError) -> WaitingFrame {
    let channel = frame.channel ?? options.channel
    let band = try options.region.subBand(at: channel.frequency)
    let airtime = channel.modulation.timeOnAir(bytes: frame.payload.count)
    let bytes = frame.payload.count
    guard bytes <= channel.modulation.maximumBytes else {
      throw RadioError(
        .frameTooLong,
        "\(bytes) bytes are more than \(channel.modulation.maximumBytes), the most of \(channel.modulation)")
    }
    if let longest = band.longestTransmission, airtime > longest {
      throw RadioError(
        .frameTooLong, "\(bytes) bytes take \(airtime); sub-band \(band.name) allows \(longest) a transmission")
    }
    let subBand = options.region.subBands.firstIndex(of: band) ?? 0
    if let limit = budget.limit(of: frame.frameClass, in: subBand), airtime > limit {
      throw RadioError(.frameTooLong, "\(bytes) bytes take \(airtime), more than \(limit), all that a window allows")
    }
    let life = frame.timeToLive ?? rules.timeToLive
    return WaitingFrame(
      id: id, frame: frame, channel: channel, subBand: subBand,
      airtime: airtime, cost: airtime + options.turnAround, offered: now, deadline: life.map { now + $0 })
  }

  private func hasRoom(for frame: WaitingFrame, _ rules: ClassRules) -> Bool {
    guard let queue = queues[frame.frame.frameClass], !queue.isEmpty else { return true }
    return queue.count < rules.frames && (rules.queue.map { queue.hasRoom(for: frame, within: $0) } ?? true)
  }

  private mutating func evictLowest(below frameClass: FrameClass) -> WaitingFrame? {
    for lower in FrameClass.allCases.reversed() where lower > frameClass {
      if let evicted = queues[lower]?.removeNewest() { return evicted }
    }
    return nil
  }

  /// How long until there is room for a frame, if nothing of a higher class comes.
  private func estimatedWait(for frame: WaitingFrame, _ rules: ClassRules, at now: Duration) -> Duration? {
    let ahead = FrameClass.allCases.filter { $0 <= frame.frame.frameClass }
      .reduce(Duration.zero) { sum, frameClass in sum + (queues[frameClass]?.airtime ?? .zero) }
    let room = rules.queue.map { max(.zero, $0 - frame.airtime) } ?? .zero
    let leaving = max(frame.airtime, ahead - room)
    let burst = min(leaving, budget.limit(of: frame.frame.frameClass, in: frame.subBand) ?? leaving)
    return budget.earliestStart(of: burst, of: frame.frame.frameClass, in: frame.subBand, from: now)
      .map { $0 - now + leaving }
  }

  private mutating func admit(_ frame: WaitingFrame) {
    nextID += 1
    metrics.count(frame.frame.frameClass, frame.frame.flow) { account in
      account.offered &+= 1
      account.queued &+= 1
      account.queuedAirtime += frame.airtime
    }
  }

  private func rejected(_ id: FrameID, _ frame: RadioFrame, _ rejection: Rejection) -> FrameReport {
    FrameReport(
      id: id, frameClass: frame.frameClass, flow: frame.flow, token: frame.token, fate: .rejected(rejection))
  }

  private mutating func count(_ report: FrameReport) -> Offer {
    nextID += 1
    metrics.count(report.frameClass, report.flow) { account in
      account.offered &+= 1
      account.fates[report.fate.kind, default: 0] &+= 1
    }
    reports.append(report)
    guard case .rejected(let rejection) = report.fate else { return .accepted(report.id) }
    return .rejected(report.id, rejection)
  }

  /// The end of a frame.
  mutating func end(_ frame: WaitingFrame, _ fate: FrameFate, waited: Bool = true) {
    metrics.count(frame.frame.frameClass, frame.frame.flow) { account in
      if waited {
        account.queued &-= 1
        account.queuedAirtime -= frame.airtime
      }
      account.fates[fate.kind, default: 0] &+= 1
    }
    reports.append(frame.report(fate))
  }

  // MARK: Frames out

  /// What can be done now.
  public mutating func step(at now: Duration) -> Step {
    expire(at: now)
    if onAir != nil { return .onAir }
    if access == .open {
      for frameClass in order() {
        let gate = options.rules(of: frameClass).politeness
        let firsts = queues[frameClass]?.flows.compactMap(\.frames.first) ?? []
        if firsts.contains(where: { SchedulerState.isReady($0, budget, gate, now) }) { return .ready(frameClass) }
      }
    }
    return .wait(until: nextChange(at: now))
  }

  /// Takes the frame that goes first now, and counts its time on air as spent.
  /// - Returns: nil when nothing may start.
  public mutating func take(at now: Duration) -> Transmission? {
    expire(at: now)
    guard onAir == nil, access == .open else { return nil }
    for frameClass in order() {
      while let frame = next(frameClass, at: now) {
        let isLast = queues[frameClass]?.isEmpty ?? true
        if controls[frameClass]?.drops(wait: now - frame.offered, isLast: isLast, at: now) == true {
          end(frame, .rejected(.standingQueue))
          continue
        }
        start(frame, at: now)
        return Transmission(id: frame.id, frame: frame.frame, channel: frame.channel, airtime: frame.airtime)
      }
    }
    return nil
  }

  private mutating func next(_ frameClass: FrameClass, at now: Duration) -> WaitingFrame? {
    // Copied, since the queue is changed while it is asked; gone again before the ledger is.
    let budget = self.budget
    let gate = options.rules(of: frameClass).politeness
    return queues[frameClass]?.next(quantum: longestFrame + options.turnAround) { frame in
      SchedulerState.isReady(frame, budget, gate, now)
    }
  }

  private mutating func start(_ frame: WaitingFrame, at now: Duration) {
    let frameClass = frame.frame.frameClass
    onAir = (frame, now, false)
    budget.spend(frame.airtime, in: frame.subBand, at: now)
    metrics.count(frameClass, frame.frame.flow) { account in
      account.queuedAirtime -= frame.airtime
      account.airtime += frame.airtime
      account.wait.record(now - frame.offered)
    }
    for other in FrameClass.allCases {
      if other == frameClass {
        shares[other]?.sent(frame.airtime)
      } else {
        shares[other]?.othersSent(frame.airtime, whileWaiting: !(queues[other]?.isEmpty ?? true))
      }
    }
  }

  /// The frame on the air has ended.
  /// - Parameters:
  ///   - error: why it was not sent; nil when the modem confirmed it.
  ///   - measured: time on air as it was seen; corrects the window, never downwards.
  public mutating func finished(_ error: RadioError? = nil, measured: Duration? = nil, at now: Duration) {
    guard let (frame, start, cancelled) = onAir else { return }
    onAir = nil
    let airtime = max(frame.airtime, measured ?? .zero)
    budget.correct(airtime, in: frame.subBand, endedAt: now)
    metrics.sending.record(now - start)
    if let error {
      if error.kind == .sendTimedOut { metrics.timeouts &+= 1 } else { metrics.failures &+= 1 }
    }
    let latency = now - frame.offered
    let fate: FrameFate =
      error.map { .failed($0) } ?? .sent(airtime: airtime, latency: latency, afterCancel: cancelled)
    metrics.count(frame.frame.frameClass, frame.frame.flow) { account in
      account.queued &-= 1
      account.airtime += airtime - frame.airtime
      if error == nil { account.latency.record(latency) }
      account.fates[fate.kind, default: 0] &+= 1
    }
    reports.append(frame.report(fate))
  }

  /// Control first, then classes that are owed their share, then the others, each in order.
  private func order() -> [FrameClass] {
    let waiting = FrameClass.allCases.filter { !(queues[$0]?.isEmpty ?? true) }
    let due = waiting.filter { frameClass in
      guard frameClass != .control, let first = queues[frameClass]?.flows.first?.frames.first else { return false }
      return shares[frameClass]?.isDue(frame: first.airtime) ?? false
    }
    return waiting.filter { $0 == .control } + due + waiting.filter { $0 != .control && !due.contains($0) }
  }

  static func isReady(
    _ frame: WaitingFrame, _ budget: AirtimeBudget, _ gate: Int?, _ now: Duration
  ) -> Bool {
    if let gate, budget.foreignUse >= gate { return false }
    return budget.admits(frame.airtime, of: frame.frame.frameClass, in: frame.subBand, at: now)
  }

  /// When something changes by time alone: a frame expires, or the window lets the first of a flow go.
  private func nextChange(at now: Duration) -> Duration? {
    var next: Duration?
    func consider(_ time: Duration?) {
      guard let time else { return }
      next = min(next ?? time, max(time, now))
    }
    for frameClass in FrameClass.allCases {
      guard let queue = queues[frameClass] else { continue }
      for flow in queue.flows {
        for frame in flow.frames { consider(frame.deadline.map { $0 - frame.airtime + .nanoseconds(1) }) }
        guard access == .open, let first = flow.frames.first else { continue }
        let start = budget.earliestStart(of: first.airtime, of: frameClass, in: first.subBand, from: now)
        if let start, start > now { consider(start) }
      }
    }
    return next
  }
}
