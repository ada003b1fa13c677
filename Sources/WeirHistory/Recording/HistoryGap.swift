#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Changes that nobody has recorded: a table had lost its triggers, as when a client drops it and makes it anew. The next
/// `open` of whichever program notices, records on, and makes every position void that has not seen the table since: its
/// reader rebuilds, or fails with an error of kind `expired` that names the table.
public struct HistoryGap: Sendable, Hashable, CustomStringConvertible {
  /// The entity that was recorded.
  public let entity: String
  /// Its table.
  public let table: String
  /// The transaction that stands for what was not recorded, and holds nothing. Positions before it are void.
  public let seq: Int64
  /// When it was noticed.
  public let date: Date

  public var description: String {
    "changes of \(table) before transaction \(seq) were not recorded, since the table had lost its triggers; "
      + "readers behind that rebuild"
  }
}
