import WeirStore

/// The one row that says what the store is and where it stands.
struct Meta: Equatable {
  /// The latest revision given out.
  var revision: Int64
  /// Unread messages over all conversations.
  var unreadTotal: Int64
  /// Missing seqs that may hold unread messages, over all conversations.
  var unfetchedTotal: Int64
  /// The oldest revision that the change log still holds.
  var historyFrom: Int64
  /// The epoch of the account whose writers may commit.
  var epoch: Int64
  /// Private messages are hidden from their deadline on, up to this time.
  var expiredUpTo: Int64

  /// Makes the row in a new file, or checks that the file is this account's, and claims it for an epoch of the account:
  /// writers of earlier epochs cannot commit any more. Returns the number of the own user id among the texts.
  ///
  /// - Throws: `StoreError` of kind `foreignFile` for another account, `staleEpoch` when a later epoch has claimed the
  ///   file, `corrupt` when the row is gone.
  static func create(
    _ connection: Connection, account: String, epoch: Int64, strings: InternedStrings
  ) throws(StoreError) -> Int64 {
    try connection.transaction { () throws(StoreError) in
      if try connection.prepare("SELECT count(*) FROM meta").firstInt64() == 0 {
        guard try connection.prepare("SELECT count(*) FROM strings").firstInt64() == 0 else {
          throw StoreError(.corrupt, "\(connection.path) has rows but lost its meta row")
        }
        let insert = try connection.prepare(
          """
          INSERT INTO meta(id, db_uuid, account, revision, unread_total, history_from)
          VALUES (1, randomblob(16), ?1, 0, 0, 1)
          """)
        insert.bind(account, at: 1)
        try insert.run()
      }
      try check(connection, account: account)
      let claimed = try connection.prepare("SELECT account_epoch FROM meta").firstInt64() ?? 0
      guard claimed <= epoch else {
        throw StoreError(.staleEpoch, "the account is in epoch \(claimed), this writer belongs to epoch \(epoch)")
      }
      if claimed < epoch { try connection.execute("UPDATE meta SET account_epoch = \(epoch)") }
      return try strings.number(account)
    }
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
