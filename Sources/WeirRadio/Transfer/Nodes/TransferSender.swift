import Weir

/// What became of a file that a graph wanted sent.
public struct FileDelivery: Sendable {
  /// What was wanted.
  public let request: FileTransferSendRequest
  /// How it ended.
  public let result: FileTransferResult
}

/// Sends the files of a graph, one after the other.
///
/// Emits a ``FileDelivery`` for each file once it has ended, in the order in which they came. Waits, and with it its producer, while
/// a file is under way, also one that is being received. Finishes when its input has ended and the last file is over. When it is
/// cancelled it gives up the file in hand, and returns when the radio is back as it was; what happened to that file is not emitted.
/// A file that fails does not fail the node: see the result.
///
/// Memory: one file, twice.
public struct TransferSender: Process {
  private let manager: FileTransferManager

  /// - Parameter manager: may also receive, by a ``TransferReceiver`` or its host.
  public init(_ manager: FileTransferManager) { self.manager = manager }

  public func run(_ input: ProcessInput<FileTransferSendRequest>, _ output: ProcessOutput<FileDelivery>) async throws {
    for try await request in input {
      let result = await output.idle { await sendWhenFree(request) }
      guard await output.send(FileDelivery(request: request, result: result)) else { return }
    }
  }

  /// The manager has one transfer at a time: the others are waited for.
  private func sendWhenFree(_ request: FileTransferSendRequest) async -> FileTransferResult {
    while true {
      let active = manager.desk.active
      let result = await manager.send(request)
      // Busy, and no other transfer of this manager: somebody else has the radio.
      guard result.outcome == .failure(.busy), let run = (active ?? manager.desk.active)?.run, !Task.isCancelled else {
        return result
      }
      await manager.desk.waitUntilClosed(run)
    }
  }
}
