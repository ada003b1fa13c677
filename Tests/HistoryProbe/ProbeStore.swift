import WeirHistory
import WeirStore

/// The store that the probes share with the tests.
enum ProbeStore {
  static let tables = [TrackedTable("message", key: ["id"], columns: ["body"], tombstone: ["client"])]

  static let schema = Schema(
    applicationID: 0x7765_6970,
    migrations: [
      Migration(
        "first",
        """
        CREATE TABLE message (id INTEGER PRIMARY KEY, client TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, body TEXT);
        CREATE TABLE copy (reader TEXT, id INTEGER, body TEXT, PRIMARY KEY (reader, id)) WITHOUT ROWID;
        CREATE TABLE merged (reader TEXT, seq INTEGER, PRIMARY KEY (reader, seq)) WITHOUT ROWID;
        """)
    ])

  static func open(_ path: String, options: HistoryOptions = HistoryOptions()) async throws -> History {
    try await History.open(path, schema: schema, tracking: tables, options: options)
  }

  static func open(_ arguments: ProbeArguments) async throws -> History {
    try await open(arguments.path, options: arguments.options)
  }

  /// What a reader makes of transactions: a copy of the rows, and a row for each transaction. The second fails where one
  /// is merged twice.
  static func project(_ reader: String, _ connection: Connection, _ transactions: [HistoryTransaction]) throws {
    let note = try connection.prepare("INSERT INTO merged VALUES (?1, ?2)")
    let put = try connection.prepare(
      """
      INSERT INTO copy SELECT ?1, id, body FROM message WHERE id = ?2
      ON CONFLICT DO UPDATE SET body = excluded.body
      """)
    let drop = try connection.prepare("DELETE FROM copy WHERE reader = ?1 AND id = ?2")
    for transaction in transactions {
      note.bind(reader, at: 1)
      note.bind(transaction.seq, at: 2)
      try note.run()
      for change in transaction.changes {
        guard case .integer(let id)? = change.key.first else { continue }
        let statement = change.operation == .delete ? drop : put
        statement.bind(reader, at: 1)
        statement.bind(id, at: 2)
        try statement.run()
      }
    }
  }

  /// Makes the copy of a reader anew from the rows.
  static func rebuild(_ reader: String, _ connection: Connection) throws {
    for sql in [
      "DELETE FROM copy WHERE reader = ?1", "DELETE FROM merged WHERE reader = ?1",
      "INSERT INTO copy SELECT ?1, id, body FROM message",
    ] {
      let statement = try connection.prepare(sql)
      statement.bind(reader, at: 1)
      try statement.run()
    }
  }
}
