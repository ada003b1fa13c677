import Testing
import Weir
import WeirRadio
import WeirTesting

/// When a modem itself decides on the start of a frame: slots of TurMass, TXDELAY, P and SLOTTIME of KISS.
@Suite struct ModemAccessTests {
  @Test func `in slotted mode each frame waits for a slot that is announced after it`() throws {
    try forEachSeed(count: 20) { simulation in
      try await SimulatedModems.run(simulation, .turMass) { air in
        let host = air.hosts[0]
        _ = try await host.run("AT+WORKMODE=32", timeout: .seconds(1))
        // Out of step with the slots: without waiting, most are refused.
        try await air.clock.sleep(for: .milliseconds(1_700))
        try simulation.require(await SimulatedModems.kind { try await host.send([1], on: air.channel) } == .sendFailed)
        host.isSlotted = true
        try simulation.require(host.startDelay == .seconds(10))
        var starts: [Duration] = []
        for index in 0..<4 {
          try await host.send([UInt8(index)], on: air.channel)
          starts.append(air.clock.now)
        }
        try simulation.require(air.modems[0].sent == (0..<4).map { [UInt8($0)] }, "\(air.modems[0].sent)")
        for (earlier, later) in zip(starts, starts.dropFirst()) {
          try simulation.require(later - earlier >= .milliseconds(500), "one frame a slot")
        }
        _ = try await host.run("AT+WORKMODE=82", timeout: .seconds(1))
        let before = air.clock.now
        try simulation.require(await SimulatedModems.kind { try await host.send([9], on: air.channel) } == .sendFailed)
        try simulation.require(air.clock.now - before == .seconds(10), "no slot comes any more")
        host.isSlotted = false
        try await host.send([9], on: air.channel)
      }
    }
  }

  @Test func `a scheduler waits for slots and sends everything`() throws {
    try forEachSeed(count: 10) { simulation in
      try await SimulatedModems.run(simulation, .turMass) { air in
        let host = air.hosts[0]
        _ = try await host.run("AT+WORKMODE=31", timeout: .seconds(1))
        host.isSlotted = true
        let scheduler = try RadioFrameScheduler(
          SchedulerOptions(channel: air.channel, region: .cn470), radio: host, clock: air.clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await scheduler.run() }
          for index in 0..<5 {
            let report = await scheduler.send(RadioFrame(.chat, payload: [UInt8(index)]))
            try simulation.require(report.fate.kind == .sent, "\(report)")
          }
          group.cancelAll()
        }
        try simulation.require(scheduler.metrics.timeouts == 0)
      }
    }
  }

  @Test func `a KISS modem is told how to access the channel, and does`() throws {
    try forEachSeed(count: 20) { simulation in
      try await SimulatedModems.run(simulation, .kiss) { air in
        let host = air.hosts[0]
        func time(_ timing: KissTiming) async throws -> Duration {
          try await host.set(timing)
          let before = air.clock.now
          try await host.send([1, 2, 3], on: air.channel)
          return air.clock.now - before
        }
        let immediate = try await time(.immediate)
        try simulation.require(host.startDelay == .zero)
        let delayed = try await time(KissTiming(delay: .milliseconds(500), persistence: 255, slot: .zero))
        try simulation.require(delayed - immediate == .milliseconds(500), "\(delayed) and \(immediate)")
        // Somebody else is on the air: the modem waits in slots.
        async let other: Void = air.hosts[1].send([UInt8](repeating: 0, count: 200), on: air.channel)
        try await air.clock.sleep(for: .milliseconds(100))
        _ = try await time(KissTiming(delay: .zero, persistence: 255, slot: .milliseconds(20)))
        try await other
        try simulation.require(air.medium.counts(from: 1, to: 0).heard == 1, "it sent into the other's frame")
      }
    }
  }

  @Test func `what KISS can not be told is refused`() async throws {
    for make in [
      { try KissTiming(delay: .seconds(3), persistence: 63, slot: .zero) },
      { try KissTiming(delay: .zero, persistence: 256, slot: .zero) },
      { try KissTiming(delay: .zero, persistence: 63, slot: .milliseconds(-10)) },
    ] as [() throws -> KissTiming] {
      #expect(throws: RadioError.self) { _ = try make() }
    }
    let modem = ATModem(
      PortPair().host, ATModem.Options(.turMass, channel: try SimulatedModems.channel(.turMass)))
    #expect(await SimulatedModems.kind { try await modem.set(.immediate) } == .badCommand)
  }

  /// ARMmbed/mbed-os#9803: the radio lost its power shortly, and nothing above noticed.
  @Test func `report 46 settings that are lost in silence are found by a look at them`() throws {
    try forEachSeed(count: 20) { simulation in
      var faults = FaultScript()
      // One answer that is lost, among those of the watch, is no loss of settings.
      faults.commands = [4: .isSilent]
      faults.sparesProbe = true
      try await SimulatedModems.run(simulation, .turMass, faults: faults) { air in
        let host = air.hosts[0]
        let scheduler = try RadioFrameScheduler(
          SchedulerOptions(channel: air.channel, region: .cn470), radio: host, clock: air.clock)
        _ = try await host.run("AT+RATE=11", timeout: .seconds(1))
        let watch = try await ParameterWatch(host, queries: ["AT+RATE?", "AT+FREQ?"], every: .seconds(30))
        await withTaskGroup(of: Void.self) { group in
          group.addTask { try? await scheduler.run() }
          group.addTask { try? await watch.run(through: scheduler) }
          try? await air.clock.sleep(for: .seconds(100))
          let healthy = scheduler.quarantineReason
          // Somebody else sets the radio up otherwise for a while, and the watch does not look meanwhile.
          let lease = try? await scheduler.lease(for: "file", hold: .seconds(600))
          _ = try? await host.run("AT+RATE=18", timeout: .seconds(1))
          let before = air.modems[0].commands.count
          try? await air.clock.sleep(for: .seconds(100))
          let asked = air.modems[0].commands.count - before
          _ = try? await host.run("AT+RATE=11", timeout: .seconds(1))
          lease?.end(.restored)
          try? await air.clock.sleep(for: .seconds(100))
          let restored = scheduler.quarantineReason
          air.modems[0].loseSettings()
          try? await air.clock.sleep(for: .seconds(32))
          let lost = scheduler.quarantineReason
          group.cancelAll()
          #expect(healthy == nil && restored == nil && asked == 0 && lost?.contains("AT+RATE?") == true)
        }
      }
    }
  }
}
