import Foundation
import Testing
import WeirHistory
import WeirStore

/// Each kind of statement, by a client that knows nothing of the history, and what such a client could hide.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RawClientTests {
  private static let schema = Schema(
    applicationID: 0x7765_6978,
    migrations: [
      Migration(
        "first",
        """
        CREATE TABLE thread (id INTEGER PRIMARY KEY, name TEXT UNIQUE, count INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE message (
          id TEXT PRIMARY KEY, thread INTEGER REFERENCES thread(id) ON DELETE CASCADE ON UPDATE CASCADE, body TEXT
        ) WITHOUT ROWID;
        CREATE TRIGGER counted AFTER INSERT ON message BEGIN
          UPDATE thread SET count = count + 1 WHERE id = NEW.thread;
        END;
        """)
    ])

  private static let tables = [
    TrackedTable("thread", key: ["id"], columns: ["name", "count"], tombstone: ["name"]),
    TrackedTable("message", key: ["id"], columns: ["body"], tombstone: ["thread", "body"]),
  ]

  /// What a client does, and the changes that are recorded of it: entity, operation, key.
  private static let statements: [(sql: String, changes: [String])] = [
    ("INSERT INTO thread (id, name) VALUES (1, 'a'), (2, 'b')", ["thread insert 1", "thread insert 2"]),
    ("INSERT OR IGNORE INTO thread (id, name) VALUES (1, 'x'), (3, 'c')", ["thread insert 3"]),
    (
      "INSERT INTO thread (id, name) VALUES (1, 'A'), (4, 'd') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
      ["thread update 1", "thread insert 4"]
    ),
    ("INSERT INTO thread (id, name) VALUES (1, 'A') ON CONFLICT (id) DO UPDATE SET name = excluded.name", []),
    ("INSERT INTO thread (id, name) VALUES (1, 'z') ON CONFLICT DO NOTHING", []),
    (
      "INSERT INTO message VALUES ('m', 1, 'x'), ('n', 2, 'y')",
      [
        "message insert 'm'", "thread update 1", "message insert 'n'", "thread update 2",
      ]
    ),
    ("UPDATE message SET body = 'xx' WHERE id = 'm'", ["message update 'm'"]),
    ("UPDATE message SET body = body", []),
    ("UPDATE message SET id = 'o' WHERE id = 'n'", ["message delete 'n'", "message insert 'o'"]),
    (
      "UPDATE thread SET name = t.name || '!' FROM thread t WHERE t.id = thread.id AND thread.id > 2",
      [
        "thread update 3", "thread update 4",
      ]
    ),
    ("PRAGMA foreign_keys = ON; DELETE FROM thread WHERE id = 1", ["message delete 'm'", "thread delete 1"]),
    (
      "PRAGMA foreign_keys = ON; UPDATE thread SET id = 9 WHERE id = 2",
      [
        "message update 'o'", "thread delete 2", "thread insert 9",
      ]
    ),
    ("DELETE FROM message", ["message delete 'o'"]),
    ("DELETE FROM thread WHERE id = 3 RETURNING id", ["thread delete 3"]),
    ("DELETE FROM thread", ["thread delete 4", "thread delete 9"]),
    ("BEGIN; INSERT INTO thread VALUES (5, 'e', 0); ROLLBACK", []),
    (
      "BEGIN; SAVEPOINT s; INSERT INTO thread VALUES (5, 'e', 0); ROLLBACK TO s; INSERT INTO thread VALUES (6, 'f', 0); COMMIT",
      [
        "thread insert 6"
      ]
    ),
    (
      "WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 22) INSERT INTO thread (id) SELECT i FROM n",
      [
        "thread insert 20", "thread insert 21", "thread insert 22",
      ]
    ),
  ]

  private func run(_ write: (History, String, String) async throws -> Void) async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await History.open(fixture.path, schema: Self.schema, tracking: Self.tables)
    var token = try await history.now()
    for (sql, expected) in Self.statements {
      try await write(history, fixture.path, sql)
      let page = try await history.page(after: token, from: .everybody)
      token = page.end
      let changes = page.transactions.flatMap(\.changes).map { "\($0.entity) \($0.operation) \($0.key[0])" }
      // The order of rows in one statement is SQLite's; where a cascade stands in it too.
      #expect(changes.sorted() == expected.sorted(), "\(sql)")
    }
    await history.close()
  }

  @Test func `drizzle-orm-docs 396, gitbutler PR 9193: each kind of statement of a raw client is recorded whole`()
    async throws
  {
    try await run { _, path, sql in
      let connection = try Connection(path: path, options: ConnectionOptions(access: .readWrite))
      try connection.execute(sql)
      connection.close()
    }
  }

  @Test func `each kind of statement of the sqlite3 shell is recorded whole`() async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3") else { return }
    try await run { _, path, sql in
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
      shell.arguments = [path, sql]
      shell.standardOutput = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationStatus == 0, "\(sql)")
    }
  }

  @Test func `each kind of statement of a writer of ours is recorded as one transaction`() async throws {
    try await run { history, _, sql in
      guard !sql.hasPrefix("PRAGMA"), !sql.hasPrefix("BEGIN") else {
        let connection = try Connection(path: history.path, options: ConnectionOptions(access: .readWrite))
        return try connection.execute(sql)
      }
      let before = try await history.now().seq
      let seq = try await history.run(sql, as: "app")
      #expect(try await history.now().seq == (seq ?? before), "\(sql)")
    }
  }

  @Test
  func
    `sqlite-chronicle 7: a REPLACE of ours is recorded with the row it deletes, one of a raw client is refused by the lint`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await History.open(fixture.path, schema: Self.schema, tracking: Self.tables)
    try await history.run("INSERT INTO thread (id, name) VALUES (1, 'a'), (2, 'b')", as: "app")
    let token = try await history.now()
    let statement = "REPLACE INTO thread (id, name) VALUES (3, 'a')"
    try await history.run(statement, as: "app")
    let changes = try await history.page(after: token, from: .everybody).transactions.flatMap(\.changes)
    #expect(changes.map { "\($0.operation) \($0.key[0])" } == ["delete 1", "insert 3"])
    #expect(changes[0].tombstone == ["name": .text("a")])
    for sql in [
      statement, "INSERT OR REPLACE INTO thread VALUES (4, 'b', 0)", "UPDATE OR REPLACE thread SET name = 'b'",
    ] {
      #expect(StatementLint.fault(of: sql) != nil, "\(sql)")
    }
    for (sql, _) in Self.statements { #expect(StatementLint.fault(of: sql) == nil, "\(sql)") }
    await history.close()
  }
}
