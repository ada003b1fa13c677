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

  private static func fault(of tables: [TrackedTable], on connection: Connection) throws(StoreError) -> HistoryError? {
    if Set(tables.map(\.entity)).count < tables.count || Set(tables.map(\.table)).count < tables.count {
      return HistoryError(.badDeclaration, "an entity or a table is declared twice")
    }
    if let fault = try versionFault(on: connection, mustRecord: false) { return fault }
    for table in tables {
      if let fault = table.fault { return HistoryError(.badDeclaration, fault) }
      if try isInstalled(on: connection) {
        let taken = try connection.prepare("SELECT source FROM history_entity WHERE name = ?1 AND source <> ?2 LIMIT 1")
        taken.bind(table.entity, at: 1)
        taken.bind(table.table, at: 2)
        if let source = try taken.firstString() {
          return HistoryError(
            .badDeclaration, "\(table.entity) stands for the table \(source) in this file; choose another name")
        }
      }
      let sql = try connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")
      sql.bind(table.table, at: 1)
      guard let definition = try sql.firstString() else {
        return HistoryError(.badDeclaration, "there is no table \(table.table) in \(connection.path)")
      }
      let columns = try self.columns(of: table.table, on: connection)
      if let missing = (table.key + table.columns + table.tombstone).first(where: { !columns.contains($0) }) {
        return HistoryError(.badDeclaration, "\(table.table) has no column \(missing)")
      }
      if let fault = StatementLint.fault(of: definition) {
        return HistoryError(.unseenChange, "\(table.table) is declared so that \(fault)")
      }
    }
    return nil
  }

  private static func install(_ table: TrackedTable, on connection: Connection) throws(StoreError) {
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
    let triggers = RecordingTriggers(table: table, entity: number, all: try columns(of: table.table, on: connection))
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
  private static func columns(of table: String, on connection: Connection) throws(StoreError) -> [String] {
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
