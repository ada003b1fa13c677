import WeirStore

/// Brings a file to record what is declared. Runs on the writer, inside one transaction of its own.
enum RecordingInstaller {
  /// Makes the tables and triggers; what is there already and right stays, and where all is, nothing is written or locked.
  ///
  /// - Parameter earlier: what was seen before the schema was prepared.
  /// - Returns: what is wrong with the declarations (nothing is changed then), and where changes went unrecorded.
  static func install(
    _ tables: [TrackedTable], on connection: Connection, earlier: EarlierState
  ) throws(StoreError) -> Result<[HistoryGap], HistoryError> {
    if let fault = try fault(of: tables, on: connection) { return .failure(fault) }
    if try isUpToDate(tables, on: connection) { return .success([]) }
    return try connection.transaction { () throws(StoreError) in
      try connection.execute(RecordingTables.create)
      let lost = try lost(on: connection)
      for table in tables { try install(table, on: connection) }
      // Of tables that other programs have declared only the columns may have changed.
      for (number, table) in try declared(on: connection) where !tables.contains(where: { $0.table == table.table }) {
        if let triggers = try outdated(table, number, on: connection) {
          try renew(triggers, number, on: connection)
        }
      }
      return .success(try enterGaps(lost, earlier, on: connection))
    }
  }

  /// Whether the file records anything yet.
  static func isInstalled(on connection: Connection) throws(StoreError) -> Bool {
    try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'history_store'").firstInt64() != nil
  }

  /// Why this program cannot go on with what the file records.
  static func versionFault(on connection: Connection, mustRecord: Bool) throws(StoreError) -> HistoryError? {
    guard try isInstalled(on: connection) else {
      return mustRecord ? HistoryError(.notRecorded, "\(connection.path) records no history") : nil
    }
    let version = try connection.prepare("SELECT version FROM history_store").firstInt64() ?? 0
    if version == RecordingTables.version { return nil }
    let words =
      "the history of \(connection.path) has version \(version), this program knows \(RecordingTables.version)"
    return HistoryError(
      .badDeclaration,
      version > RecordingTables.version
        ? "\(words); update it"
        : "\(words), and older ones were never released; stop recording with the program that made it")
  }

  /// The declarations under which something is recorded now, by their numbers.
  static func living(on connection: Connection) throws(StoreError) -> [(number: Int64, table: TrackedTable)] {
    try declarations(
      """
      EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'history_' || history_entity.id || '_insert')
      """, on: connection)
  }

  /// The declarations under which something ought to be recorded, whether it is or not.
  static func declared(on connection: Connection) throws(StoreError) -> [(number: Int64, table: TrackedTable)] {
    try declarations("recording > 0", on: connection)
  }

  private static func declarations(
    _ condition: String, on connection: Connection
  ) throws(StoreError) -> [(number: Int64, table: TrackedTable)] {
    let rows = try connection.prepare(
      "SELECT id, name, source, keys, columns, tombstone FROM history_entity WHERE \(condition) ORDER BY id")
    var found: [(Int64, TrackedTable)] = []
    while try rows.step() {
      let table = TrackedTable(
        rows.string(2), entity: rows.string(1), key: names(rows.string(3)), columns: names(rows.string(4)),
        tombstone: names(rows.string(5)))
      found.append((rows.int64(0), table))
    }
    return found
  }

  /// A declaration with the columns that other programs want to be told of the same table, so that observers of neither go to
  /// sleep. What a deletion keeps is as the latest says: it may have been taken back for a reason.
  private static func united(_ table: TrackedTable, on connection: Connection) throws(StoreError) -> TrackedTable {
    let present = Set(try columns(of: table.table, on: connection))
    let others = try declared(on: connection).filter { $0.table.table == table.table }.flatMap(\.table.columns)
    var columns: [String] = []
    for column in others + table.columns where present.contains(column) && !columns.contains(column) {
      columns.append(column)
    }
    // More than can be told one by one: who is here decides.
    if columns.count > TrackedTable.mostColumns { columns = table.columns }
    return TrackedTable(
      table.table, entity: table.entity, key: table.key, columns: columns, tombstone: table.tombstone)
  }

