import Foundation
import Synchronization
import Testing
import Weir
import WeirRadio
import WeirTesting

/// A host and a modem, in virtual time, with everything that goes wrong between them.
@Suite struct ModemSimulationTests {
  private func heard(_ host: ATModem, _ count: Int) async -> [ReceivedFrame] {
    var frames: [ReceivedFrame] = []
    for await frame in host.received {
      frames.append(frame)
      if frames.count == count { break }
    }
    return frames
  }

  @Test(arguments: SimulatedModems.dialects)
  func `payloads of any bytes arrive as they were sent, with the signal, both ways`(dialect: ModemDialect) throws {
    try forEachSeed(count: 10) { simulation in
      var faults = FaultScript()
      faults.splitsBytes = simulation.seed % 2 == 0
      faults.echoes = simulation.seed % 3 == 0
      try await SimulatedModems.run(simulation, dialect, faults: faults) { air in
        var generator = simulation.generator("bytes")
        var payloads = [SimulatedModems.nasty]
        for _ in 0..<4 {
          payloads.append(
            (0..<(1 + generator.index(below: dialect.maximumPayload))).map { _ in UInt8(generator.index(below: 256)) })
        }
        for (sender, hearer) in [(0, 1), (1, 0)] {
          for payload in payloads { try await air.hosts[sender].send(payload, on: air.channel) }
          let frames = await heard(air.hosts[hearer], payloads.count)
          let expected = payloads.map { ReceivedFrame(payload: $0, rssi: -80, snr: 9) }
          try simulation.require(frames == expected, "\(frames) and \(expected)")
        }
        try simulation.require(air.modems[0].sent == payloads)
      }
    }
  }

  @Test func `C1 C2 commands are answered, refused or given up, and stay in step`() throws {
    try forEachSeed(count: 20) { simulation in
      var faults = FaultScript()
      faults.commands = [
        1: .refuses, 3: .isSilent, 5: .isLate(.milliseconds(1_500)), 10: .unsolicited("PRESEND_READY"),
        12: .wrongValue("7"),
      ]
      faults.ignoresUnknown = true
      faults.echoes = simulation.seed % 2 == 0
      try await SimulatedModems.run(simulation, .turMass, faults: faults) { air in
        let host = air.hosts[0]
        let rate = ["+RATE: 18", "AT_OK"]
        func read(_ command: String = "AT+RATE?") async throws -> [String] {
          try await host.runAtCommand(command, timeoutMs: 1_000, log: true)
        }
        try simulation.require(try await read() == rate)
        try simulation.require(await SimulatedModems.kind { _ = try await read() } == .commandFailed)
        try simulation.require(try await read() == rate)
        for _ in 0..<2 {
          // Number 3 is never answered, number 5 (after a probe) late.
          let start = air.clock.now
          try simulation.require(await SimulatedModems.kind { _ = try await read() } == .commandTimedOut)
          let waited = air.clock.now - start
          try simulation.require(waited >= .seconds(1) && waited <= .milliseconds(1_100), "\(waited)")
        }
        try simulation.require(try await host.run("AT+ADDTL?", timeout: .seconds(3)) == ["+ADDTL: 0", "AT_OK"])
        try simulation.require(try await read() == rate)
        try simulation.require(try await read() == rate, "with a line of the modem's own inside")
        try simulation.require(try await read("AT+FREQ?").first == "+FREQ: 470500000")
        try simulation.require(try await read("AT+ADDTL?").first == "+ADDTL: 7", "a wrong value is what the modem said")
        try simulation.require(await SimulatedModems.kind { _ = try await read("AT+WHAT?") } == .commandTimedOut)
        try simulation.require(try await host.run("AT+RATE?", timeout: .seconds(3)) == rate)
      }
    }
  }

