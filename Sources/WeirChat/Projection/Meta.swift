import WeirStore

/// The one row that says what the store is and where it stands.
struct Meta: Equatable {
  /// The latest revision given out.
  var revision: Int64
  /// Unread messages over all conversations.
  var unreadTotal: Int64
  /// The oldest revision that the change log still holds.
  var historyFrom: Int64

  /// Makes the row in a new file, or checks that the file is this account's.
  ///
  /// - Throws: `StoreError` of kind `foreignFile` for another account, `corrupt` when the row is gone.
  static func create(_ connection: Connection, account: String) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      if try connection.prepare("SELECT count(*) FROM meta").firstInt64() == 0 {
        guard try connection.prepare("SELECT count(*) FROM strings").firstInt64() == 0 else {
          throw StoreError(.corrupt, "\(connection.path) has rows but lost its meta row")
        }
        let insert = try connection.prepare("INSERT INTO meta VALUES (1, randomblob(16), ?1, 0, 0, 1)")
        insert.bind(account, at: 1)
        try insert.run()
      }
    }
    try check(connection, account: account)
  }

  /// Checks that the file is this account's.
  ///
  /// - Throws: as `create`.
  static func check(_ connection: Connection, account: String) throws(StoreError) {
    guard let owner = try connection.prepare("SELECT account FROM meta").firstString() else {
      throw StoreError(.corrupt, "\(connection.path) has no meta row")
    }
    guard owner.utf8Equals(account) else {
      throw StoreError(.foreignFile, "\(connection.path) belongs to account \"\(owner)\", not \"\(account)\"")
    }
  }

  /// The random identity of the file, made with it.
  static func identity(_ connection: Connection) throws(StoreError) -> [UInt8] {
    let select = try connection.prepare("SELECT db_uuid FROM meta")
    guard try select.step() else { throw StoreError(.corrupt, "\(connection.path) has no meta row") }
    defer { select.reset() }
    return select.bytes(0)
  }
}
