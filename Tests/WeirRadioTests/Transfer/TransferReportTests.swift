import Foundation
import Synchronization
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// What went wrong in the field with others, as far as it concerns transfers (radio study, section 6).
@Suite struct TransferReportTests {
  @Test(arguments: 7...12)
  func `report 8 nothing is asked again before its answer could be here, at any rate`(spreadingFactor: Int) throws {
    let content = MachineAir.noise(3_000)
    var air = try MachineAir.burst(content, seed: 1, pacing: MachineAir.lora(spreadingFactor))
    air.run()
    #expect(air.endings == [.sent, .received(content)])
    #expect(air.sent[0].filter { $0 == .initiation }.count == 1)
    #expect(!air.sent[0].contains(.poll))
    #expect(air.sent[0].filter { $0 == .finish }.count == 1)
  }

  @Test func `report 12 24 a peer that may answer only after seconds is waited for, and hardly a chunk goes twice`()
    throws
  {
    let content = MachineAir.noise(60_000)
    var air = try MachineAir.burst(content, seed: 2)
    air.delays[1] = .seconds(2)
    air.run()
    #expect(air.endings == [.sent, .received(content)], "no false failure")
    let chunks = try TransferGeometry(length: content.count, chunk: 240).count
    // Who is asked twice answers twice, and hears nothing meanwhile.
    #expect(air.sent[0].filter { $0 == .data }.count <= chunks + chunks / 50)
  }

  @Test func `report 12 a wait that was announced is waited out before anything is asked again`() throws {
    let content = MachineAir.noise(60_000)
    var air = try MachineAir.burst(content, seed: 3)
    air.events = [3: (1, .heldBack(.seconds(8)))]
    air.delays[1] = .seconds(8)
    air.run(until: .seconds(2_000))
    #expect(air.endings == [.sent, .received(content)])
    // The first STATUS comes unannounced; from the next burst on the wait is known.
    let first = try #require(air.log.firstIndex(of: .status))
    let known = try #require(air.log[first...].firstIndex(of: .data))
    #expect(air.log[known...].contains(.status))
    #expect(!air.log[known...].contains(.poll))
  }

  @Test func `report 22 an answer that comes before the modem has confirmed the question counts`() throws {
    let pacing = try MachineAir.lora()
    let key = try #require(MachineAir.key)
    var sender = try BurstSender(
      TransferContent([1, 2, 3]), from: 1, to: 2, key: key, pacing: pacing, nonce: 5)
    _ = sender.handle(.began, at: .zero)
    let answer = TransferFrame.answer(.accepted(TransferAcceptance(nonce: 9, chunk: 240, burst: 10)))
    let packet = TransferPacket(from: 2, to: 1, session: 5, answer)
    let early = sender.handle(.heard(packet, TransferSignal()), at: .milliseconds(10))
    #expect(!early.contains { if case .send = $0 { true } else { false } }, "one frame at a time")
    let late = sender.handle(.sent, at: .milliseconds(20))
    #expect(
      late.contains { if case .send(let bytes) = $0 { TransferHeader(shapeOf: bytes)?.type == .data } else { false } })
  }

  @Test
  func `report 30 36 a report that is late makes no frame go twice, and there is never more than one at the modem`()
    throws
  {
    var faults = FaultScript()
    faults.sends = [4: .lateReport(.milliseconds(700)), 6: .lateReport(.seconds(3)), 8: .doubleReport]
    let most = Noted((now: 0, most: 0))
    try simulated(seed: 4) { [faults] simulation in
      try await TransferStations.run(
        simulation, faults: faults,
        transport: { index, modem in index == 0 ? Counted(modem: modem, most: most) as any FileTransferTransport : modem
        }
      ) { stations in
        let content = MachineAir.noise(12_000)
        let (result, arrival) = try await stations.transfer(content)
        try simulation.require(result.outcome == .success && arrival?.data == Data(content), "\(result)")
        try simulation.require(result.counts.dataFrames == result.counts.chunks, "\(result.counts)")
      }
    }
    #expect(most.value.most == 1)
  }

  private struct Counted: FileTransferTransport {
    let modem: ATModem
    let most: Noted<(now: Int, most: Int)>
    func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] {
      try await modem.runAtCommand(command, timeoutMs: timeoutMs, log: log)
    }
    func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {
      most.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { most.change { $0.now -= 1 } }
      try await modem.sendRfPayload(payload, timeoutMs: timeoutMs)
    }
  }

  @Test
  func `report 32 an offer of the most that can be said takes no memory before its sender has proved to be there`()
    throws
  {
    let pacing = try MachineAir.lora()
    let key = try #require(MachineAir.key)
    let offer = TransferInitiation(
      nonce: 1, wireLength: 524_287, originalLength: 524_287, codec: 1, chunk: 16, content: 1, rate: 0)
    var receiver = try BurstReceiver(offer, number: 1, from: 1, to: 2, key: key, pacing: pacing, nonce: 2)
    _ = receiver.handle(.began, at: .zero)
    #expect(receiver.phase == .answering && receiver.partial == nil)
    #expect(Mirror(reflecting: receiver).children.first { $0.label == "buffer" }.map { "\($0.value)" } == "nil")
  }

  @Test(arguments: 0..<40)
  func `report 34 one of forty chunks is lost: it is sent again, and nothing is missing at the end`(index: Int) throws {
    let content = MachineAir.noise(40 * 240)
    var air = try MachineAir.burst(content, seed: 5)
    air.lostFrames = [2 + index]
    air.run()
    #expect(air.endings == [.sent, .received(content)])
    #expect(air.sent[0].filter { $0 == .data }.count == 41)
  }

  @Test func `report 44 a FINISH or its answer is lost: FINISH is said again, and no chunk`() throws {
    let content = MachineAir.noise(2_000)
    var reference = try MachineAir.burst(content, seed: 6)
    reference.run()
    let frames = reference.sent[0].count + reference.sent[1].count
    let chunks = reference.sent[0].filter { $0 == .data }.count
    for lost in [frames - 2, frames - 1] {
      var air = try MachineAir.burst(content, seed: 6)
      air.lostFrames = [lost]
      air.run()
      #expect(air.endings == [.sent, .received(content)])
      #expect(air.sent[0].filter { $0 == .finish }.count == 2)
      #expect(air.sent[0].filter { $0 == .data }.count == chunks)
    }
  }

  /// Where only one direction works nothing goes on for ever.
  @Test func `chunks that never arrive end the transfer, though everything else does`() throws {
    var air = try MachineAir.burst(MachineAir.noise(20_000), seed: 7)
    air.losesData = true
    air.run()
    #expect(air.endings[0] == .failed(.retryExceeded))
    #expect(air.endings[1] == .failed(.retryExceeded))
  }
}
