import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Modems on real pseudo-terminals.
@Suite(.serialized) struct TerminalTests {
  @Test(.timeLimit(.minutes(1))) func `every byte passes a terminal as it is, both ways, more than it holds`()
    async throws
  {
    let terminal = try PseudoTerminal()
    let host = try TerminalPort(path: terminal.device)
    var generator = SeededGenerator(seed: 1)
    let bytes = (0..<200_000).map { _ in UInt8(generator.index(below: 256)) }
    for (writer, reader) in [(host, terminal.port), (terminal.port, host)] {
      async let writing: Void = writer.write(bytes)
      var heard: [UInt8] = []
      while heard.count < bytes.count { heard += try await reader.read() }
      try await writing
      #expect(heard == bytes)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a read that is cancelled ends, and the next one gets the bytes`() async throws {
    let terminal = try PseudoTerminal()
    let host = try TerminalPort(path: terminal.device)
    for _ in 0..<20 {
      let reading = Task { try await host.read() }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
    try await terminal.port.write([1, 2, 3])
    var heard: [UInt8] = []
    while heard.count < 3 { heard += try await host.read() }
    #expect(heard == [1, 2, 3])
  }

  @Test(.timeLimit(.minutes(1))) func `a terminal that hangs up is lost, after everything before is read`() async throws
  {
    var terminal: PseudoTerminal? = try PseudoTerminal()
    let host = try TerminalPort(path: terminal?.device ?? "")
    try await terminal?.port.write([7])
    #expect(try await host.read() == [7])
    terminal?.port.close()
    terminal = nil
    do {
      while true { _ = try await host.read() }
    } catch let error as RadioError {
      #expect(error.kind == .linkLost)
    }
    await #expect(throws: RadioError.self) { try await host.write([1]) }
  }

  @Test(.timeLimit(.minutes(1))) func `a modem whose terminal is closed fails everything with the reason`() async throws
  {
    let terminal = try PseudoTerminal()
    let channel = try SimulatedModems.channel(.turMass)
    let host = ATModem(try TerminalPort(path: terminal.device), ATModem.Options(.turMass, channel: channel))
    async let served = SimulatedModems.kind { try await host.run() }
    async let command = SimulatedModems.kind { try await host.run("AT+RATE?", timeout: .seconds(60)) }
    async let frame = SimulatedModems.kind { try await host.send([1], timeout: .seconds(60)) }
    var asked: [UInt8] = []
    while asked.last != 0x0A { asked += try await terminal.port.read() }
    terminal.port.close()
    let kinds = await [served, command, frame]
    #expect(kinds == [.linkLost, .linkLost, .linkLost])
  }

  @Test func `a terminal that somebody has open is busy, and free when it is closed`() throws {
    let terminal = try PseudoTerminal()
    let first = try TerminalPort(path: terminal.device)
    #expect(refusal(terminal.device) == .busy)
    first.close()
    #expect(refusal(terminal.device) == nil)
  }

  private func refusal(_ path: String) -> RadioError.Kind? {
    do {
      _ = try TerminalPort(path: path)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `what is no terminal is refused with the reason`() {
    for path in ["/dev/null", "/nowhere/tty", ""] {
      do {
        _ = try TerminalPort(path: path)
        Issue.record("\(path) was opened")
      } catch {
        #expect(error.kind == .linkLost)
      }
    }
    do {
      _ = try TerminalPort(path: "/dev/null", baud: 12_345)
      Issue.record("a speed that there is not")
    } catch {
      #expect(error.kind == .badOptions)
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["TurMass", "RAK RUI3", "REYAX RYLR", "KISS"])
  func `two modems on real terminals exchange frames in virtual time`(name: String) throws {
    let dialect = try #require(SimulatedModems.dialects.first { $0.name == name })
    try forEachSeed(count: 3) { simulation in
      let lines = (0..<4).map { _ in CountedPort.Line(simulation) }
      let terminals = [try PseudoTerminal(), try PseudoTerminal()]
      let ports = try (0..<2).map { index in
        (
          host: CountedPort(
            port: try TerminalPort(path: terminals[index].device), outgoing: lines[index], incoming: lines[index + 2])
            as any BytePort,
          modem: CountedPort(port: terminals[index].port, outgoing: lines[index + 2], incoming: lines[index])
            as any BytePort
        )
      }
      try await SimulatedModems.run(simulation, dialect, ports: ports) { air in
        for (sender, hearer) in [(0, 1), (1, 0)] {
          var frames = air.hosts[hearer].received.makeAsyncIterator()
          for payload in [SimulatedModems.nasty, [UInt8](0...239)] {
            let start = air.clock.now
            try await air.hosts[sender].send(payload, on: air.channel)
            // The time it took is that of the line and the air, and none of the machine's.
            let airtime = air.channel.modulation.timeOnAir(bytes: payload.count)
            let took = air.clock.now - start
            let most = airtime + air.hosts[sender].transferTime(bytes: payload.count) + .milliseconds(20)
            try simulation.require(took >= airtime && took <= most, "\(took) and \(airtime)")
            let frame = await frames.next()
            try simulation.require(frame?.payload == payload, "\(String(describing: frame))")
          }
          try simulation.require(air.hosts[sender].counts == ATModem.Counts())
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a modem on a terminal sends in scaled time as well`() async throws {
    let dialect = ModemDialect.rakRUI3
    let clock = GraphClock(ScaledClock(factor: 2))
    let channel = try SimulatedModems.channel(dialect)
    let medium = Medium(seed: 1, clock: clock)
    medium.connect(0, 1)
    let terminal = try PseudoTerminal()
    let modem = ModemSimulator(ModemSimulator.Options(dialect) { _ in channel }, radio: 0, on: medium)
    let host = ATModem(
      try TerminalPort(path: terminal.device), ATModem.Options(dialect, channel: channel), clock: clock)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try? await modem.run(on: terminal.port) }
      group.addTask { try? await host.run() }
      for index in 0..<3 {
        // A machine that is held up for half a second makes the modem seem silent; it is asked again then.
        for _ in 0..<20 {
          let start = clock.now
          let kind = await SimulatedModems.kind {
            try await host.send([UInt8](repeating: UInt8(index), count: 50), timeout: nil)
          }
          #expect(kind == nil || kind == .sendTimedOut)
          if kind == nil {
            #expect(clock.now - start >= channel.modulation.timeOnAir(bytes: 50))
            break
          }
        }
        #expect(modem.sent.last?.first == UInt8(index))
      }
      #expect(medium.counts(from: 0, to: 1).heard >= 3)
      group.cancelAll()
      try await group.waitForAll()
    }
  }
}