  @Test func `C3 C4 report 10 each end of a frame is that frame's own`() throws {
    try forEachSeed(count: 20) { simulation in
      var faults = FaultScript()
      faults.sends = [
        0: .noReport, 1: .doubleReport, 3: .fails, 4: .lateReport(.milliseconds(1_700)), 7: .resets,
      ]
      try await SimulatedModems.run(simulation, .turMass, faults: faults) { air in
        var kinds: [RadioError.Kind?] = []
        for index in 0..<9 {
          let start = air.clock.now
          let kind = await SimulatedModems.kind {
            try await air.hosts[0].sendRfPayload(Data(repeating: UInt8(index), count: 100), timeoutMs: 20_000)
          }
          kinds.append(kind)
          if kind == nil {
            // Whoever hears that it was sent can be sure that it was.
            try simulation.require(air.modems[0].sent.last?.first == UInt8(index), "frame \(index)")
            let airtime = air.channel.modulation.timeOnAir(bytes: 100)
            try simulation.require(air.clock.now - start >= airtime)
          }
        }
        try simulation.require(
          kinds == [.sendTimedOut, nil, nil, .sendFailed, .sendTimedOut, nil, nil, .modemReset, nil], "\(kinds)")
        try simulation.require(air.hosts[0].counts.resets == 1)
      }
    }
  }

  @Test func `a modem that stays on the air for ever refuses, answers the probe, and sends after a reset`() throws {
    try forEachSeed(count: 5) { simulation in
      var faults = FaultScript()
      faults.sends = [0: .sticks]
      try await SimulatedModems.run(simulation, .turMass, faults: faults) { air in
        let host = air.hosts[0]
        try simulation.require(await SimulatedModems.kind { try await host.send([1], timeout: nil) } == .sendTimedOut)
        try await host.recover()
        try simulation.require(await SimulatedModems.kind { try await host.send([2], timeout: nil) } == .sendFailed)
        try simulation.require(try await host.run("AT+RST", timeout: .seconds(1)) == ["+RST: ok", "AT_OK"])
        var notices = host.notices.makeAsyncIterator()
        let notice = await notices.next()
        try simulation.require(
          notice == .banner("TurMass.TurMass.TurMass.P2P AT CMD!"), "\(String(describing: notice))")
        try await host.send([3], timeout: nil)
      }
    }
  }

  /// ARMmbed/mbed-os#9803: a radio lost its power for a moment, and nobody noticed.
  @Test func `report 46 settings that are lost in silence are seen when they are read again`() throws {
    try simulate(seed: 1) { simulation in
      try await SimulatedModems.run(simulation, .rakRUI3) { air in
        let host = air.hosts[0]
        try await host.run("AT+RATE=7", timeout: .seconds(1))
        try simulation.require(try await host.run("AT+RATE=?", timeout: .seconds(1)).first == "+RATE: 7")
        air.modems[0].loseSettings()
        try simulation.require(try await host.run("AT+RATE=?", timeout: .seconds(1)).first == "+RATE: 18")
      }
    }
  }

  @Test func `C5 whoever is cancelled, or whose line is lost, stops at once`() throws {
    try forEachSeed(count: 30) { simulation in
      var faults = FaultScript()
      faults.commands = [0: .isSilent, 3: .closesLine]
      try await SimulatedModems.run(simulation, .turMass, faults: faults) { air in
        let host = air.hosts[0]
        let start = air.clock.now
        try await withThrowingTaskGroup(of: Bool.self) { group in
          group.addTask {
            do {
              _ = try await host.runAtCommand("AT+RATE?", timeoutMs: 60_000, log: true)
            } catch is CancellationError {
              return true
            }
            return false
          }
          await simulation.settle()
          group.addTask {
            do { try await host.sendRfPayload(Data([1]), timeoutMs: 60_000) } catch is CancellationError { return true }
            return false
          }
          var generator = simulation.generator("cancel")
          try await air.clock.sleep(for: .milliseconds(generator.index(below: 500)))
          let cancelled = air.clock.now
          group.cancelAll()
          for try await isCancelled in group { try simulation.require(isCancelled) }
          try simulation.require(air.clock.now == cancelled, "no time passes")
        }
        try simulation.require(air.clock.now - start < .seconds(1))
        // The silent command is given up at its own time; what comes after is in step, until the line goes.
        try simulation.require(try await host.run("AT+RATE?", timeout: .seconds(70)).first == "+RATE: 18")
        try simulation.require(
          await SimulatedModems.kind { try await host.run("AT+RATE?", timeout: .seconds(9)) } == .linkLost)
        try simulation.require(await SimulatedModems.kind { try await host.send([1], timeout: nil) } == .linkLost)
      }
    }
  }

