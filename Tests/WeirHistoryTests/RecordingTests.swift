import Testing
import WeirHistory
import WeirStore

/// What is recorded, by whom, and how it reads.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RecordingTests {
  private func changes(_ history: History, after token: HistoryToken) async throws -> [HistoryTransaction] {
    try await history.page(after: token, from: .everybody).transactions
  }

  @Test func `a transaction is recorded with its author, its rows and what changed of them`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let start = try await history.now()
    let first = try await history.insert("Ann", "Bo", as: "app")
    let second = try await history.run("UPDATE person SET age = 7 WHERE name = 'Bo'", as: "ext")
    let third = try await history.run("UPDATE person SET photo = x'00ff' WHERE name = 'Bo'", as: "ext")
    let none = try await history.run("UPDATE person SET age = 7 WHERE name = 'Bo'", as: "ext")
    let fourth = try await history.run("DELETE FROM person WHERE name = 'Bo'", as: "app")
    #expect([first, second, third, none, fourth] == [1, 2, 3, nil, 4])
    let transactions = try await changes(history, after: start)
    #expect(transactions.map(\.seq) == [1, 2, 3, 4])
    #expect(transactions.map(\.author) == ["app", "ext", "ext", "app"])
    #expect(transactions[0].changes.map(\.operation) == [.insert, .insert])
    #expect(transactions[0].changes.map(\.key) == [[.integer(1)], [.integer(2)]])
    #expect(transactions[1].changes[0].columns == ["age"] && !transactions[1].changes[0].changesOther)
    #expect(transactions[2].changes[0].columns == [] && transactions[2].changes[0].changesOther)
    #expect(transactions[3].changes[0].tombstone == ["name": .text("Bo"), "age": .integer(7)])
    await history.close()
  }

  @Test func `a raw client is recorded, each row as a transaction of nobody`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let start = try await history.now()
    try fixture.raw("BEGIN; INSERT INTO person (name) VALUES ('a'), ('b'); DELETE FROM person WHERE name = 'a'; COMMIT")
    let transactions = try await changes(history, after: start)
    #expect(transactions.map(\.author) == [nil, nil, nil])
    #expect(transactions.map { $0.changes.map(\.operation) } == [[.insert], [.insert], [.delete]])
    try await history.insert("c", as: "app")
    #expect(try await changes(history, after: start).last?.author == "app")
    await history.close()
  }

  @Test func `composite keys, odd texts and numbers come back as they were`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open([
      TrackedTable("person", key: ["id"], tombstone: ["name", "age", "photo"]),
      TrackedTable("item", key: ["shelf", "number"], tombstone: ["label"]),
    ])
    let start = try await history.now()
    try await history.write(as: "app") { connection in
      let insert = try connection.prepare("INSERT INTO item VALUES (?1, 5, ?2)")
      insert.bind("it's, X'00' \u{1F600}", at: 1)
      insert.bind("a\0b", at: 2)
      try insert.run()
      try connection.execute(
        "INSERT INTO person VALUES (-3, 'x', NULL, x'0001'); UPDATE person SET id = 4; DELETE FROM item; DELETE FROM person"
      )
    }
    let changes = try await changes(history, after: start).flatMap(\.changes)
    #expect(changes[0].key == [.text("it's, X'00' \u{1F600}"), .integer(5)])
    #expect(changes.map(\.operation) == [.insert, .insert, .delete, .insert, .delete, .delete])
    #expect(changes[2].key == [.integer(-3)] && changes[3].key == [.integer(4)])
    #expect(changes[4].tombstone["label"] == .bytes(Array("a\0b".utf8)))
    #expect(changes[5].tombstone == ["name": .text("x"), "age": .null, "photo": .bytes([0, 1])])
    await history.close()
  }

  @Test func `a change that a collation or a number takes for none is recorded all the same`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    await (try fixture.open()).close()
    try fixture.raw(
      """
      CREATE TABLE tag (name TEXT COLLATE NOCASE PRIMARY KEY, note TEXT COLLATE RTRIM, loose) WITHOUT ROWID;
      INSERT INTO tag VALUES ('bob', 'x', 1)
      """)
    let history = try await fixture.open([TrackedTable("tag", key: ["name"], columns: ["note", "loose"])])
    let start = try await history.now()
    try await history.run("UPDATE tag SET note = 'x  '", as: "app")
    try await history.run("UPDATE tag SET loose = 1.0", as: "app")
    try await history.run("UPDATE tag SET loose = 1.0, note = 'x  '", as: "app")
    try await history.run("UPDATE tag SET name = 'BOB', note = 'y'", as: "app")
    let transactions = try await changes(history, after: start)
    #expect(transactions.map { $0.changes.map(\.operation) } == [[.update], [.update], [.delete, .insert]])
    #expect(transactions.flatMap(\.changes).prefix(2).map(\.columns) == [["note"], ["loose"]])
    #expect(transactions.last?.changes.map(\.key) == [[.text("bob")], [.text("BOB")]])
    await history.close()
  }

  @Test func `a table of two thousand columns is recorded`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    await (try fixture.open()).close()
    let columns = (0..<1_990).map { "c\($0)" }
    try fixture.raw("CREATE TABLE wide (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))")
    let history = try await fixture.open([TrackedTable("wide", key: ["id"], columns: ["c7", "c8"])])
    let start = try await history.now()
    try await history.run("INSERT INTO wide (id, c7) VALUES (1, 'a')", as: "app")
    try await history.run("UPDATE wide SET c8 = 'b', c1989 = 'c'", as: "app")
    let change = try await changes(history, after: start).last?.changes.first
    #expect(change?.columns == ["c8"] && change?.changesOther == true)
    await history.close()
  }

  @Test func `what throws leaves nothing, and no number is lost`() async throws {
    struct Refusal: Error {}
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    await #expect(throws: Refusal.self) {
      try await history.write(as: "app") { connection in
        try connection.execute("INSERT INTO person (name) VALUES ('gone')")
        throw Refusal()
      }
    }
    #expect(try await history.insert("kept", as: "app") == 1)
    try fixture.raw("INSERT INTO person (name) VALUES ('raw')")
    #expect(try await history.now().seq == 2)
    await history.close()
  }

  @Test func `names that are taken and tables that are not the user's are refused, calls of replace are not`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    for table in [TrackedTable("item", entity: "Person", key: ["number"]), TrackedTable("history_author", key: ["id"])]
    {
      await #expect(throws: HistoryError.self) { _ = try await fixture.open([table]) }
    }
    #expect(try await history.insert("still recorded", as: "ext") == 1)
    await history.close()
    #expect(StatementLint.fault(of: "SELECT 1 WHERE a OR replace(b, ' ', '') <> ''") == nil)
    for sql in [
      "INSERT OR REPLACE INTO t VALUES (1)", "REPLACE INTO t VALUES (1)", "c TEXT UNIQUE ON CONFLICT REPLACE",
    ] {
      #expect(StatementLint.fault(of: sql) != nil)
    }
  }

  @Test func `transactions that a reader does not hear are stepped over, however many rows they have`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let start = try await history.now()
    let rows = [1, 31, 32, 33, 200]
    for count in rows {
      try await history.run(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO person (name) SELECT 'own' FROM n
        """, as: "app")
      try await history.insert("Ann", "Bo", as: "ext")
    }
    let page = try await history.page(after: start, from: .everybody(but: "app"))
    #expect(page.transactions.map(\.seq) == [2, 4, 6, 8, 10] && page.transactions.allSatisfy { $0.changes.count == 2 })
    #expect(page.end.seq == 10 && !page.isFull)
    let all = try await history.page(after: start, from: .everybody).transactions
    #expect(all.map(\.changes.count) == rows.flatMap { [$0, 2] })
    // Two scanned of which one is heard, and there is more.
    let short = try await history.page(after: start, from: .everybody(but: "app"), limit: 3)
    #expect(short.transactions.map(\.seq) == [2] && short.end.seq == 3 && short.isFull)
    await history.close()
  }

  @Test func `people see the log as transactions and changes`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.insert("Ann", "Bo", as: "app")
    try fixture.raw("DELETE FROM person WHERE name = 'Ann'")
    await history.close()
    let connection = try Connection(path: fixture.path, options: .reader)
    let rows = try connection.prepare(
      """
      SELECT group_concat(line, ' ') FROM (SELECT t.seq || ':' || coalesce(a.name, '-') || ':' || c.op || ':' || c.key AS line
        FROM history_txn t JOIN history_change c USING (seq) LEFT JOIN history_author a ON a.id = t.author ORDER BY c.id)
      """)
    #expect(try rows.firstString() == "1:app:0:1 1:app:0:2 2:-:2:1")
    #expect(try connection.prepare("SELECT count(*) FROM history_txn").firstInt64() == 2)
  }
}
