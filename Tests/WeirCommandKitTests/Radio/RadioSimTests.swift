import Foundation
import Testing
import Weir
import WeirRadio

@testable import WeirCommandKit

@Suite struct `A simulated radio` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a body with a host on each terminal, in the time of the machine, which may be busy with other tests.
  private func withHosts(
    _ radio: SimulatedRadio, _ dialect: ModemDialect, _ modulation: Modulation,
    _ body: @escaping @Sendable ([ATModem], RadioChannel) async throws -> Void
  ) async throws {
    let channel = RadioChannel(frequency: RadioLineOptions.frequency, modulation: modulation)
    var options = ATModem.Options(dialect, channel: channel)
    options.leeway = .seconds(60)
    let hosts = try radio.devices.map { ATModem(try TerminalPort(path: $0), options, clock: .continuous) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for host in hosts { group.addTask { try? await host.run() } }
      try await body(hosts, channel)
      group.cancelAll()
    }
  }

  private func frames(_ host: ATModem, _ count: Int) async -> [[UInt8]] {
    var frames: [[UInt8]] = []
    for await frame in host.received {
      frames.append(frame.payload)
      if frames.count == count { break }
    }
    return frames
  }

  @Test(.timeLimit(.minutes(4)), arguments: RadioLineOptions.dialects)
  func `carries frames between two terminals, and ends at Ctrl-C with an account`(dialect: String) async throws {
    let radio = try await SimulatedRadio(
      ["--dialect", dialect, "--spreading-factor", "7"], in: folder)
    let table: [String: ModemDialect] = [
      "turmass": .turMass, "rak": .rakRUI3, "reyax": .reyaxRYLR(), "kiss": .kiss,
    ]
    let modulation = Modulation.lora(try LoRaModulation(spreadingFactor: 7))
    let modem = try #require(table[dialect])
    let payload: [UInt8] = [1, 0x0D, 0x0A, 0xC0, 0xDB, 0, 0xFF]
    // Programs come and go.
    for _ in 0..<2 {
      try await withHosts(radio, modem, modulation) { hosts, channel in
        try await hosts[0].send(payload, on: channel)
        #expect(await frames(hosts[1], 1) == [payload])
        try await hosts[1].send(payload, on: channel)
        #expect(await frames(hosts[0], 1) == [payload])
      }
    }
    let (code, link) = try await radio.stop()
    #expect(code == ExitCode.interrupted.rawValue)
    #expect(link["sent"] as? Int == 2 && link["heard"] as? Int == 2 && link["lost"] as? Int == 0)
  }

  @Test(.timeLimit(.minutes(4))) func `loses as many frames for the same seed`() async throws {
    var heard: [Int] = []
    for seed in ["7", "7", "9"] {
      let radio = try await SimulatedRadio(["--loss", "50%", "--seed", seed], in: folder)
      let modulation = try #require(TurMassRate.modulation(18))
      try await withHosts(radio, .turMass, modulation) { hosts, channel in
        for index in 0..<80 { try await hosts[0].send([UInt8(index), 1, 2], on: channel) }
      }
      let (_, link) = try await radio.stop(SIGTERM)
      #expect(link["sent"] as? Int == 80)
      let count = try #require(link["heard"] as? Int)
      #expect(link["lost"] as? Int == 80 - count)
      heard.append(count)
    }
    #expect(heard[0] == heard[1] && heard[0] != heard[2], "\(heard)")
    #expect((20...60).contains(heard[0]), "\(heard[0])")
  }

  @Test(.timeLimit(.minutes(4))) func `fails as it is told`() async throws {
    let radio = try await SimulatedRadio(["--fault", "a:command:0:refused", "--fault", "a:send:1:fails"], in: folder)
    let modulation = try #require(TurMassRate.modulation(18))
    try await withHosts(radio, .turMass, modulation) { hosts, channel in
      await #expect(throws: RadioError.self) { try await hosts[0].run("AT+RATE?", timeout: .seconds(60)) }
      #expect(try await hosts[0].run("AT+RATE?", timeout: .seconds(60)) == ["+RATE: 18", "AT_OK"])
      try await hosts[0].send([1], on: channel)
      await #expect(throws: RadioError.self) { try await hosts[0].send([2], on: channel) }
    }
    let (_, link) = try await radio.stop(SIGTERM)
    #expect(link["sent"] as? Int == 1)
  }

  @Test func `refuses what makes no sense, and names what it expects`() throws {
    for arguments in [
      "--fault a:send:x:late", "--fault c:send:1:late", "--fault a:send:1:refused", "--loss 2", "--dialect morse",
      "--spreading-factor 7 --rate 1000", "--speed 0",
    ] {
      let result = try Shell.run("weir radio-sim \(arguments)", in: folder)
      #expect(result.code == ExitCode.usage.rawValue && result.output == "", "\(arguments): \(result)")
      #expect(result.errors.contains("[usage."))
    }
    // It ends by itself when told so.
    let text = try Shell.run("weir radio-sim --for 1", in: folder)
    #expect(text.code == 0 && text.errors == "")
    let lines = text.output.split(separator: "\n")
    #expect(lines.count == 5 && lines[0].hasPrefix("a  /dev/") && lines[1].hasPrefix("b  /dev/"))
    #expect(lines[3] == "a to b: 0 frames sent, 0 heard")
  }
}
