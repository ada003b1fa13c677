import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the history of a store stands: who writes and reads, what is recorded, what may go. All of it from one snapshot.
public struct HistoryOverview: Sendable {
  /// A table that was declared, and whether it is recorded as declared so.
  public struct Table: Sendable {
    /// The declaration.
    public let table: TrackedTable
    /// Whether changes are recorded under it: of several declarations of a table only the latest is.
    public let isRecording: Bool
  }

  /// What keeps everything after a transaction, whoever reads it.
  public struct Pin: Sendable {
    /// Its name.
    public let name: String
    /// The transaction.
    public let seq: Int64
  }

  /// Which store, 32 hexadecimal digits.
  public let store: String
  /// Which life of it.
  public let epoch: Int64
  /// The last transaction recorded.
  public let head: Int64
  /// The last transaction that was deleted.
  public let purgedThrough: Int64
  /// Changes that are held.
  public let changes: Int64
  /// Bytes of the file, without its log.
  public let bytes: Int64
  /// All authors, by name.
  public let authors: [HistoryAuthor]
  /// All tables, by entity.
  public let tables: [Table]
  /// All pins, by transaction.
  public let pins: [Pin]
  /// The transactions that authors gave up on.
  public let deadLetters: [HistoryDeadLetter]
  /// Where changes went unrecorded, as far as what follows is held.
  public let gaps: [HistoryGap]
  /// What a cleaning would delete, and who holds back the rest.
  public let cleaning: HistoryCleaning

  /// Transactions that are held.
  public var transactions: Int64 { head - purgedThrough }
}

extension History {
  /// How the history stands.
  public func overview(keeping: HistoryKeeping = HistoryKeeping()) async throws(HistoryError) -> HistoryOverview {
    try await read { (context) throws(StoreError) in try context.overview(keeping) }
  }
}

extension ReadingContext {
  func overview(_ keeping: HistoryKeeping) throws(StoreError) -> HistoryOverview {
    try connection.snapshot { () throws(StoreError) in
      let state = try state()
      return HistoryOverview(
        store: state.uuid, epoch: state.epoch, head: try head(), purgedThrough: state.purgedThrough,
        changes: try number("SELECT count(entity) FROM history_log"),
        bytes: try number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
        authors: try authors(), tables: try tables(), pins: try pins(), deadLetters: try deadLetters(),
        gaps: try RecordingInstaller.gaps(after: 0, on: connection),
        cleaning: try Cleaner(connection).forecast(keeping))
    }
  }

  private func number(_ sql: String) throws(StoreError) -> Int64 { try connection.prepare(sql).firstInt64() ?? 0 }

  func authors() throws(StoreError) -> [HistoryAuthor] {
    let rows = try connection.prepare(
      """
      SELECT name, role, cursor, registered, last_seen, retired_at, max(0, \(RecordingTables.head) - cursor),
        (SELECT count(entity) FROM history_log WHERE id >= (history_author.cursor + 1) << \(HistoryNumber.bits))
      FROM history_author ORDER BY name
      """)
    var authors: [HistoryAuthor] = []
    while try rows.step() {
      authors.append(
        HistoryAuthor(
          name: rows.string(0), role: HistoryRole(rawValue: rows.int64(1)) ?? .writeOnly,
          cursor: rows.type(2) == .null ? nil : rows.int64(2), registered: Date(milliseconds: rows.int64(3)),
          lastSeen: Date(milliseconds: rows.int64(4)),
          retired: rows.type(5) == .null ? nil : Date(milliseconds: rows.int64(5)), lag: rows.int64(6),
          lagChanges: rows.type(2) == .null ? 0 : rows.int64(7)))
    }
    return authors
  }

  func deadLetters() throws(StoreError) -> [HistoryDeadLetter] {
    let rows = try connection.prepare(
      """
      SELECT a.name, d.seq, d.attempts, d.reason, d.wall FROM history_dead_letter d
      JOIN history_author a ON a.id = d.author ORDER BY a.name, d.seq
      """)
    var letters: [HistoryDeadLetter] = []
    while try rows.step() {
      letters.append(
        HistoryDeadLetter(
          author: rows.string(0), seq: rows.int64(1), attempts: Int(clamping: rows.int64(2)), reason: rows.string(3),
          date: Date(milliseconds: rows.int64(4))))
    }
    return letters
  }

  private func pins() throws(StoreError) -> [HistoryOverview.Pin] {
    let rows = try connection.prepare("SELECT name, seq FROM history_pin ORDER BY seq, name")
    var pins: [HistoryOverview.Pin] = []
    while try rows.step() { pins.append(HistoryOverview.Pin(name: rows.string(0), seq: rows.int64(1))) }
    return pins
  }

  private func tables() throws(StoreError) -> [HistoryOverview.Table] {
    let rows = try connection.prepare(
      """
      SELECT name, source, keys, columns, tombstone, EXISTS (
        SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'history_' || history_entity.id || '_insert')
      FROM history_entity ORDER BY name, id
      """)
    var tables: [HistoryOverview.Table] = []
    while try rows.step() {
      let table = TrackedTable(
        rows.string(1), entity: rows.string(0), key: RecordingInstaller.names(rows.string(2)),
        columns: RecordingInstaller.names(rows.string(3)), tombstone: RecordingInstaller.names(rows.string(4)))
      tables.append(HistoryOverview.Table(table: table, isRecording: rows.int64(5) != 0))
    }
    return tables
  }
}