  private static func install(_ declared: TrackedTable, on connection: Connection) throws(StoreError) {
    let table = try united(declared, on: connection)
    let known = try self.number(of: table, on: connection)
    let number: Int64
    if let known { number = known } else { number = try enter(table, on: connection) }
    // What an older declaration recorded stays under its number; only the latest records on.
    let others = try connection.prepare("SELECT id FROM history_entity WHERE id <> ?1 AND (name = ?2 OR source = ?3)")
    others.bind(number, at: 1)
    others.bind(table.entity, at: 2)
    others.bind(table.table, at: 3)
    var replaced: [Int64] = []
    while try others.step() { replaced.append(others.int64(0)) }
    for other in replaced {
      for drop in RecordingTriggers.drop(other) { try connection.execute(drop) }
      try connection.execute("UPDATE history_entity SET recording = 0 WHERE id = \(other)")
    }
    try connection.execute("UPDATE history_entity SET recording = 1 WHERE id = \(number)")
    if let triggers = try outdated(table, number, on: connection) { try renew(triggers, number, on: connection) }
  }

  /// Whether everything is recorded as it has to be.
  static func isUpToDate(_ tables: [TrackedTable], on connection: Connection) throws(StoreError) -> Bool {
    try connection.snapshot { () throws(StoreError) in
      guard try versionFault(on: connection, mustRecord: true) == nil, try lost(on: connection).isEmpty else {
        return false
      }
      let declared = try declared(on: connection)
      for one in tables {
        let table = try united(one, on: connection)
        guard let number = declared.first(where: { $0.table == table })?.number else { return false }
        let isAlone = declared.allSatisfy {
          $0.number == number || $0.table.entity != table.entity && $0.table.table != table.table
        }
        guard isAlone, try outdated(table, number, on: connection) == nil else { return false }
      }
      for (number, table) in declared where !tables.contains(where: { $0.table == table.table }) {
        if try outdated(table, number, on: connection) != nil { return false }
      }
      return true
    }
  }

  /// The triggers that a declaration must have, where it has others.
  private static func outdated(
    _ table: TrackedTable, _ number: Int64, on connection: Connection
  ) throws(StoreError) -> RecordingTriggers? {
    let all = try columns(of: table.table, on: connection)
    // A column that another program has declared is gone: that program has to say how it goes on.
    guard (table.key + table.columns + table.tombstone).allSatisfy(all.contains) else { return nil }
    let triggers = RecordingTriggers(table: table, entity: number, all: all)
    // Only where something differs: a change of the schema makes every connection compile its statements anew.
    let present = try connection.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND sql = ?1")
    for statement in triggers.create {
      present.bind(statement, at: 1)
      if try present.firstInt64() != 1 { return triggers }
    }
    return nil
  }

  private static func renew(
    _ triggers: RecordingTriggers, _ number: Int64, on connection: Connection
  ) throws(StoreError) {
    for drop in RecordingTriggers.drop(number) { try connection.execute(drop) }
    for create in triggers.create { try connection.execute(create) }
  }

  /// The number under which a declaration records. It stands for that declaration for good: what was recorded under it is
  /// read by it, whatever is declared later.
  private static func number(of table: TrackedTable, on connection: Connection) throws(StoreError) -> Int64? {
    let known = try connection.prepare(
      "SELECT id FROM history_entity WHERE (name, source, keys, columns, tombstone) = (?1, ?2, ?3, ?4, ?5)")
    for (index, value) in values(of: table).enumerated() { known.bind(value, at: Int32(index) + 1) }
    return try known.firstInt64()
  }

  private static func enter(_ table: TrackedTable, on connection: Connection) throws(StoreError) -> Int64 {
    let enter = try connection.prepare(
      "INSERT INTO history_entity (name, source, keys, columns, tombstone) VALUES (?1, ?2, ?3, ?4, ?5)")
    for (index, value) in values(of: table).enumerated() { enter.bind(value, at: Int32(index) + 1) }
    try enter.run()
    return connection.lastInsertedRow
  }

  private static func values(of table: TrackedTable) -> [String] {
    [table.entity, table.table, list(table.key), list(table.columns), list(table.tombstone)]
  }

  /// The columns of a table, also hidden ones that hold values.
  static func columns(of table: String, on connection: Connection) throws(StoreError) -> [String] {
    let statement = try connection.prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1")
    statement.bind(table, at: 1)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  static func list(_ names: [String]) -> String { names.map(quotedText).joined(separator: ",") }

  static func names(_ list: String) -> [String] {
    (HistoryValue.list(list) ?? []).compactMap { if case .text(let name) = $0 { name } else { nil } }
  }
}
