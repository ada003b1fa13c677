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
  private let taker = Mutex<(@Sendable (FileArrival) -> Void)?>(nil)

  /// The one taker; nil for nobody.
  func set(_ new: (@Sendable (FileArrival) -> Void)?) { taker.withLock { $0 = new } }

  func tell(_ arrival: FileArrival) { taker.withLock { $0 }?(arrival) }
}
