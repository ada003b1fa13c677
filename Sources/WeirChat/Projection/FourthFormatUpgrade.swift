import WeirStore

/// Writes the rows of earlier formats anew, with what no index needs in one column (`MessageRow+Columns`). The whole table
/// is rewritten in the transaction of the upgrade, about 7 µs a message; the pages of the old one stay in the file and are
/// used again.
enum FourthFormatUpgrade {
  static let format: Int64 = 4

  static let tables = """
    CREATE TABLE messages_packed(
      id INTEGER PRIMARY KEY,
      conversation INTEGER NOT NULL,
      client_id NOT NULL,
      seq INTEGER NOT NULL,
      send_time INTEGER NOT NULL,
      create_time INTEGER NOT NULL,
      sender INTEGER NOT NULL,
      evidence INTEGER NOT NULL,
      marks INTEGER NOT NULL,
      rest BLOB NOT NULL,
      UNIQUE(conversation, client_id)
    );
    """

  private static let indexes = """
    CREATE INDEX messages_by_time ON messages(conversation, send_time, seq);
    CREATE INDEX messages_by_seq ON messages(conversation, seq) WHERE seq > 0;
    CREATE INDEX messages_private ON messages(conversation, seq) WHERE marks & 96 = 32;
    CREATE INDEX messages_sent_here ON messages(conversation, create_time) WHERE marks & 512 <> 0;
    CREATE INDEX messages_unsent ON messages(conversation) WHERE evidence = 0;
    """

  static let run: @Sendable (Connection) throws(StoreError) -> Void = { (connection) throws(StoreError) in
    try copy(connection)
    try connection.execute("DROP TABLE messages; ALTER TABLE messages_packed RENAME TO messages;")
    try connection.execute(indexes)
  }

  private static func copy(_ connection: Connection) throws(StoreError) {
    let parameters = (2...MessageRow.columnCount + 1).map { "?\($0)" }.joined(separator: ", ")
    let insert = try connection.prepare(
      "INSERT INTO messages_packed(id, \(MessageRow.columns)) VALUES (?1, \(parameters))")
    try LegacyMessageTable(connection).visit { (id, row, isIntact) throws(StoreError) in
      insert.bind(id, at: 1)
      // A damaged row is no reason to refuse the others; it stays damaged for whoever reads it.
      row.bind(to: insert, from: 2, isDamaged: !isIntact)
      try insert.run()
    }
  }
}
