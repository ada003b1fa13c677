import Testing
import WeirRadio
import WeirTesting

/// Every frame ends in exactly one way.
@Suite struct FateTests {
  private func frame(
    _ frameClass: FrameClass, _ bytes: Int = 100, flow: String = "", life: Duration? = nil, key: String? = nil,
    token: UInt64? = nil
  ) -> RadioFrame {
    SchedulerOrderTests.frame(frameClass, bytes, flow: flow, life: life, key: key, token: token)
  }

  @Test func `whatever is done, offered frames are fates and what waits`() throws {
    try forEachSeed(count: 100) { simulation in
      var generator = simulation.generator()
      var state = try SchedulerState(SchedulerOrderTests.options(region: .us915SingleChannel))
      var now = Duration.zero
      var accepted: Set<FrameID> = []
      var ended: [FrameID: Int] = [:]
      for _ in 0..<400 {
        let frameClass = generator.element(of: FrameClass.allCases) ?? .chat
        switch generator.index(below: 8) {
        case 0...3:
          let life = generator.index(below: 3) == 0 ? Duration.milliseconds(generator.index(below: 900)) : nil
          let key = generator.index(below: 2) == 0 ? "key \(generator.index(below: 3))" : nil
          let new = frame(
            frameClass, generator.index(below: 300), flow: "\(generator.index(below: 4))", life: life, key: key,
            token: UInt64(generator.index(below: 5)))
          switch state.offer(new, at: now, mayWait: generator.index(below: 2) == 0) {
          case .accepted(let id), .rejected(let id, _):
            try simulation.require(accepted.insert(id).inserted, "a number is given once")
          case .full: break
          }
        case 4: state.cancel(token: UInt64(generator.index(below: 5)))
        case 5:
          state.finished(
            generator.index(below: 3) == 0 ? RadioError(.sendFailed, "") : nil,
            measured: .milliseconds(generator.index(below: 600)), at: now)
        case 6: _ = state.take(at: now)
        default: now += .milliseconds(generator.index(below: 2_000))
        }
        for report in state.takeReports() { ended[report.id, default: 0] += 1 }
        for frameClass in FrameClass.allCases {
          let metrics = state.metrics.classes[frameClass]
          try simulation.require(metrics?.isBalanced == true, "\(frameClass): \(String(describing: metrics))")
          try simulation.require(metrics.map { $0.queuedAirtime >= .zero } ?? false, "queued airtime")
        }
      }
      try simulation.require(ended.values.allSatisfy { $0 == 1 }, "each ends once")
      try simulation.require(Set(ended.keys).isSubset(of: accepted), "only what was offered ends")
    }
  }

  @Test func `the newest typing notice takes the place of the older one`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    guard case .accepted(let old) = state.offer(frame(.presence, flow: "a", key: "typing"), at: .zero),
      case .accepted(let other) = state.offer(frame(.presence, flow: "a", key: "presence"), at: .zero),
      case .accepted(let new) = state.offer(frame(.presence, 50, flow: "a", key: "typing"), at: .zero)
    else {
      Issue.record("a frame was not accepted")
      return
    }
    let fates = state.takeReports().map(\.fate)
    #expect(fates == [.coalesced(by: new)])
    let first = state.take(at: .zero)
    #expect(first?.id == new, "it keeps the place of \(old), before \(other)")
  }

  @Test func `a frame that would end too late is not sent, its own time on air included`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    let airtime = Modulation.lora(try LoRaModulation(spreadingFactor: 7)).timeOnAir(bytes: 100)
    _ = state.offer(frame(.voice, life: airtime + .milliseconds(1)), at: .zero)
    let step = state.step(at: .milliseconds(1))
    #expect(step == .ready(.voice))
    let taken = state.take(at: .milliseconds(2))
    #expect(taken == nil)
    let first = state.takeReports().map(\.fate)
    #expect(first == [.expired])
    _ = state.offer(frame(.voice, life: airtime - .nanoseconds(1)), at: .seconds(1))
    let second = state.takeReports().map(\.fate)
    #expect(second == [.expired])
  }

  @Test func `a full queue does what its class says, and never silently`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    var fates: [FrameClass: Set<FrameFate.Kind>] = [:]
    for frameClass in FrameClass.allCases {
      for _ in 0..<100 { _ = state.offer(frame(frameClass, 255), at: .zero) }
      fates[frameClass] = Set(state.takeReports().map(\.fate.kind))
    }
    for frameClass in FrameClass.allCases { #expect(fates[frameClass] == [.rejected], "\(frameClass)") }
    guard case .full(let estimate?) = state.offer(frame(.chat, 255), at: .zero, mayWait: true) else {
      Issue.record("chat waits for room")
      return
    }
    #expect(estimate > .zero)
  }

  @Test func `control takes the room of the lowest class`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    for _ in 0..<5 { _ = state.offer(frame(.background), at: .zero) }
    for _ in 0..<50 { _ = state.offer(frame(.control, 255), at: .zero) }
    let displaced = state.takeReports().filter { $0.fate == .rejected(.displaced) }
    #expect(displaced.count == 5 && displaced.allSatisfy { $0.frameClass == .background })
  }

  @Test func `a frame on the air that is taken back is sent, and says so`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    _ = state.offer(frame(.chat, token: 9), at: .zero)
    _ = state.offer(frame(.chat, token: 9), at: .zero)
    let taken = state.take(at: .zero)
    let transmission = try #require(taken)
    let cancelled = state.cancel(token: 9)
    #expect(cancelled == 1)
    state.finished(at: transmission.airtime)
    let fates = state.takeReports().map(\.fate)
    #expect(fates.count == 2 && fates[0] == .cancelled)
    guard case .sent(_, _, let afterCancel) = fates[1] else {
      Issue.record("\(fates)")
      return
    }
    #expect(afterCancel)
  }

  @Test func `frames that can never be sent are refused with the reason`() throws {
    var state = try SchedulerState(SchedulerOrderTests.options())
    var elsewhere = frame(.chat)
    elsewhere.channel = RadioChannel(
      frequency: 868_100_000, modulation: .lora(try LoRaModulation(spreadingFactor: 7)))
    var slow = frame(.chat, 255)
    slow.channel = RadioChannel(frequency: 471_000_000, modulation: .lora(try LoRaModulation(spreadingFactor: 12)))
    for (frame, kind) in [
      (frame(.chat, 256), RadioError.Kind.frameTooLong), (elsewhere, .badFrequency), (slow, .frameTooLong),
    ] {
      guard case .rejected(_, .impossible(let error)) = state.offer(frame, at: .zero) else {
        Issue.record("accepted")
        continue
      }
      #expect(error.kind == kind)
    }
  }
}
