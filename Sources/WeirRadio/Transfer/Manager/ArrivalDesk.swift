import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The end of a receive, for whoever takes files elsewhere than on the main actor.
public struct FileArrival: Sendable {
  /// From whom.
  public let source: UInt8
  /// The whole file where it is a success; nil otherwise.
  public let data: Data?
  /// How it ended.
  public let result: FileTransferResult
}

/// Who besides the handler of events is told of the ends of receives.
final class ArrivalDesk: Sendable {
  private struct State {
    var taker: (@Sendable (FileArrival) -> Void)?
    var isFull: @Sendable () -> Bool = { false }
  }

  private let state = Mutex(State())

  /// The one taker, and whether it can take no more; nil for nobody.
  func set(_ taker: (@Sendable (FileArrival) -> Void)?, isFull: @escaping @Sendable () -> Bool = { false }) {
    state.withLock { $0 = State(taker: taker, isFull: isFull) }
  }

  var isFull: Bool { state.withLock { $0.isFull }() }

  func tell(_ arrival: FileArrival) { state.withLock { $0.taker }?(arrival) }
}
