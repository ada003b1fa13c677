import WeirRadio

/// Takes the state of a scheduler through virtual time: what may start is on the air for its time, and nobody is asked.
struct AirDriver {
  struct Sent {
    let start: Duration
    let airtime: Duration
    let frame: RadioFrame
    /// Until when its last bit had to be out.
    let deadline: Duration?
    var end: Duration { start + airtime }
  }

  var state: SchedulerState
  private(set) var now: Duration = .zero
  private(set) var sent: [Sent] = []
  private var deadlines: [FrameID: Duration] = [:]

  init(_ options: SchedulerOptions) throws { state = try SchedulerState(options) }

  /// Offers a frame now; whether it was let in.
  @discardableResult
  mutating func offer(_ frame: RadioFrame, at time: Duration? = nil) -> Bool {
    let time = max(now, time ?? now)
    guard case .accepted(let id) = state.offer(frame, at: time, mayWait: true) else { return false }
    if let life = frame.timeToLive { deadlines[id] = time + life }
    return true
  }

  /// Sends what can be sent until `end`; `offers` come at their times, and `refill` is asked before each start.
  mutating func run(
    until end: Duration, offering offers: [(at: Duration, frame: RadioFrame)] = [],
    _ refill: (inout AirDriver) -> Void = { _ in }
  ) {
    var offers = offers.sorted { $0.at < $1.at }[...]
    while now < end {
      while let next = offers.first, next.at <= now {
        offer(next.frame)
        offers.removeFirst()
      }
      refill(&self)
      var next = min(end, offers.first?.at ?? end)
      switch state.step(at: now) {
      case .ready:
        next = now
        guard let transmission = state.take(at: now) else { break }
        sent.append(
          Sent(
            start: now, airtime: transmission.airtime, frame: transmission.frame,
            deadline: deadlines.removeValue(forKey: transmission.id)))
        let over = now + transmission.airtime
        while let one = offers.first, one.at <= over {
          offer(one.frame, at: one.at)
          offers.removeFirst()
        }
        state.finished(at: over)
        next = over + state.turnAround
      case .wait(let until):
        if let until { next = min(next, max(until, now + .nanoseconds(1))) }
      case .onAir: break
      }
      now = max(now, next)
      for report in state.takeReports() { deadlines[report.id] = nil }
    }
  }

  func airtime(where matches: (RadioFrame) -> Bool = { _ in true }) -> Duration {
    sent.reduce(.zero) { matches($1.frame) ? $0 + $1.airtime : $0 }
  }

  /// The most time on air within any window, summed up from what was sent and nothing else.
  func worstWindow(_ window: Duration) -> Duration {
    var worst = Duration.zero
    var first = 0
    for last in sent.indices {
      let start = sent[last].end - window
      while sent[first].end <= start { first += 1 }
      worst = max(worst, sent[first...last].reduce(.zero) { $0 + max(.zero, $1.end - max($1.start, start)) })
    }
    return worst
  }
}
