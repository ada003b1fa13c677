import WeirStore

/// Brings a file to record what is declared. Runs on the writer, inside one transaction of its own.
enum RecordingInstaller {
  /// Makes the tables and triggers; what is there already and right stays.
  ///
  /// - Returns: what is wrong with the declarations; nothing is changed then.
  static func install(_ tables: [TrackedTable], on connection: Connection) throws(StoreError) -> HistoryError? {
    if let fault = try fault(of: tables, on: connection) { return fault }
    try connection.transaction { () throws(StoreError) in
      try connection.execute(RecordingTables.create)
      for table in tables { try install(table, on: connection) }
      // Of tables that other programs have declared only the columns may have changed.
      for (number, table) in try living(on: connection) where !tables.contains(where: { $0.table == table.table }) {
        try renew(table, number, on: connection)
      }
    }
    return nil
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
    let rows = try connection.prepare(
      """
      SELECT id, name, source, keys, columns, tombstone FROM history_entity WHERE EXISTS (
        SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'history_' || history_entity.id || '_insert')
      """)
    var living: [(Int64, TrackedTable)] = []
    while try rows.step() {
      let table = TrackedTable(
        rows.string(2), entity: rows.string(1), key: names(rows.string(3)), columns: names(rows.string(4)),
        tombstone: names(rows.string(5)))
      living.append((rows.int64(0), table))
    }
    return living
  }

  /// A declaration with the columns that other programs want to be told of the same table, so that observers of neither go to
  /// sleep. What a deletion keeps is as the latest says: it may have been taken back for a reason.
  private static func united(_ table: TrackedTable, on connection: Connection) throws(StoreError) -> TrackedTable {
    let present = Set(try columns(of: table.table, on: connection))
    let others = try living(on: connection).filter { $0.table.table == table.table }.flatMap(\.table.columns)
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
    let number = try self.number(of: table, on: connection)
    // What an older declaration recorded stays under its number; only the latest records on.
    let others = try connection.prepare("SELECT id FROM history_entity WHERE id <> ?1 AND (name = ?2 OR source = ?3)")
    others.bind(number, at: 1)
    others.bind(table.entity, at: 2)
    others.bind(table.table, at: 3)
    var replaced: [Int64] = []
    while try others.step() { replaced.append(others.int64(0)) }
    for other in replaced {
      for drop in RecordingTriggers.drop(other) { try connection.execute(drop) }
    }
    try renew(table, number, on: connection)
  }

  /// Makes the triggers of a declaration anew, where they are not what they have to be.
  private static func renew(
    _ table: TrackedTable, _ number: Int64, on connection: Connection
  ) throws(StoreError) {
    let all = try columns(of: table.table, on: connection)
    // A column that another program has declared is gone: that program has to say how it goes on.
    guard (table.key + table.columns + table.tombstone).allSatisfy(all.contains) else { return }
    let triggers = RecordingTriggers(table: table, entity: number, all: all)
    // Only where something differs: a change of the schema makes every connection compile its statements anew.
    let present = try connection.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND sql = ?1")
    for statement in triggers.create {
      present.bind(statement, at: 1)
      if try present.firstInt64() == 1 { continue }
      for drop in RecordingTriggers.drop(number) { try connection.execute(drop) }
      for create in triggers.create { try connection.execute(create) }
      return
    }
  }

  /// The number under which a declaration records. It stands for that declaration for good: what was recorded under it is
  /// read by it, whatever is declared later.
  private static func number(of table: TrackedTable, on connection: Connection) throws(StoreError) -> Int64 {
    let values = [table.entity, table.table, list(table.key), list(table.columns), list(table.tombstone)]
    let known = try connection.prepare(
      "SELECT id FROM history_entity WHERE (name, source, keys, columns, tombstone) = (?1, ?2, ?3, ?4, ?5)")
    let enter = try connection.prepare(
      "INSERT INTO history_entity (name, source, keys, columns, tombstone) VALUES (?1, ?2, ?3, ?4, ?5)")
    for (index, value) in values.enumerated() {
      known.bind(value, at: Int32(index) + 1)
      enter.bind(value, at: Int32(index) + 1)
    }
    if let number = try known.firstInt64() { return number }
    try enter.run()
    return connection.lastInsertedRow
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
