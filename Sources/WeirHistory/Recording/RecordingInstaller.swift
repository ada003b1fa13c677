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

  private static func fault(of tables: [TrackedTable], on connection: Connection) throws(StoreError) -> HistoryError? {
    if Set(tables.map(\.entity)).count < tables.count || Set(tables.map(\.table)).count < tables.count {
      return HistoryError(.badDeclaration, "an entity or a table is declared twice")
    }
    if try isInstalled(on: connection) {
      let version = try connection.prepare("SELECT version FROM history_store").firstInt64() ?? 0
      guard version <= RecordingTables.version else {
        return HistoryError(
          .badDeclaration,
          "the history has version \(version), this program knows \(RecordingTables.version); update it")
      }
    }
    for table in tables {
      if let fault = table.fault { return HistoryError(.badDeclaration, fault) }
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
    let known = try connection.prepare("SELECT id, columns FROM history_entity WHERE name = ?1")
    known.bind(table.entity, at: 1)
    var bits: [String] = []
    var entity: Int64?
    if try known.step() {
      entity = known.int64(0)
      bits = names(known.string(1))
      known.reset()
    }
    // A bit keeps its meaning for good: what was recorded under it is still to be read.
    let added = table.columns.filter { !bits.contains($0) }
    if bits.count + added.count > TrackedTable.mostColumns {
      throw StoreError(
        .invalidInput, "\(table.entity) has declared more than \(TrackedTable.mostColumns) columns in its life")
    }
    bits += added
    let write = try connection.prepare(
      """
      INSERT INTO history_entity (name, source, keys, columns, tombstone) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (name) DO UPDATE SET source = ?2, keys = ?3, columns = ?4, tombstone = ?5
      WHERE source <> ?2 OR keys <> ?3 OR columns <> ?4 OR tombstone <> ?5
      """)
    write.bind(table.entity, at: 1)
    write.bind(table.table, at: 2)
    write.bind(list(table.key), at: 3)
    write.bind(list(bits), at: 4)
    write.bind(list(table.tombstone), at: 5)
    try write.run()
    let number = entity ?? connection.lastInsertedRow
    let triggers = RecordingTriggers(
      table: table, entity: number, bits: bits, all: try columns(of: table.table, on: connection))
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
