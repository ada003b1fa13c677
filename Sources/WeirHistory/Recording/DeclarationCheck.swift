import WeirStore

/// What is wrong with declarations, before anything in the file is changed.
extension RecordingInstaller {
  static func fault(of tables: [TrackedTable], on connection: Connection) throws(StoreError) -> HistoryError? {
    if Set(tables.map(\.entity)).count < tables.count || Set(tables.map(\.table)).count < tables.count {
      return HistoryError(.badDeclaration, "an entity or a table is declared twice")
    }
    if let fault = try versionFault(on: connection, mustRecord: false) { return fault }
    let isInstalled = try isInstalled(on: connection)
    for table in tables {
      if let words = table.fault { return HistoryError(.badDeclaration, words) }
      if isInstalled, let words = try nameFault(of: table, on: connection) {
        return HistoryError(.badDeclaration, words)
      }
      let sql = try connection.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1")
      sql.bind(table.table, at: 1)
      guard let definition = try sql.firstString() else {
        return HistoryError(.badDeclaration, try missing(table.table, on: connection))
      }
      let columns = try self.columns(of: table.table, on: connection)
      if let missing = (table.key + table.columns + table.tombstone).first(where: { !columns.contains($0) }) {
        let meant = columns.first { $0.lowercased() == missing.lowercased() }.map { "; it has \($0)" } ?? ""
        return HistoryError(
          .badDeclaration, "\(table.table) has no column \(missing)\(meant); declare it with the columns it has now")
      }
      guard try isUnique(table, on: connection) else {
        return HistoryError(
          .badDeclaration,
          "\(table.key.joined(separator: ", ")) does not tell the rows of \(table.table) apart: "
            + "declare its primary key, or columns with a UNIQUE index")
      }
      if let fault = StatementLint.fault(of: definition) {
        return HistoryError(.unseenChange, "\(table.table) is declared so that \(fault)")
      }
    }
    return nil
  }

  /// A name stands for one table in a file, and a table is recorded under one name.
  private static func nameFault(of table: TrackedTable, on connection: Connection) throws(StoreError) -> String? {
    let taken = try connection.prepare("SELECT source FROM history_entity WHERE name = ?1 AND source <> ?2 LIMIT 1")
    taken.bind(table.entity, at: 1)
    taken.bind(table.table, at: 2)
    if let source = try taken.firstString() {
      return "\(table.entity) stands for the table \(source) in this file; choose another name"
    }
    guard let other = try living(on: connection).first(where: { $0.table.table == table.table })?.table else {
      return nil
    }
    if other.entity != table.entity {
      return
        "the table \(table.table) is recorded as \(other.entity) in this file, and who observes that would hear no more; "
        + "use that name, or stop the recording first"
    }
    if other.key != table.key {
      return "the rows of \(table.table) are told apart by \(other.key.joined(separator: ", ")) in this file, not by "
        + "\(table.key.joined(separator: ", ")), and who reads them would not know them again; declare the same key in the "
        + "same order, or stop the recording first"
    }
    return nil
  }

  private static func missing(_ name: String, on connection: Connection) throws(StoreError) -> String {
    let near = try connection.prepare(
      "SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE")
    near.bind(name, at: 1)
    guard try near.step() else { return "there is no table \(name) in \(connection.path)" }
    defer { near.reset() }
    if near.string(0) == "view" { return "\(near.string(1)) is a view: declare the tables that it shows" }
    return "there is no table \(name) in \(connection.path), but \(near.string(1)); write it as it is there"
  }

  /// Whether no two rows can have the same key: it holds the primary key or the columns of a unique index.
  private static func isUnique(_ table: TrackedTable, on connection: Connection) throws(StoreError) -> Bool {
    let rows = try connection.prepare(
      """
      SELECT 'primary key', name FROM pragma_table_xinfo(?1) WHERE pk > 0
      UNION ALL SELECT 'index ' || list.name, info.name FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info
      WHERE list."unique" AND NOT list.partial
      """)
    rows.bind(table.table, at: 1)
    var sets: [String: [String?]] = [:]
    while try rows.step() { sets[rows.string(0), default: []].append(rows.type(1) == .null ? nil : rows.string(1)) }
    // A column of an index that is an expression has no name.
    return sets.values.contains { $0.allSatisfy { column in column.map(table.key.contains) ?? false } }
  }
}