  @Test func `C7 what is not to be logged is not`() throws {
    try simulate(seed: 3) { simulation in
      let log = Mutex<[String]>([])
      try await SimulatedModems.run(simulation, .turMass, log: { line in log.withLock { $0.append(line) } }) { air in
        _ = try await air.hosts[0].runAtCommand("AT+ADDTL=123456", timeoutMs: 1_000, log: false)
        _ = try await air.hosts[0].runAtCommand("AT+ADDTL?", timeoutMs: 1_000, log: false)
        _ = try await air.hosts[0].runAtCommand("AT+RATE?", timeoutMs: 1_000, log: true)
      }
      let lines = log.withLock { $0 }
      try simulation.require(lines == ["AT+RATE? -> +RATE: 18 | AT_OK"], "\(lines)")
    }
  }

  @Test func `a modem with its own question for it tells whether the channel is taken`() throws {
    try simulate(seed: 4) { simulation in
      try await SimulatedModems.run(simulation, .kiss) { air in
        try simulation.require(!(try await air.hosts[1].isChannelBusy(air.channel)))
        async let sending: Void = air.hosts[0].send([UInt8](repeating: 1, count: 200), timeout: nil)
        try await air.clock.sleep(for: .milliseconds(150))
        try simulation.require(try await air.hosts[1].isChannelBusy(air.channel))
        try await sending
      }
    }
  }

  /// The time on the line adds to that on the air, unless the modem takes the next frame meanwhile (radio study, section 0).
  @Test func `with a modem that takes a frame ahead, line and air are used at the same time`() throws {
    func time(lookahead: Int) throws -> Duration {
      try simulate(seed: 6) { simulation in
        var dialect = ModemDialect.turMass
        dialect.lookahead = lookahead
        let took = Mutex(Duration.zero)
        try await SimulatedModems.run(simulation, dialect) { air in
          let start = air.clock.now
          try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
              group.addTask { try await air.hosts[0].send([UInt8](repeating: UInt8(index), count: 600), timeout: nil) }
              await simulation.settle()
            }
            try await group.waitForAll()
          }
          took.withLock { $0 = air.clock.now - start }
          let heard = await heard(air.hosts[1], 12).compactMap(\.payload.first)
          try simulation.require(heard == Array(0..<12), "\(heard)")
        }
        return took.withLock { $0 }
      }
    }
    let dialect = ModemDialect.turMass
    let air = try SimulatedModems.channel(dialect).modulation.timeOnAir(bytes: 600)
    let line = Duration.seconds(10) * (dialect.send == .hex(prefix: "AT+SENDB=") ? 1_211 : 0) / 115_200
    let (alone, ahead) = (try time(lookahead: 0), try time(lookahead: 1))
    #expect(alone >= (air + line) * 12)
    #expect(ahead >= max(air, line) * 12)
    // The first frame has nothing to overlap with, and each has its answers and the turn-around.
    #expect(ahead <= max(air, line) * 12 + air + .milliseconds(15) * 12, "\(ahead)")
  }

  @Test(arguments: SimulatedModems.dialects)
  func `the scheduler sends over a modem, and what it says was sent was heard`(dialect: ModemDialect) throws {
    try forEachSeed(count: 5) { simulation in
      var faults = FaultScript()
      if dialect.framing == .lines, !dialect.sent.isEmpty {
        faults.sends = [3: .noReport, 7: .fails, 11: .lateReport(.seconds(2))]
      }
      try await SimulatedModems.run(simulation, dialect, faults: faults) { [faults] air in
        let scheduler = try RadioFrameScheduler(
          SchedulerOptions(channel: air.channel, region: .cn470), radio: air.hosts[0], clock: air.clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await scheduler.run() }
          var fates: [FrameFate.Kind] = []
          for index in 0..<20 {
            let frame = RadioFrame(.chat, payload: [UInt8](repeating: UInt8(index), count: 60))
            fates.append(await scheduler.send(frame).fate.kind)
          }
          let failed = fates.indices.filter { fates[$0] != .sent }
          try simulation.require(failed == faults.sends.keys.sorted(), "\(fates)")
          try simulation.require(scheduler.quarantineReason == nil)
          let sent = fates.indices.filter { fates[$0] == .sent }
          let heard = await heard(air.hosts[1], 20 - (faults.sends.isEmpty ? 0 : 1)).compactMap { $0.payload.first }
          try simulation.require(Set(sent.map { UInt8($0) }).isSubset(of: heard), "\(heard)")
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
  }
}
