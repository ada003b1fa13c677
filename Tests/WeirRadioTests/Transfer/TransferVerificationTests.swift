import Foundation
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// The nodes of file transfer against the rules for all nodes.
@Suite struct TransferVerificationTests {
  private struct QuickRadio: FileTransferTransport {
    let clock: GraphClock
    func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] { [] }
    func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws { try await clock.sleep(for: .milliseconds(20)) }
  }

  private static func manager(_ simulation: Simulation) -> FileTransferManager {
    let clock = GraphClock(simulation.clock)
    let arbiter = TestArbiter(clock)
    var options = FileTransferOptions(settings: nil)
    options.version = .phyAck
    options.clock = clock
    options.executor = simulation.executor
    return FileTransferManager(
      transport: QuickRadio(clock: clock), acquireRadioLease: { try await arbiter.acquire() }, options: options)
  }

  @Test(.timeLimit(.minutes(5))) func `required_all the receiver of files keeps the rules of a node`() throws {
    var options = VerificationOptions()
    options.longRun = 2_000
    options.dependsOnTime = true
    try verify("receiver", seeds: .sweep(20), options: options) { _, outlet, simulation in
      outlet.via(
        "files", TransferReceiver(Self.manager(simulation), localShortID: 2) { _ in TransferStations.key }
      ).compactMap("passed") { reception -> UInt8? in
        if case .passed(let frame) = reception { frame.payload.first } else { nil }
      }
    } inputs: {
      (0..<40).map { ReceivedFrame(payload: [UInt8($0), 1, 2]) }
    } expecting: {
      $0.compactMap(\.payload.first)
    }
  }

  @Test(.timeLimit(.minutes(5))) func `required_all the sender of files keeps the rules of a node`() throws {
    var options = VerificationOptions()
    options.longRun = 300
    options.dependsOnTime = true
    let requests = try (0..<12).map { try TransferStations.request([UInt8($0), 1, 2]) }
    try verify("sender", seeds: .sweep(20), options: options) { _, outlet, simulation in
      outlet.via("radio", TransferSender(Self.manager(simulation))).compactMap("sent") { delivery -> UInt8? in
        delivery.result.outcome == .success ? delivery.request.data.first : nil
      }
    } inputs: {
      requests
    } expecting: {
      $0.compactMap(\.data.first)
    }
  }
}
