import Synchronization
import Weir

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What becomes of what a radio hears.
public enum FileReception: Sendable {
  /// A file has ended: whole, or not.
  case file(FileArrival)
  /// A frame that is of no transfer: for whoever comes next.
  case passed(ReceivedFrame)
}

/// Receives files from the frames that a radio hears, and lets all other frames pass.
///
/// Emits each frame that is of no transfer, in order, and a file when its receiving has ended and the radio is back as it was.
/// Waits while ``mostPassed`` frames have not been taken: then the radio's frames wait, too. While ``mostFiles`` files have not been
/// taken, further ones are refused as `noSpace`. Finishes when its input has ended; a file that is under way is given up then, as no
/// frame of it can come any more, and still emitted. When it is cancelled it gives up the file in hand, and returns when the
/// radio is back as it was.
///
/// Memory: a file while it is received, ``mostFiles`` files and ``mostPassed`` frames that nobody has taken.
public struct TransferReceiver: Process {
  /// Files that may wait to be taken.
  public static let mostFiles = 4
  /// Frames that may wait to be taken.
  public static let mostPassed = 64

  private let manager: FileTransferManager
  private let local: UInt8
  private let key: @Sendable (UInt8) -> Data?

  /// - Parameters:
  ///   - manager: has one receiver at a time.
  ///   - localShortID: the station that this is.
  ///   - controlKeyForSource: the key of a station, 16 bytes, or nil.
  public init(
    _ manager: FileTransferManager, localShortID: UInt8, controlKeyForSource: @escaping @Sendable (UInt8) -> Data?
  ) {
    self.manager = manager
    local = localShortID
    key = controlKeyForSource
  }

  public func run(_ input: ProcessInput<ReceivedFrame>, _ output: ProcessOutput<FileReception>) async throws {
    let queue = ReceptionQueue()
    manager.arrivals.set({ queue.add(.file($0)) }, isFull: { queue.fileCount >= Self.mostFiles })
    defer { manager.arrivals.set(nil) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while let item = await output.idle(while: { await queue.next() }) {
          guard await output.send(item) else { break }
        }
        queue.close()
      }
      let failure = await hear(input, queue)
      _ = await manager.cancelReceive()
      queue.finish()
      try await group.waitForAll()
      if let failure { throw failure }
    }
  }

  private func hear(_ input: ProcessInput<ReceivedFrame>, _ queue: ReceptionQueue) async -> (any Error)? {
    do {
      for try await frame in input {
        let answer = manager.handleInbound(
          Data(frame.payload), metadata: FileTransferInboundMetadata(snr: frame.snr, rssiDbm: frame.rssi),
          localShortID: local, controlKeyForSource: key)
        guard answer == .notOwned else { continue }
        await queue.waitForRoom(Self.mostPassed)
        guard queue.add(.passed(frame)) else { return nil }
      }
      return nil
    } catch {
      return error
    }
  }
}

/// What waits to be taken by the graph.
private final class ReceptionQueue: Sendable {
  private struct State {
    var items: [FileReception] = []
    var isFinished = false
    var isClosed = false
    var files = 0
  }

  private let state = Mutex(State())
  private let filled = Bell()
  private let emptied = Bell()

  var fileCount: Int { state.withLock { $0.files } }

  /// - Returns: false when nobody takes anything any more.
  @discardableResult
  func add(_ item: FileReception) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      if case .file = item { state.files += 1 }
      state.items.append(item)
      return true
    }
    filled.ring()
    return isOpen
  }

  func waitForRoom(_ most: Int) async {
    while !Task.isCancelled, state.withLock({ !$0.isClosed && $0.items.count - $0.files >= most }) {
      await emptied.wait()
    }
  }

  /// The next; nil when all is taken and nothing more comes.
  func next() async -> FileReception? {
    while true {
      let (item, isOver) = state.withLock { state -> (FileReception?, Bool) in
        guard !state.items.isEmpty else { return (nil, state.isFinished) }
        let item = state.items.removeFirst()
        if case .file = item { state.files -= 1 }
        return (item, false)
      }
      if let item {
        emptied.ring()
        return item
      }
      if isOver || Task.isCancelled { return nil }
      await filled.wait()
    }
  }

  func finish() {
    state.withLock { $0.isFinished = true }
    filled.ring()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    emptied.ring()
  }
}
