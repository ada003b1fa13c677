import Foundation
import Testing
import WeirRadio
import WeirTesting

/// Code as the seed's guide writes it, against this library: if it compiles, its API is here.
@Suite struct SeedExampleTests {
  private final class AppTransport: FileTransferTransport {
    func runAtCommand(_ command: String, timeoutMs: Int, log: Bool) async throws -> [String] { ["AT_OK"] }
    func sendRfPayload(_ payload: Data, timeoutMs: Int) async throws {}
  }

  private struct Arbiter: Sendable {
    struct Lease: FileTransferRadioLease {
      func end(_ state: FileTransferRadioState) async {}
    }
    func acquireFileTransferLease() async throws -> any FileTransferRadioLease { Lease() }
  }

  @Test func `C30 C62 a host that was written for the seed's guide compiles and is answered`() async throws {
    let appTransport = AppTransport()
    let radioArbiter = Arbiter()
    let (localShortID, peerShortID) = (UInt8(1), UInt8(2))
    let manager = XTalkFileTransferManager(
      transport: appTransport,
      acquireRadioLease: {
        try await radioArbiter.acquireFileTransferLease()
      }
    )
    manager.onEvent = { @MainActor event in
      switch event {
      case .sendProgress(let progress):
        #expect(progress.fractionCompleted >= 0)
      case .receiveStarted(let source, let totalBytes):
        #expect(source > 0 && totalBytes > 0)
      case .receiveProgress(let progress):
        #expect(progress.fractionCompleted >= 0 && !progress.weakSignal)
      case .receiveFinished(let source, let data, let result):
        #expect(source > 0 && (data == nil) == (result.outcome != .success))
      }
    }
    let request = try XTalkFileTransferSendRequest(
      data: Data([1, 2, 3]),
      sourceShortID: localShortID,
      targetShortID: peerShortID,
      controlKey: Data(count: 16)
    )
    // The transport of this test does not know its settings: the snapshot fails.
    let result = await manager.send(request)
    switch result.outcome {
    case .success, .cancelledLocal, .cancelledRemote: Issue.record("\(result)")
    case .failure(let error): #expect(error.code == "file-transfer.transport")
    }
    switch result.restoration {
    case .notRequired: break
    case .restored, .failed: Issue.record("\(result)")
    }
    let ownership = manager.handleInbound(
      Data("mesh".utf8),
      metadata: .init(snr: 7.5, rssiDbm: -90),
      localShortID: localShortID,
      controlKeyForSource: { _ in nil }
    )
    #expect(ownership == .notOwned)
    #expect(!manager.cancelSend())
    #expect(await !manager.cancelReceive())
  }
}
