#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an author does with the history.
public enum HistoryRole: Int64, Sendable, CaseIterable {
  /// Reads what others write and keeps its position here: holds the cleaning back.
  case consumer = 0
  /// Writes and never reads (a bulk importer): holds nothing back.
  case writeOnly = 1
  /// Carries changes out of the file (a server upload, a radio): holds the cleaning back.
  case exporter = 2

  /// Whether it keeps a position that the cleaning must respect.
  var reads: Bool { self != .writeOnly }
}

/// Where a new reader begins. What was written before is never replayed silently.
public enum HistoryStart: Sendable {
  /// With what is written from now on.
  case now
  /// After this transaction, which must not be purged: for who has a copy of the rows as of then.
  case after(Int64)
}

/// An author as the registry knows it.
public struct HistoryAuthor: Sendable, Hashable {
  /// Its name.
  public let name: String
  /// What it does.
  public let role: HistoryRole
  /// The last transaction it has scanned; nil for one that only writes.
  public let cursor: Int64?
  /// When it registered.
  public let registered: Date
  /// When it last moved its position.
  public let lastSeen: Date
  /// When it was retired, if it was.
  public let retired: Date?
  /// How many transactions it is behind.
  public let lag: Int64
  /// How many changes those hold.
  public let lagChanges: Int64
}

/// A transaction that an author gave up on.
public struct HistoryDeadLetter: Sendable, Hashable {
  /// Who gave up.
  public let author: String
  /// On which transaction.
  public let seq: Int64
  /// After how many tries; zero where a hook rejected it.
  public let attempts: Int
  /// Why.
  public let reason: String
  /// When.
  public let date: Date
}
