import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Payloads that come in, and whose they are (radio study, C44 to C53).
@Suite struct InboundTests {
  private struct NoRadio: FileTransferTransport {
    let sent = Noted(0)
    func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] { [] }
    func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws { sent.change { $0 += 1 } }
  }

  private struct NoLease: FileTransferRadioLease { func end(_ state: FileTransferRadioState) async {} }

  private static func manager(_ transport: some FileTransferTransport = NoRadio()) -> FileTransferManager {
    FileTransferManager(
      transport: transport, acquireRadioLease: { NoLease() }, options: FileTransferOptions(settings: nil))
  }

  private static func offer(nonce: UInt64 = 5) throws -> [UInt8] {
    let key = try ControlKey(TransferStations.key)
    let initiation = TransferInitiation(
      nonce: nonce, wireLength: 500, originalLength: 500, chunk: 100, content: 1, rate: 0)
    return try TransferPacket(from: 0x11, to: 0x22, session: 7, .initiation(initiation)).bytes(.control(key))
  }

  private static func hear(
    _ manager: FileTransferManager, _ bytes: [UInt8], local: UInt8 = 0x22, key: Data? = TransferStations.key,
    asked: Noted<Int> = Noted(0)
  ) -> FileTransferOwnership {
    manager.handleInbound(Data(bytes), metadata: .init(snr: 5, rssiDbm: -90), localShortID: local) { _ in
      asked.change { $0 += 1 }
      return key
    }
  }

  @Test func `C44 C45 what is no frame of a transfer is not owned, and no key is asked for`() {
    let manager = Self.manager()
    let asked = Noted(0)
    for payload in [[], [0xB7], [UInt8](repeating: 0, count: 40), Array("hello, this is chat".utf8)] {
      #expect(Self.hear(manager, payload, asked: asked) == .notOwned)
    }
    #expect(asked.value == 0 && manager.desk.active == nil)
  }

  @Test func `C46 an offer for another station is rejected without a session`() throws {
    let manager = Self.manager()
    let asked = Noted(0)
    #expect(Self.hear(manager, try Self.offer(), local: 0x23, asked: asked) == .rejected(.invalidTarget))
    #expect(asked.value == 0 && manager.desk.active == nil)
  }

  @Test func `C47 C48 without the right key of the right size nothing is believed`() throws {
    let manager = Self.manager()
    for key in [nil, Data(), Data(count: 15), Data(count: 17), Data(count: 16)] {
      #expect(Self.hear(manager, try Self.offer(), key: key) == .rejected(.cryptoFailure))
    }
    #expect(manager.desk.active == nil)
  }

  @Test func `C48 damage, and what no offer may say, have their own errors`() throws {
    let manager = Self.manager()
    var damaged = try Self.offer()
    damaged[12] ^= 1
    #expect(Self.hear(manager, damaged) == .rejected(.crcMismatch))
    let wire = try WireFixture()
    let malformed = wire.signed(.initiation, [1, 2, 3], with: .control(wire.key))
    #expect(Self.hear(manager, malformed) == .rejected(.protocolMalformed))
    #expect(manager.desk.active == nil)
  }

  @Test func `C49 C53 illegal and foreign frames are dropped alone, and the session goes on`() throws {
    try simulated(seed: 1) { simulation in
      try await TransferStations.run(simulation) { stations in
        let content = MachineAir.noise(20_000)
        async let sent = stations.transfer(content)
        try await stations.clock.sleep(for: .seconds(1))
        try simulation.require(stations.managers[1].desk.active != nil)
        let number = stations.air.modems[0].sent.first.map { UInt16($0[4]) << 8 | UInt16($0[5]) } ?? 0
        // DATA in the name of a third station, of an unknown session, and damaged.
        for (source, session) in [(UInt8(0x33), number), (0x11, number &+ 1)] {
          var bytes: [UInt8] = [0xB7, 2 << 5 | 3, 0x22, source, UInt8(session >> 8), UInt8(session & 255), 0, 1, 0]
          bytes += [UInt8](repeating: 9, count: 100)
          bytes = WireFixture.checked(bytes + [0, 0])
          try simulation.require(Self.hear(stations.managers[1], bytes) == .rejected(.cryptoFailure))
          bytes[20] ^= 1
          try simulation.require(Self.hear(stations.managers[1], bytes) == .rejected(.crcMismatch))
        }
        let (result, arrival) = try await sent
        try simulation.require(result.outcome == .success && arrival?.data == Data(content))
      }
    }
  }

  @Test func `C50 a receiver of P1 sends nothing at all`() throws {
    try simulated(seed: 2) { simulation in
      try await TransferStations.run(simulation, version: .phyAck) { stations in
        let (result, arrival) = try await stations.transfer(MachineAir.noise(8_000))
        try simulation.require(result.outcome == .success && arrival?.result.outcome == .success)
        try simulation.require(stations.air.modems[1].sent.isEmpty)
      }
    }
  }

  @Test(arguments: TransferVersion.allCases)
  func `C51 copies of frames are consumed, also when all is over, and begin nothing`(version: TransferVersion) throws {
    try simulated(seed: 3) { simulation in
      try await TransferStations.run(simulation, version: version, link: SimulatedLink(duplicates: 1)) { stations in
        let content = MachineAir.noise(5_000)
        let log = EventLog(stations.managers[1])
        let (result, arrival) = try await stations.transfer(content)
        try simulation.require(result.outcome == .success && arrival?.data == Data(content))
        try await stations.waitUntilIdle()
        let frames = stations.air.modems[1].commands.count
        for payload in stations.air.modems[0].sent {
          let answer = Self.hear(stations.managers[1], payload)
          try simulation.require(answer == .consumed, "\(answer)")
          try simulation.require(stations.managers[1].desk.active == nil)
        }
        try simulation.require(stations.air.modems[1].commands.count == frames, "and nothing is done")
        _ = log
        try simulation.require(stations.inbound.answers.withLock { $0[1] }.allSatisfy { $0 == .consumed })
      }
    }
  }

  /// The manager behind a million payloads that nobody should send: it answers each in one of three ways, and keeps nothing of
  /// them.
  @Test(.timeLimit(.minutes(30)))
  func `C52 made-up, damaged and repeated payloads do no harm, and a transfer among them arrives`() throws {
    let isSoak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"
    let rounds = isSoak ? 1_000_000 : 20_000
    let goldens = GoldenFrame.all(try WireFixture())
    let answers = Noted([String: Int]())
    var options = SimulationOptions()
    options.stepLimit = 100_000_000
    try simulate(seed: 52, options: options) { simulation in
      try await TransferStations.run(simulation) { stations in
        let content = MachineAir.noise(30_000)
        async let sent = stations.transfer(content)
        var generator = simulation.generator("fuzz")
        for round in 0..<rounds {
          let heard = stations.air.modems[0].sent
          var bytes: [UInt8]
          if generator.oneIn(3), let real = heard.indices.isEmpty ? nil : heard[generator.index(below: heard.count)] {
            bytes = real
          } else {
            bytes = goldens[generator.index(below: goldens.count)].bytes
          }
          for _ in 0..<generator.index(below: 4) {
            let place = generator.index(below: bytes.count)
            if generator.oneIn(4) { bytes.remove(at: place) } else { bytes[place] = UInt8(generator.index(below: 256)) }
            if bytes.isEmpty { bytes = [0xB7] }
          }
          if generator.oneIn(2) { bytes = WireFixture.checked(bytes) }
          let answer = Self.hear(stations.managers[1], bytes)
          let word: String
          switch answer {
          case .notOwned: word = "not owned"
          case .consumed: word = "consumed"
          case .rejected(let error): word = error.code
          }
          answers.change { $0[word, default: 0] += 1 }
          if round % (rounds / 200) == 0 { try await stations.clock.sleep(for: .milliseconds(50)) }
        }
        let (result, arrival) = try await sent
        try simulation.require(result.outcome == .success && arrival?.data == Data(content), "\(result)")
      }
    }
    #expect(answers.value.values.reduce(0, +) == rounds)
    for word in ["not owned", "consumed", "file-transfer.crc-mismatch", "file-transfer.crypto-failure"] {
      #expect(answers.value[word] ?? 0 > 0, "\(word)")
    }
  }
}
