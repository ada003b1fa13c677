import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// The manager as its host meets it (radio study, C29 to C44).
@Suite struct ManagerTests {
  static let small = MachineAir.noise(3_000)

  @Test(.timeLimit(.minutes(5)), arguments: TransferVersion.allCases)
  func `a file goes from host to host, and both radios are as they were`(version: TransferVersion) throws {
    try forEachSeed(count: 5) { simulation in
      try await TransferStations.run(simulation, version: version) { stations in
        let content = MachineAir.noise(9_000, seed: simulation.seed)
        let (result, arrival) = try await stations.transfer(content)
        try simulation.require(result.outcome == .success && result.restoration == .restored, "\(result)")
        try simulation.require(
          arrival?.data == Data(content) && arrival?.result.restoration == .restored,
          "\(String(describing: arrival?.result))")
        for index in 0..<2 {
          for (name, value) in TransferStations.initial where name != "ANYRATELEN" {
            try simulation.require(stations.air.modems[index].settings[name] == value, "\(name)")
          }
          try simulation.require(stations.arbiters[index].log.ends == [.restored])
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: [0.1, 0.3])
  func `files arrive over modems that lose frames`(loss: Double) throws {
    try forEachSeed(count: 4) { simulation in
      let link = SimulatedLink(loss: .independent(loss), unseenCorruption: 0.02, duplicates: 0.05)
      try await TransferStations.run(simulation, link: link) { stations in
        let content = MachineAir.noise(20_000, seed: simulation.seed)
        let (result, arrival) = try await stations.transfer(content)
        try simulation.require(result.outcome == .success, "\(result)")
        try simulation.require(arrival?.data == Data(content))
      }
    }
  }

  @Test
  func `C37 C38 C40 events come in order, once started, once finished, nothing after, and data only with success`()
    async throws
  {
    let log = Mutex<[EventLog]>([])
    try simulated(seed: 1) { simulation in
      try await TransferStations.run(simulation) { stations in
        log.withLock { $0 = stations.managers.map { EventLog($0) } }
        let (result, _) = try await stations.transfer(Self.small)
        try simulation.require(result.outcome == .success)
        try await stations.waitUntilIdle()
      }
    }
    await EventLog.settle()
    let logs = log.withLock { $0 }
    let words = logs[1].words
    #expect(words.first == "started" && words.last == "finished 3000 true", "\(words)")
    #expect(words.dropFirst().dropLast().allSatisfy { $0 == "progress" })
    #expect(logs[0].words.allSatisfy { $0 == "send progress" } && !logs[0].words.isEmpty)
    let fractions = logs[1].all.compactMap {
      if case .receiveProgress(let one) = $0 { one.fractionCompleted } else { nil }
    }
    #expect(fractions == fractions.sorted() && fractions.last == 1)
    #expect(fractions.allSatisfy { 0...1 ~= $0 })
  }

  @Test func `C29 a second send is busy at once, without any traffic, and the first goes on`() throws {
    try simulated(seed: 2) { simulation in
      try await TransferStations.run(simulation) { stations in
        async let first = stations.managers[0].send(try TransferStations.request(Self.small))
        try await stations.clock.sleep(for: .milliseconds(600))
        let before = (stations.commands(0).count, stations.air.modems[0].sent.count, stations.clock.now)
        let second = await stations.managers[0].send(try TransferStations.request([1]))
        try simulation.require(second.outcome == .failure(.busy) && second.restoration == .notRequired)
        try simulation.require(
          before == (stations.commands(0).count, stations.air.modems[0].sent.count, stations.clock.now))
        try simulation.require(try await first.outcome == .success)
      }
    }
  }

  @Test func `C29 C35 whoever receives can not send, and an offer of another is rejected as busy`() throws {
    try simulated(seed: 3) { simulation in
      try await TransferStations.run(simulation) { stations in
        async let sent = stations.transfer(MachineAir.noise(20_000))
        try await stations.clock.sleep(for: .seconds(1))
        let back = await stations.managers[1].send(try TransferStations.request([1], from: 1))
        try simulation.require(back.outcome == .failure(.busy))
        let key = try ControlKey(TransferStations.key)
        let offer = TransferInitiation(nonce: 99, wireLength: 5, originalLength: 5, chunk: 100, content: 1, rate: 0)
        let bytes = try TransferPacket(from: 0x33, to: 0x22, session: 9, .initiation(offer)).bytes(.control(key))
        let answer = stations.managers[1].handleInbound(Data(bytes), localShortID: 0x22) { _ in TransferStations.key }
        try simulation.require(answer == .rejected(.busy), "\(answer)")
        let (result, arrival) = try await sent
        try simulation.require(result.outcome == .success && arrival?.result.outcome == .success)
      }
    }
  }

  @Test(arguments: [(0, false), (1, true), (524_287, true), (524_288, false)])
  func `C31 C33 files have 1 to 524287 bytes`(length: Int, isValid: Bool) {
    let data = Data(count: length)
    var error: FileTransferError?
    do throws(FileTransferError) {
      _ = try FileTransferSendRequest(data: data, sourceShortID: 1, targetShortID: 2, controlKey: TransferStations.key)
    } catch let found {
      error = found
    }
    #expect(error == (isValid ? nil : .invalidDataLength))
  }

  @Test(arguments: [0, 15, 17, 32])
  func `C32 a control key has 16 bytes`(length: Int) {
    #expect(throws: FileTransferError.invalidControlKey) {
      _ = try FileTransferSendRequest(
        data: Data([1]), sourceShortID: 1, targetShortID: 2, controlKey: Data(count: length))
    }
  }

  @Test func `C36 a station does not send to itself`() {
    #expect(throws: FileTransferError.invalidTarget) {
      _ = try FileTransferSendRequest(
        data: Data([1]), sourceShortID: 7, targetShortID: 7, controlKey: TransferStations.key)
    }
  }

  @Test(arguments: [FileTransferReadiness.notConnected, .notAuthenticated])
  func `C34 without a modem nothing is sent`(readiness: FileTransferReadiness) throws {
    let error = readiness == .notConnected ? FileTransferError.notConnected : .notAuthenticated
    try simulated(seed: 4) { simulation in
      try await TransferStations.run(simulation, options: { $1.readiness = { readiness } }) { stations in
        let result = await stations.managers[0].send(try TransferStations.request(Self.small))
        try simulation.require(result.outcome == .failure(error) && result.restoration == .notRequired)
        try simulation.require(stations.commands(0).isEmpty && stations.air.modems[0].sent.isEmpty)
        try simulation.require(stations.arbiters[0].log.given == 0)
      }
    }
  }

  @Test func `C42 a weak signal is told, and does not flicker`() {
    var meter = SignalMeter()
    meter.note(TransferSignal(snr: 8, rssi: -90))
    #expect(!meter.isWeak)
    for _ in 0..<12 { meter.note(TransferSignal(snr: -6, rssi: -90)) }
    #expect(meter.isWeak)
    var flips = 0
    for index in 0..<40 {
      let before = meter.isWeak
      meter.note(TransferSignal(snr: index % 2 == 0 ? 1 : 2, rssi: -90))
      if meter.isWeak != before { flips += 1 }
    }
    #expect(flips == 0 && meter.isWeak, "between the two bounds it stays as it is")
    for _ in 0..<12 { meter.note(TransferSignal(snr: 9, rssi: -90)) }
    #expect(!meter.isWeak)
    meter.note(TransferSignal(snr: .nan, rssi: nil))
    #expect(!meter.isWeak)
  }

  @Test func `C43 a handler that takes long holds up no transfer, and gets every start and end`() async throws {
    let log = Noted([String]())
    try simulated(seed: 5) { simulation in
      try await TransferStations.run(simulation) { stations in
        stations.managers[1].onEvent = { @MainActor event in
          usleep(20_000)
          if case .receiveStarted = event { log.change { $0.append("started") } }
          if case .receiveFinished = event { log.change { $0.append("finished") } }
        }
        var times: [Duration] = []
        for round in 0..<3 {
          let start = stations.clock.now
          let (result, _) = try await stations.transfer(MachineAir.noise(4_000, seed: UInt64(round)))
          try simulation.require(result.outcome == .success)
          try await stations.waitUntilIdle()
          times.append(stations.clock.now - start)
        }
        try simulation.require(times.allSatisfy { $0 < .seconds(20) }, "\(times)")
      }
    }
    for _ in 0..<200 where log.value.count < 6 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(log.value == ["started", "finished", "started", "finished", "started", "finished"])
  }

  @Test func `chat goes both ways while a file is under way, and nowhere else`() async throws {
    let heard = Noted([[Data](), [Data]()])
    try simulated(seed: 6) { simulation in
      try await TransferStations.run(simulation) { stations in
        for index in 0..<2 {
          stations.managers[index].onMessage = { @MainActor _, data in heard.change { $0[index].append(data) } }
        }
        try simulation.require(!stations.managers[0].sendMessage(Data([1])), "nobody to say it to")
        async let sent = stations.transfer(MachineAir.noise(40_000))
        try await stations.clock.sleep(for: .seconds(2))
        try simulation.require(stations.managers[0].sendMessage(Data("hello".utf8)))
        try simulation.require(stations.managers[1].sendMessage(Data("hello back".utf8)))
        try simulation.require(!stations.managers[0].sendMessage(Data()))
        try simulation.require(!stations.managers[0].sendMessage(Data(count: 2_000)))
        try simulation.require(try await sent.0.outcome == .success)
      }
    }
    await EventLog.settle()
    #expect(heard.value == [[Data("hello back".utf8)], [Data("hello".utf8)]])
  }

  @Test func `report 18 C39 a file that a receiver has no room for is refused with the reason, and is no event`() throws
  {
    try simulated(seed: 7) { simulation in
      try await TransferStations.run(
        simulation, options: { index, options in if index == 1 { options.admission = { _, _ in .noSpace } } }
      ) { stations in
        let log = EventLog(stations.managers[1])
        let result = await stations.managers[0].send(try TransferStations.request(Self.small))
        try simulation.require(result.refusal == .noSpace, "\(result)")
        if case .failure(.transport(let reason)) = result.outcome {
          try simulation.require(reason.contains("noSpace"))
        } else {
          throw RequirementFailed()
        }
        try await stations.waitUntilIdle()
        try simulation.require(log.all.isEmpty, "C39 a rejected offer is no event")
      }
    }
  }

  @Test func `a receiver that knows only P1 is reached where falling back was wanted, and else not`() throws {
    for fallsBack in [false, true] {
      try simulated(seed: 8) { simulation in
        try await TransferStations.run(
          simulation,
          transport: { index, modem in index == 0 ? modem as any FileTransferTransport : DeafToBursts(modem: modem) },
          options: { $1.fallsBack = fallsBack }
        ) { stations in
          let result = await stations.managers[0].send(try TransferStations.request(Self.small))
          try simulation.require(result.outcome == (fallsBack ? .success : .failure(.timeout)), "\(result)")
        }
      }
    }
  }
}

/// A modem that sends nothing: its host's answers are never heard.
private struct DeafToBursts: FileTransferTransport {
  let modem: ATModem
  func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] {
    try await modem.runAtCommand(command, timeoutMs: timeoutMs, log: log)
  }
  func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {}
}
