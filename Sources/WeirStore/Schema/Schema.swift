/// One step from a format to the next.
public struct Migration: Sendable {
  /// What the step does, for messages.
  public let name: String
  /// The statements of the step; they run inside one transaction with the new version number.
  public let sql: String
  /// What SQL alone cannot do, after the statements and in the same transaction.
  let upgrade: (@Sendable (Connection) throws(StoreError) -> Void)?

  /// A step called `name` that runs `sql`, then `upgrade`.
  public init(
    _ name: String, _ sql: String, upgrade: (@Sendable (Connection) throws(StoreError) -> Void)? = nil
  ) {
    self.name = name
    self.sql = sql
    self.upgrade = upgrade
  }
}

/// Who owns a file and how its tables came to be: an application id and the ordered migrations.
///
/// The format of a file is SQLite's `user_version`, the number of migrations it has seen. A file is checked before
/// anything in it is changed, so opening a wrong file by mistake leaves it as it was.
public struct Schema: Sendable {
  /// SQLite's `application_id`, which names the kind of file. Not zero.
  public let applicationID: Int32
  /// The steps from an empty file to the current format, in order. Steps are only ever appended.
  public let migrations: [Migration]

  /// A schema of files marked `applicationID`, made by `migrations`.
  public init(applicationID: Int32, migrations: [Migration]) {
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// For a file whose tables somebody else makes and whose mark is somebody else's: it is only opened.
  public static var anyFile: Schema { Schema(applicationID: 0, migrations: []) }

  /// Checks the file, configures the connection and, when `access` allows it, migrates to the current format.
  ///
  /// - Throws: `StoreError` of kind `foreignFile`, `newerFormat`, `corrupt` (also for a file that is no database), or
  ///   as SQLite reports it.
  public func prepare(_ connection: Connection, access: FileAccess) throws(StoreError) {
    if applicationID == 0, migrations.isEmpty { return try connection.configure() }
    let found = try inspect(connection)
    try connection.configure()
    if found == migrations.count { return }
    guard access.writes else {
      throw StoreError(.readOnly, "\(connection.path) has format \(found) and must be migrated by a writer first")
    }
    try migrate(connection)
  }

  /// Whether ``prepare(_:access:)`` has nothing to write: the file has the current format and a write-ahead log.
  ///
  /// - Throws: `StoreError` as SQLite reports it; a file that is somebody else's is not prepared.
  public func isPrepared(_ connection: Connection) throws(StoreError) -> Bool {
    if applicationID != 0 || !migrations.isEmpty {
      let owner = try number(connection, "PRAGMA application_id")
      let format = try number(connection, "PRAGMA user_version")
      guard owner == Int64(applicationID), format == migrations.count else { return false }
    }
    return try connection.prepare("PRAGMA journal_mode").firstString() == "wal"
  }

  /// The format of the file, 0 for an empty one.
  private func inspect(_ connection: Connection) throws(StoreError) -> Int {
    let format = try number(connection, "PRAGMA user_version")
    let owner = try number(connection, "PRAGMA application_id")
    let tables = try number(connection, "SELECT count(*) FROM sqlite_schema")
    if owner == 0 && format == 0 && tables == 0 { return 0 }
    guard owner == Int64(applicationID) else {
      throw StoreError(.foreignFile, "\(connection.path) has application id \(owner), expected \(applicationID)")
    }
    guard format <= migrations.count else {
      throw StoreError(
        .newerFormat, "\(connection.path) has format \(format), this version knows up to \(migrations.count)")
    }
    guard format >= 1, tables > 0 else {
      throw StoreError(.corrupt, "\(connection.path) carries our mark but holds no tables")
    }
    return Int(format)
  }

  /// Takes all steps that lack, in one transaction: no format that only an upgrade passes through is ever left behind.
  private func migrate(_ connection: Connection) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      // Another process may have migrated while this one waited for the lock.
      let found = Int(try number(connection, "PRAGMA user_version"))
      guard found < migrations.count else { return }
      for step in migrations[max(found, 0)...] {
        try connection.execute(step.sql)
        try step.upgrade?(connection)
      }
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(migrations.count)")
    }
  }

  private func number(_ connection: Connection, _ sql: String) throws(StoreError) -> Int64 {
    try connection.prepare(sql).firstInt64() ?? 0
  }
}
