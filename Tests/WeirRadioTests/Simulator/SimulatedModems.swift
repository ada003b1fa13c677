import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Two modems that hear each other, each with its host.
struct SimulatedModems: Sendable {
  static let dialects: [ModemDialect] = [.turMass, .rakRUI3, .reyaxRYLR(), .kiss]

  let medium: Medium
  let modems: [ModemSimulator]
  let hosts: [ATModem]
  let channel: RadioChannel
  let clock: GraphClock

  static func channel(_ dialect: ModemDialect) throws -> RadioChannel {
    RadioChannel(
      frequency: 470_500_000,
      modulation: dialect.maximumPayload > 255
        ? .bitRate(try BitRateModulation(rate: 82_500, overhead: .milliseconds(8), maximumBytes: 600))
        : .lora(try LoRaModulation(spreadingFactor: 7)))
  }

  /// Runs a body with two modems in virtual time.
  static func run(
    _ simulation: Simulation, _ dialect: ModemDialect, faults: FaultScript = FaultScript(),
    link: SimulatedLink = SimulatedLink(), ports: [(host: any BytePort, modem: any BytePort)]? = nil,
    settings: [String: String]? = nil, log: (@Sendable (String) -> Void)? = nil,
    _ body: @escaping @Sendable (SimulatedModems) async throws -> Void
  ) async throws {
    let clock = GraphClock(simulation.clock)
    let channel = try channel(dialect)
    let medium = Medium(seed: simulation.seed, clock: clock)
    medium.connect(0, 1, link)
    let pairs = ports ?? (0..<2).map { _ in PortPair() }.map { ($0.host, $0.modem) }
    let modems = (0..<2).map { index in
      var options = ModemSimulator.Options(dialect) { _ in channel }
      if let settings { options.settings = settings }
      if index == 0 { options.faults = faults }
      return ModemSimulator(options, radio: index, on: medium)
    }
    let hosts = pairs.map { ATModem($0.host, ATModem.Options(dialect, channel: channel), clock: clock, log: log) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<2 {
        group.addTask { try? await modems[index].run(on: pairs[index].modem) }
        group.addTask { try? await hosts[index].run() }
      }
      try await body(
        SimulatedModems(medium: medium, modems: modems, hosts: hosts, channel: channel, clock: clock))
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  /// The kind of error that a call throws; nil when it does not.
  static func kind(_ body: () async throws -> Void) async -> RadioError.Kind? {
    do {
      try await body()
      return nil
    } catch let error as RadioError {
      return error.kind
    } catch {
      return nil
    }
  }

  static let nasty: [UInt8] = [
    0x00, 0x0D, 0x0A, 0x41, 0x54, 0x5F, 0x4F, 0x4B, 0x0D, 0x0A, 0xC0, 0xDB, 0x2C, 0xFF, 0x0D, 0x0A,
  ]
}
