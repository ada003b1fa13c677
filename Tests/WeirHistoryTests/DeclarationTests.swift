import Foundation
import Testing
import WeirHistory
import WeirStore

/// What cannot be recorded is refused in words that say what to do, and leaves nothing behind.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeclarationTests {
  private func fault(
    _ fixture: HistoryFixture, _ tables: [TrackedTable], schema: Schema = .anyFile
  ) async -> HistoryError? {
    do throws(HistoryError) {
      let history = try await History.open(fixture.path, schema: schema, tracking: tables)
      await history.close()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a declaration that is wrong is refused, and nothing is made beside the file`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    func files() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: fixture.folder).sorted() }
    let missing = await fault(fixture, [TrackedTable("note", key: ["id"])])
    #expect(missing?.code == "store.cannot-open" && missing?.detail.contains("there is no file") == true)
    #expect(try files() == [])
    try "this is no database, but it is long enough to be looked at".write(
      toFile: fixture.path, atomically: false, encoding: .utf8)
    #expect(await fault(fixture, [TrackedTable("note", key: ["id"])])?.code == "store.corrupt")
    #expect(try files() == ["store.sqlite"])
    try FileManager.default.removeItem(atPath: fixture.path)
    let connection = try Connection(path: fixture.path)
    try connection.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY, Title TEXT, shelf TEXT, place INTEGER);
      CREATE TABLE bare (a, b); CREATE UNIQUE INDEX half ON bare (a) WHERE b > 0; CREATE VIEW seen AS SELECT * FROM Note;
      CREATE UNIQUE INDEX placed ON Note (shelf, place);
      """)
    connection.close()
    let cases: [(TrackedTable, String)] = [
      (TrackedTable("note", key: ["id"]), "but Note"), (TrackedTable("seen", key: ["id"]), "is a view"),
      (TrackedTable("Note", key: ["id"], columns: ["title"]), "it has Title"),
      (TrackedTable("Note", key: ["Title"]), "does not tell the rows"),
      (TrackedTable("Note", key: ["shelf"]), "does not tell the rows"),
      (TrackedTable("bare", key: ["a"]), "does not tell the rows"),
      (TrackedTable("gone", key: ["id"]), "no table gone"),
    ]
    for (table, words) in cases {
      let found = await fault(fixture, [table])
      #expect(found?.kind == .badDeclaration && found?.detail.contains(words) == true, "\(found as Any)")
      #expect(try files() == ["store.sqlite"])
    }
    #expect(await fault(fixture, [TrackedTable("Note", key: ["place", "shelf"])]) == nil)
  }

  @Test func `two programs that declare one table are both told of their columns`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let first = try await fixture.open([TrackedTable("person", entity: "Person", key: ["id"], columns: ["name"])])
    let second = try await fixture.open([TrackedTable("person", entity: "Person", key: ["id"], columns: ["age"])])
    let start = try await first.now()
    try await first.run("INSERT INTO person (id, name) VALUES (1, 'Ann')", as: "app")
    try await first.run("UPDATE person SET name = 'Anna'", as: "app")
    try await second.run("UPDATE person SET age = 5", as: "app")
    for one in [first, second] {
      let changes = try await one.page(after: start, from: .everybody).transactions.flatMap(\.changes)
      #expect(changes.map(\.columns) == [[], ["name"], ["age"]] && !changes.contains(where: \.changesOther))
    }
    // Under another name the observers of the first would hear no more.
    let other = await fault(
      fixture, [TrackedTable("person", entity: "Human", key: ["id"])], schema: HistoryFixture.schema)
    #expect(other?.kind == .badDeclaration && other?.detail.contains("recorded as Person") == true)
    // Under another key they would not know the rows again.
    try fixture.raw("CREATE UNIQUE INDEX named ON person (name)")
    let unlike = await fault(
      fixture, [TrackedTable("person", entity: "Person", key: ["name"])], schema: HistoryFixture.schema)
    #expect(unlike?.kind == .badDeclaration && unlike?.detail.contains("told apart by id") == true, "\(unlike as Any)")
    await second.close()
    await first.close()
  }

  @Test func `a column that is added is recorded from the next opening on, whoever opens`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    try await fixture.open().close()
    try fixture.raw("ALTER TABLE person ADD COLUMN city TEXT; INSERT INTO person (id, name) VALUES (1, 'Ann')")
    // A program that declares another table.
    let history = try await fixture.open([HistoryFixture.tables[1]])
    let start = try await history.now()
    try fixture.raw("UPDATE person SET city = 'Bern'")
    let changes = try await history.page(after: start, from: .everybody).transactions.flatMap(\.changes)
    #expect(changes.map(\.entity) == ["Person"] && changes.map(\.changesOther) == [true])
    // A column that is recorded cannot be dropped, and the words say why.
    let fault = await #expect(throws: HistoryError.self) {
      try await history.run("ALTER TABLE person DROP COLUMN photo", as: "app")
    }
    #expect(fault?.kind == .badDeclaration && fault?.detail.contains("stop the recording") == true, "\(fault as Any)")
    #expect(try await history.run("INSERT INTO person (name) VALUES ('Bo')", as: "app") != nil)
    await history.close()
  }

  @Test(arguments: ["COMMIT", "ROLLBACK", "END", "BEGIN", "COMMIT; BEGIN IMMEDIATE"])
  func `a body that ends the transaction itself is refused, and nothing of it stays`(words: String) async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.insert("Ann", as: "app")
    let fault = await #expect(throws: HistoryError.self) {
      try await history.run("INSERT INTO person (name) VALUES ('Bo'); \(words)", as: "app")
    }
    #expect(
      fault?.code == "store.invalid-input" && fault?.detail.contains("one transaction") == true, "\(fault as Any)")
    #expect(try await history.run("SAVEPOINT a; INSERT INTO person (name) VALUES ('Cid'); RELEASE a", as: "app") == 2)
    let names = try await history.write(as: "app") { connection in
      try connection.prepare("SELECT group_concat(name) FROM person").firstString()
    }
    #expect(names == "Ann,Cid")
    await history.close()
  }

  @Test func `after the recording was stopped every call says so, and opening anew records again`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.stopRecording()
    await #expect { try await history.insert("Ann", as: "app") } throws: { ($0 as? HistoryError)?.kind == .notRecorded }
    await #expect { try await history.now() } throws: { ($0 as? HistoryError)?.kind == .notRecorded }
    await #expect { try await history.register("x") } throws: { ($0 as? HistoryError)?.kind == .notRecorded }
    await #expect { try await history.stopRecording() } throws: { ($0 as? HistoryError)?.kind == .notRecorded }
    await history.close()
    let again = try await fixture.open()
    #expect(try await again.insert("Ann", as: "app") == 1)
    await #expect { try await again.pin("x", after: -5) } throws: {
      ($0 as? HistoryError)?.detail.contains("none can be kept after -5") == true
    }
    await again.close()
  }
}
