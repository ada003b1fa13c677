import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the recording stood before the program that opens the file has migrated it: what its own migrations make anew is no gap.
struct EarlierState: Sendable {
  fileprivate var lost: Set<Int64> = []
  fileprivate var format: Int64 = 0

  /// Nothing is known.
  init() {}

  init(_ connection: Connection) throws(StoreError) {
    guard try RecordingInstaller.versionFault(on: connection, mustRecord: true) == nil else { return }
    lost = Set(try RecordingInstaller.lost(on: connection).keys)
    format = try Self.format(of: connection)
  }

  fileprivate static func format(of connection: Connection) throws(StoreError) -> Int64 {
    try connection.prepare("PRAGMA user_version").firstInt64() ?? 0
  }
}

extension RecordingInstaller {
  /// The declarations that are to be recorded and are not, with whether that was told: their triggers are gone, or have gone
  /// with a table that has another name now.
  static func lost(on connection: Connection) throws(StoreError) -> [Int64: Bool] {
    let names = RecordingTriggers.operations.map { "'history_' || id || '_\($0)'" }.joined(separator: ", ")
    let rows = try connection.prepare(
      """
      SELECT id, recording = 2 FROM history_entity WHERE recording > 0 AND \(RecordingTriggers.operations.count) > (
        SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = source AND name IN (\(names)))
      """)
    var lost: [Int64: Bool] = [:]
    while try rows.step() { lost[rows.int64(0)] = rows.int64(1) != 0 }
    return lost
  }

  /// Notes what went unrecorded, by a transaction that holds nothing: positions before it are void. Inside the transaction in
  /// which what was lost has been mended as far as it can be.
  static func enterGaps(
    _ lost: [Int64: Bool], _ earlier: EarlierState, on connection: Connection
  ) throws(StoreError) -> [HistoryGap] {
    let stillLost = try self.lost(on: connection)
    let isMigrated = try EarlierState.format(of: connection) != earlier.format
    var gaps: [Int64] = []
    for (number, wasTold) in lost.sorted(by: { $0.key < $1.key }) {
      let isOwn = isMigrated && !earlier.lost.contains(number)
      let isLost = stillLost[number] != nil
      if isLost {
        try connection.execute("UPDATE history_entity SET recording = \(isOwn ? 0 : 2) WHERE id = \(number)")
      }
      // Told when it is noticed, and once more when the recording goes on: in between nothing was recorded either.
      if !isOwn, !wasTold || !isLost { gaps.append(number) }
    }
    if gaps.isEmpty { return [] }
    try connection.execute(
      """
      INSERT INTO history_log (id, context, nonce, wall) VALUES (\(RecordingTables.next), 'gap', random(), \(RecordingTables.now))
      """)
    let row = connection.lastInsertedRow
    let seq = HistoryNumber.transaction(of: row)
    try connection.execute("INSERT INTO history_log (id) VALUES (\(row | HistoryNumber.rows))")
    for number in gaps {
      try connection.execute("INSERT INTO history_gap VALUES (\(seq), \(number), \(RecordingTables.now))")
    }
    return try self.gaps(after: seq - 1, on: connection)
  }

  /// What was noted beyond a position.
  static func gaps(after seq: Int64, on connection: Connection) throws(StoreError) -> [HistoryGap] {
    let rows = try connection.prepare(
      """
      SELECT e.name, e.source, g.seq, g.wall FROM history_gap g JOIN history_entity e ON e.id = g.entity
      WHERE g.seq > ?1 ORDER BY g.seq, e.name
      """)
    rows.bind(seq, at: 1)
    var gaps: [HistoryGap] = []
    while try rows.step() {
      gaps.append(
        HistoryGap(
          entity: rows.string(0), table: rows.string(1), seq: rows.int64(2), date: Date(milliseconds: rows.int64(3))))
    }
    return gaps
  }
}

extension ReadingContext {
  /// The entities of which changes after a position were not recorded.
  func gapEntities(after seq: Int64) throws(StoreError) -> [String] {
    Set(try RecordingInstaller.gaps(after: seq, on: connection).map(\.entity)).sorted()
  }
}
