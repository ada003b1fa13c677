import WeirRadio

/// Drives a scheduler's state through virtual time: whatever may start is sent and confirmed when its airtime is over.
struct SimulatedAir {
  var state: SchedulerState
  private(set) var now: Duration = .zero
  private(set) var reports: [FrameReport] = []
  /// What was on the air, and when.
  private(set) var sent: [(start: Duration, frame: RadioFrame, airtime: Duration)] = []

  init(_ options: SchedulerOptions) throws { state = try SchedulerState(options) }

  /// Sends what can be sent until `end`; `offers` are made on their way at their times.
  mutating func run(until end: Duration, offering offers: [(at: Duration, frame: RadioFrame)] = []) {
    var offers = offers.sorted { $0.at < $1.at }[...]
    while now < end {
      while let next = offers.first, next.at <= now {
        _ = state.offer(next.frame, at: now)
        offers.removeFirst()
      }
      var next = min(end, offers.first?.at ?? end)
      switch state.step(at: now) {
      case .ready:
        if let transmission = state.take(at: now) {
          sent.append((now, transmission.frame, transmission.airtime))
          // What is offered meanwhile is offered in time.
          let over = now + transmission.airtime
          while let offer = offers.first, offer.at <= over {
            _ = state.offer(offer.frame, at: max(now, offer.at))
            offers.removeFirst()
          }
          now = over
          state.finished(at: now)
          now += state.turnAround
          next = now
        } else {
          // Dropped from a standing queue.
          next = now
        }
      case .wait(let until):
        if let until { next = min(next, max(until, now + .nanoseconds(1))) }
      case .onAir:
        next = end
      }
      now = max(now, next)
      reports += state.takeReports()
    }
  }

  func airtime(where matches: (RadioFrame) -> Bool) -> Duration {
    sent.filter { matches($0.frame) }.reduce(.zero) { $0 + $1.airtime }
  }

  /// The most time on air within any window, computed from what was sent and nothing else.
  func worstWindow(_ window: Duration) -> Duration {
    var worst = Duration.zero
    var first = 0
    for last in sent.indices {
      let end = sent[last].start + sent[last].airtime
      let start = end - window
      while sent[first].start + sent[first].airtime <= start { first += 1 }
      var sum = Duration.zero
      for one in sent[first...last] { sum += max(.zero, one.start + one.airtime - max(one.start, start)) }
      worst = max(worst, sum)
    }
    return worst
  }
}
