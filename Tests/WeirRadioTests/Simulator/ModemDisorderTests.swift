import Testing
import Weir
import WeirRadio
import WeirTesting

/// Everything goes wrong at random, and no answer is ever that of another request.
@Suite struct ModemDisorderTests {
  /// Names and values that tell which query an answer belongs to.
  private static let settings = Dictionary(uniqueKeysWithValues: (0..<60).map { ("P\($0)", "value-\($0)") })

  private static func faults(_ generator: inout SeededGenerator) -> FaultScript {
    var faults = FaultScript()
    // Being in step again rests on the probe, which a modem answers in a known time once it is free.
    faults.sparesProbe = true
    faults.echoes = generator.oneIn(2)
    faults.splitsBytes = generator.oneIn(3)
    for index in 0..<80 where generator.oneIn(4) {
      faults.commands[index] =
        switch generator.index(below: 5) {
        case 0: .refuses
        case 1: .isSilent
        case 2: .isLate(.milliseconds(generator.index(below: 4_000)))
        case 3: .unsolicited("PRESEND_READY")
        default: .resets
        }
    }
    for index in 0..<40 where generator.oneIn(3) {
      faults.sends[index] =
        switch generator.index(below: 5) {
        case 0: .noReport
        case 1: .lateReport(.milliseconds(generator.index(below: 1_900)))
        case 2: .doubleReport
        case 3: .fails
        default: .resets
        }
    }
    return faults
  }

  @Test func `an answer is that of its own command, a report that of its own frame, whatever goes wrong`() throws {
    try forEachSeed(count: 150) { simulation in
      var generator = simulation.generator("faults")
      let faults = Self.faults(&generator)
      try await SimulatedModems.run(simulation, .turMass, faults: faults, settings: Self.settings) { air in
        let host = air.hosts[0]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for lane in 0..<2 {
            group.addTask {
              for index in 0..<15 {
                let name = "P\(lane * 15 + index)"
                do {
                  let lines = try await host.run("AT+\(name)?", timeout: .milliseconds(1_200))
                  try simulation.require(
                    lines == ["+\(name): \(Self.settings[name] ?? "")", "AT_OK"], "\(name): \(lines)")
                } catch is RadioError {}
              }
            }
          }
          group.addTask {
            for index in 0..<15 {
              do {
                try await host.send([UInt8(index)] + SimulatedModems.nasty, timeout: nil)
                try simulation.require(air.modems[0].sent.last?.first == UInt8(index), "frame \(index)")
              } catch is RadioError {}
            }
          }
          try await group.waitForAll()
        }
        // However it went, it is in order, or can be brought there: only what has no fault of its own is asked now.
        try await air.clock.sleep(for: .seconds(5))
        try await host.recover()
        while faults.commands[air.modems[0].commands.count] != nil { try await host.recover() }
        let lines = try await host.run("AT+P50?", timeout: .seconds(1))
        try simulation.require(lines == ["+P50: value-50", "AT_OK"], "\(lines)")
      }
    }
  }

  @Test func `whoever cancels at random moments leaves the others in step`() throws {
    try forEachSeed(count: 100) { simulation in
      try await SimulatedModems.run(simulation, .rakRUI3, settings: Self.settings) { air in
        let host = air.hosts[0]
        for round in 0..<10 {
          var generator = simulation.generator("\(round)")
          await withTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
              group.addTask {
                if index % 2 == 0 {
                  _ = try? await host.run("AT+P\(index)=?", timeout: .seconds(9))
                } else {
                  try? await host.send([UInt8](repeating: 1, count: 30), timeout: nil)
                }
              }
            }
            try? await air.clock.sleep(for: .milliseconds(generator.index(below: 300)))
            group.cancelAll()
          }
          let name = "P\(10 + round)"
          let lines = try await host.run("AT+\(name)=?", timeout: .seconds(9))
          try simulation.require(lines.first == "+\(name): value-\(10 + round)", "\(lines)")
        }
        try simulation.require(host.counts.stale == 0, "nothing went astray")
      }
    }
  }
}
