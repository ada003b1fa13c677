import Foundation
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// Files routed by graphs, and files beside other traffic of one radio.
@Suite struct TransferGraphTests {
  private static let files = (0..<3).map { MachineAir.noise(2_000 + $0, seed: UInt64($0)) }

  @Test(.timeLimit(.minutes(5)))
  func `a graph sends files to another graph, which lets all other frames pass`() throws {
    try forEachSeed(count: 5) { simulation in
      try await SimulatedModems.run(simulation, .turMass, link: SimulatedLink(loss: .independent(0.05))) { air in
        let managers = air.hosts.map { host in
          var options = FileTransferOptions(pacing: TransferPacing(air.channel.modulation), settings: nil)
          options.clock = air.clock
          options.executor = simulation.executor
          let arbiter = TestArbiter(air.clock)
          return FileTransferManager(
            transport: host, acquireRadioLease: { try await arbiter.acquire() }, options: options)
        }
        let (heard, outlet) = AsyncStream.makeStream(of: ReceivedFrame.self)
        let requests = try Self.files.map { try TransferStations.request($0) }
        let sending = try Blueprint("sending") { graph in
          graph.source("files", requests).via("radio", TransferSender(managers[0])).collect("deliveries")
        }
        let receiving = try Blueprint("receiving") { graph in
          graph.source("radio", heard)
            .via("files", TransferReceiver(managers[1], localShortID: 0x22) { _ in TransferStations.key })
            .collect("receptions")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await frame in air.hosts[1].received { outlet.yield(frame) }
          }
          group.addTask {
            for await frame in air.hosts[0].received {
              _ = managers[0].handleInbound(Data(frame.payload), localShortID: 0x11) { _ in TransferStations.key }
            }
          }
          async let receptions = receiving.run(simulation.runOptions()) { live in
            await live.waitUntilEnded()
            return try live[live.handles].value
          }
          outlet.yield(ReceivedFrame(payload: Array("chat".utf8)))
          let deliveries = try await sending.run(simulation.runOptions()) { live in
            await live.waitUntilEnded()
            return try live[live.handles].value
          }
          try simulation.require(
            deliveries.map(\.result.outcome) == [.success, .success, .success], "\(deliveries.map(\.result))")
          while managers[1].desk.active != nil { try await air.clock.sleep(for: .milliseconds(50)) }
          outlet.finish()
          var files: [Data?] = []
          var passed = 0
          for reception in try await receptions {
            switch reception {
            case .file(let arrival): files.append(arrival.data)
            case .passed: passed += 1
            }
          }
          try simulation.require(
            files == Self.files.map { Data($0) } && passed == 1, "\(files.count) files, \(passed) passed")
          group.cancelAll()
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `an aborted graph gives its file up and puts the radio back`() throws {
    try forEachSeed(count: 8) { simulation in
      try await TransferStations.run(simulation) { stations in
        let request = try TransferStations.request(MachineAir.noise(60_000))
        let blueprint = try Blueprint("sending") { graph in
          graph.source("files", [request]).via("radio", TransferSender(stations.managers[0])).ignore("deliveries")
        }
        try await blueprint.run(simulation.runOptions()) { live in
          try await stations.clock.sleep(for: .seconds(2))
          live.abort()
        }
        try await stations.waitUntilIdle()
        try simulation.require(stations.arbiters[0].log.ends == [.restored])
        try simulation.require(stations.air.modems[0].settings["WORKMODE"] == "81")
      }
    }
  }

  /// A file under a lease of the scheduler: its frames count in the window, and chat with somebody else waits seconds, not minutes.
  @Test(.timeLimit(.minutes(5)))
  func `a file lets chat with others have the radio, and goes on`() throws {
    try simulated(seed: 3) { simulation in
      try await SimulatedModems.run(simulation, .turMass) { air in
        let region = RadioRegion.cn470
        let schedulers = try air.hosts.map {
          try RadioFrameScheduler(SchedulerOptions(channel: air.channel, region: region), radio: $0, clock: air.clock)
        }
        let radios = (0..<2).map { ScheduledRadio(air.hosts[$0], schedulers[$0], flow: "peer") }
        let managers = (0..<2).map { index in
          var pacing = TransferPacing(air.channel.modulation)
          pacing.longestBurst = .seconds(2)
          var options = FileTransferOptions(pacing: pacing, settings: nil)
          options.clock = air.clock
          options.executor = simulation.executor
          return FileTransferManager(
            transport: radios[index], acquireRadioLease: radios[index].acquire, options: options)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<2 {
            group.addTask { try await schedulers[index].run() }
            group.addTask {
              for await frame in air.hosts[index].received {
                _ = managers[index].handleInbound(Data(frame.payload), localShortID: TransferStations.ids[index]) { _ in
                  TransferStations.key
                }
              }
            }
          }
          let content = MachineAir.noise(200_000)
          let got = Noted<Data?>(nil)
          managers[1].arrivals.set { arrival in got.change { $0 = arrival.data } }
          async let result = managers[0].send(try TransferStations.request(content))
          try await air.clock.sleep(for: .seconds(5))
          let start = air.clock.now
          let report = await schedulers[0].send(RadioFrame(.chat, flow: "somebody else", payload: Array("hello".utf8)))
          let waited = air.clock.now - start
          try simulation.require(report.fate.kind == .sent && waited < .seconds(8), "\(report.fate) after \(waited)")
          try simulation.require(managers[0].desk.active != nil, "the file is not over yet")
          let end = try await result
          try simulation.require(end.outcome == .success && end.restoration == .notRequired, "\(end)")
          while managers[1].desk.active != nil { try await air.clock.sleep(for: .milliseconds(50)) }
          try simulation.require(got.value == Data(content))
          try simulation.require(schedulers[0].leaseCounts.given >= 2 && schedulers[0].leaseCounts.quarantined == 0)
          group.cancelAll()
        }
      }
    }
  }
}
