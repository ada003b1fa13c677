import Testing
import WeirRadio

/// Who goes first, and that nobody starves.
@Suite struct SchedulerOrderTests {
  static func options(_ modulation: Modulation? = nil, region: RadioRegion = .cn470) throws -> SchedulerOptions {
    let frequency = region.subBands[0].frequencies.lowerBound
    let standard = Modulation.lora(try LoRaModulation(spreadingFactor: 7))
    return SchedulerOptions(
      channel: RadioChannel(frequency: frequency, modulation: modulation ?? standard), region: region)
  }

  static func frame(
    _ frameClass: FrameClass, _ bytes: Int = 200, flow: String = "", life: Duration? = nil, key: String? = nil,
    token: UInt64? = nil
  ) -> RadioFrame {
    RadioFrame(
      frameClass, flow: flow, payload: [UInt8](repeating: 7, count: bytes), timeToLive: life, coalescingKey: key,
      token: token)
  }

  @Test func `a chat frame goes before all files, whatever waits`() throws {
    var air = try SimulatedAir(Self.options())
    var offers: [(at: Duration, frame: RadioFrame)] = []
    for index in 0..<200 { offers.append((.milliseconds(150 * index), Self.frame(.file))) }
    offers.append((.milliseconds(3_050), Self.frame(.chat, 40)))
    air.run(until: .seconds(60), offering: offers)
    let chat = try #require(air.sent.first { $0.frame.frameClass == .chat })
    // At most the frame on the air and the change of direction stand before it.
    let longest = air.state.longestFrameAirtime
    #expect(chat.start - .milliseconds(3_050) <= longest + .milliseconds(10))
  }

  @Test func `voice that never ends leaves files, chat and background their shares, to a frame`() throws {
    var air = try SimulatedAir(Self.options())
    var offers: [(at: Duration, frame: RadioFrame)] = []
    for index in 0..<12_000 {
      offers.append((.milliseconds(50 * index), Self.frame(.voice, 60, life: .milliseconds(600))))
      if index % 4 == 0 { offers.append((.milliseconds(50 * index), Self.frame(.file))) }
      if index % 6 == 0 { offers.append((.milliseconds(50 * index), Self.frame(.chat, 100, life: .seconds(3_600)))) }
      if index % 10 == 0 { offers.append((.milliseconds(50 * index), Self.frame(.background, 100))) }
    }
    air.run(until: .seconds(600), offering: offers)
    let total = air.airtime { _ in true }
    let longest = air.state.longestFrameAirtime
    for (frameClass, share) in [(FrameClass.chat, 20), (.file, 10), (.background, 2)] {
      let used = air.airtime { $0.frameClass == frameClass }
      let owed = total * share / 100
      #expect(used >= owed - longest * 2, "\(frameClass): \(used) of \(total)")
      #expect(used <= owed + longest * 2, "\(frameClass): \(used) of \(total)")
    }
    // No burst of speech that was late is on the air.
    for one in air.sent where one.frame.frameClass == .voice { #expect(one.airtime < .milliseconds(600)) }
    #expect(
      air.reports.contains { $0.frameClass == .voice && $0.fate == .expired }
        || air.reports.contains { $0.fate.kind == .rejected })
  }

  @Test func `a slow peer and a fast one of a class get the same air, not the same bytes`() throws {
    let slow = RadioChannel(
      frequency: 470_500_000, modulation: .lora(try LoRaModulation(spreadingFactor: 10)))
    var options = try Self.options()
    var rules = ClassRules.standard(.chat)
    rules.queue = .seconds(100)
    options.rules[.chat] = rules
    var air = try SimulatedAir(options)
    var offers: [(at: Duration, frame: RadioFrame)] = []
    for index in 0..<8_000 {
      offers.append((.milliseconds(100 * index), Self.frame(.chat, 90, flow: "fast", life: .seconds(20))))
      var frame = Self.frame(.chat, 90, flow: "slow", life: .seconds(20))
      frame.channel = slow
      offers.append((.milliseconds(100 * index), frame))
    }
    air.run(until: .seconds(800), offering: offers)
    let fast = air.airtime { $0.flow == "fast" } / .seconds(1)
    let late = air.airtime { $0.flow == "slow" } / .seconds(1)
    let jain = (fast + late) * (fast + late) / (2 * (fast * fast + late * late))
    #expect(jain >= 0.98, "\(fast) and \(late)")
  }

  @Test func `frames of a flow keep their order`() throws {
    var air = try SimulatedAir(Self.options())
    let offers = (0..<300).map { index in
      (
        at: Duration.milliseconds(130 * index),
        frame: Self.frame(.chat, 10 + index % 90, flow: "\(index % 3)", token: UInt64(index))
      )
    }
    air.run(until: .seconds(120), offering: offers)
    for flow in 0..<3 {
      let tokens = air.sent.compactMap { $0.frame.flow == "\(flow)" ? $0.frame.token : nil }
      #expect(tokens == tokens.sorted())
      #expect(tokens.count > 50)
    }
  }

  @Test func `polite classes are silent while others use the channel`() throws {
    var state = try SchedulerState(Self.options())
    _ = state.offer(Self.frame(.background), at: .zero)
    _ = state.offer(Self.frame(.file), at: .zero)
    state.foreignUse = 30
    let file = state.step(at: .zero)
    #expect(file == .ready(.file))
    state.foreignUse = 45
    guard case .wait = state.step(at: .zero) else {
      Issue.record("a polite class would send")
      return
    }
    _ = state.offer(Self.frame(.chat), at: .zero)
    let chat = state.step(at: .zero)
    #expect(chat == .ready(.chat))
  }
}
