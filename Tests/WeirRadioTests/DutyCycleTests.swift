import Testing
import WeirRadio
import WeirTesting

/// The window holds exactly, at every moment.
@Suite struct DutyCycleTests {
  /// 24 hours of mixed load on a 1 % and a 10 % sub-band.
  @Test(arguments: [(868_100_000, Duration.seconds(36)), (869_525_000, .seconds(360))])
  func `no window of a day of random load exceeds its limit, and a saturated one is used`(
    frequency: Int, limit: Duration
  ) throws {
    var generator = SeededGenerator(seed: 5, stream: "day")
    var options = SchedulerOptions(
      channel: RadioChannel(frequency: frequency, modulation: .lora(try LoRaModulation(spreadingFactor: 9))),
      region: .eu868)
    options.reserve = 0
    var air = try SimulatedAir(options)
    var offers: [(at: Duration, frame: RadioFrame)] = []
    for second in stride(from: 0, to: 86_400, by: 5) {
      // All classes, of which chat and files are the most.
      let classes = FrameClass.allCases + [.chat, .chat, .file]
      let frameClass = classes[generator.index(below: classes.count)]
      offers.append(
        (
          .seconds(second) + .milliseconds(generator.index(below: 5_000)),
          SchedulerOrderTests.frame(
            frameClass, 20 + generator.index(below: 230), flow: "\(generator.index(below: 3))", life: .seconds(120))
        ))
    }
    air.run(until: .seconds(86_400), offering: offers)
    let worst = air.worstWindow(.seconds(3_600))
    #expect(worst <= limit, "\(worst)")
    #expect(worst >= limit * 98 / 100, "\(worst)")
  }

  @Test func `the ledger agrees with a sum over all that was sent`() throws {
    try forEachSeed(count: 200) { simulation in
      var generator = simulation.generator()
      let window = Duration.seconds(1 + generator.index(below: 100))
      let limit = window * (1 + generator.index(below: 50)) / 100
      var ledger = DutyLedger(window: window, limit: limit)
      var sent: [(start: Duration, end: Duration)] = []
      var now = Duration.zero
      for _ in 0..<200 {
        let airtime = Duration.milliseconds(1 + generator.index(below: 2_000))
        now += .milliseconds(generator.index(below: 5_000))
        func used(endingAt end: Duration) -> Duration {
          sent.reduce(.zero) { $0 + max(.zero, min($1.end, end) - max($1.start, end - window)) }
        }
        guard let start = ledger.earliestStart(of: airtime, from: now) else {
          try simulation.require(airtime > limit, "only what exceeds the limit never may")
          continue
        }
        try simulation.require(start >= now)
        let end = start + airtime
        try simulation.require(used(endingAt: end) + airtime <= limit, "within the limit")
        if start > now {
          let earlier = end - .nanoseconds(1)
          try simulation.require(used(endingAt: earlier) + airtime > limit, "no earlier than need be")
        }
        ledger.record(airtime, endingAt: end)
        sent.append((start, end))
        now = end
      }
    }
  }

  @Test func `a ledger that is full forgets nothing`() {
    var ledger = DutyLedger(window: .seconds(3_600), limit: .seconds(36))
    for index in 1...10_000 { ledger.record(.milliseconds(1), endingAt: .milliseconds(10 * index)) }
    #expect(ledger.entries.count == DutyLedger.maximumEntries)
    #expect(ledger.used(endingAt: .seconds(100)) == .seconds(10))
    let start = ledger.earliestStart(of: .seconds(30), from: .seconds(100))
    // 4 s have to leave: those sent until second 40, at the earliest.
    #expect(start.map { $0 >= .seconds(3_600 + 40 - 30) } ?? false)
  }

  @Test func `control and voice keep the last part of the window`() throws {
    let modulation = Modulation.bitRate(try BitRateModulation(rate: 1_000, maximumBytes: 1_000))
    var state = try SchedulerState(
      SchedulerOptions(channel: RadioChannel(frequency: 868_100_000, modulation: modulation), region: .eu868))
    var now = Duration.zero
    while case .ready = { () -> SchedulerState.Step in
      _ = state.offer(SchedulerOrderTests.frame(.chat, 100), at: now)
      return state.step(at: now)
    }() {
      guard let transmission = state.take(at: now) else { break }
      now += transmission.airtime
      state.finished(at: now)
    }
    let used = state.ledger(ofSubBand: "M")?.used(endingAt: now) ?? .zero
    #expect(used <= .seconds(36) * 95 / 100 && used > .seconds(33))
    _ = state.offer(SchedulerOrderTests.frame(.control, 100), at: now)
    let step = state.step(at: now)
    #expect(step == .ready(.control))
  }

  @Test func `what is not known of the past counts as spent`() throws {
    let modulation = Modulation.bitRate(try BitRateModulation(rate: 1_000, maximumBytes: 1_000))
    var state = try SchedulerState(
      SchedulerOptions(channel: RadioChannel(frequency: 868_100_000, modulation: modulation), region: .eu868))
    state.restore(nil, ofSubBand: "M", at: .seconds(5))
    _ = state.offer(SchedulerOrderTests.frame(.control, 100, life: .seconds(90_000)), at: .seconds(5))
    guard case .wait(let until?) = state.step(at: .seconds(5)) else {
      Issue.record("it would send")
      return
    }
    #expect(until > .seconds(3_500))
    let step = state.step(at: until)
    #expect(step == .ready(.control))
  }
}
