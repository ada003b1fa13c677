import Foundation
import Testing
import WeirHistory
import WeirStore

/// A real shell of SQLite, the client that knows nothing of anything.
struct Shell {
  static let path = "/usr/bin/sqlite3"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

  let store: String

  func run(_ sql: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: Self.path)
    shell.arguments = ["-bail", store, sql]
    shell.standardOutput = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0, "\(sql)")
  }
}

/// Tables that are made anew behind the history's back: what nobody recorded makes the positions void that have not seen it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GapTests {
  private static let anew = """
    ALTER TABLE person RENAME TO old;
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, photo BLOB);
    INSERT INTO person SELECT * FROM old WHERE name <> 'Bo'; DROP TABLE old;
    INSERT INTO person (name) VALUES ('Cid');
    """

  @Sendable private static func rebuild(_ connection: Connection) throws {
    try connection.execute("DELETE FROM projection; INSERT INTO projection SELECT id, name FROM person")
  }

  private func names(_ history: History) async throws -> String? {
    try await history.text("SELECT group_concat(name) FROM (SELECT name FROM projection ORDER BY id)")
  }

  @Test(
    .enabled(if: Shell.isThere),
    arguments: [
      anew,
      "DROP TABLE person; CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, photo BLOB);",
      "DROP TRIGGER history_1_delete; DELETE FROM person WHERE name = 'Bo'",
    ])
  func `a table that a shell makes anew, or whose trigger it takes away, makes readers rebuild, and records again`(
    statements: String
  ) async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    #expect(history.notices.isEmpty)
    try await history.register("app")
    try await history.insert("Ann", "Bo", as: "ext")
    let token = try await history.now()
    var harness = PassHarness(history, as: "app")
    try await harness.run()
    #expect(try await names(history) == "Ann,Bo")
    await history.close()
    try Shell(store: fixture.path).run(statements)
    // Whoever opens notices, here one that declares another table.
    try await fixture.open([HistoryFixture.tables[1]]).close()
    history = try await fixture.open()
    #expect(history.notices.isEmpty, "it was told the one who noticed")
    let gaps = try await history.overview().gaps
    #expect(gaps.map(\.entity) == ["Person"] && gaps.map(\.table) == ["person"] && gaps.map(\.seq) == [2])
    guard case .incomplete(["Person"], through: 2) = try await history.status(of: token) else {
      Issue.record("\(try await history.status(of: token))")
      return
    }
    let fault = await #expect(throws: HistoryError.self) { try await history.cursor(of: "app") }
    #expect(fault?.kind == .expired && fault?.detail.contains("changes of Person") == true, "\(fault as Any)")
    // A reader that knows how rebuilds, and follows what is written from then on, by a shell too.
    harness = PassHarness(history, as: "app")
    harness.settings.rebuild = Self.rebuild
    try await harness.run()
    let rows = try await history.text("SELECT group_concat(name) FROM (SELECT name FROM person ORDER BY id)")
    #expect(try await names(history) == rows)
    try Shell(store: fixture.path).run("INSERT INTO person (id, name) VALUES (77, 'Dee')")
    try await harness.run()
    #expect(try await names(history)?.hasSuffix("Dee") == true)
    #expect(!harness.events.all.contains { if case .lostRace = $0 { true } else { false } })
    #expect(try await history.status(of: history.now()) == .valid(behind: 0))
    await history.close()
  }

  @Test(.enabled(if: Shell.isThere)) func `a reader that runs while another program notices rebuilds at once`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let tracker = try await HistoryTracker(
      history, currentAuthor: "app", targets: [.rows("projection", PassHarness.project)], rebuild: Self.rebuild,
      logLevel: .none)
    try await history.insert("Ann", "Bo", as: "ext")
    try await eventually { try await names(history) == "Ann,Bo" }
    try Shell(store: fixture.path).run(Self.anew)
    let other = try await fixture.open()
    #expect(other.notices.map(\.description).first?.contains("changes of person before transaction") == true)
    try await eventually { try await names(history) == "Ann,Cid" }
    try await other.insert("Dee", as: "ext")
    try await eventually { try await names(history) == "Ann,Cid,Dee" }
    await tracker.stopAndWait()
    await other.close()
    await history.close()
  }

  @Test(.enabled(if: Shell.isThere)) func `a table that is gone is told once, and once more when it comes back`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    try await fixture.open().close()
    try Shell(store: fixture.path).run("DROP TABLE person")
    let others = [HistoryFixture.tables[1]]
    var history = try await fixture.open(others)
    #expect(history.notices.count == 1)
    #expect(try await history.overview().tables.map(\.isRecording) == [true, false])
    await history.close()
    history = try await fixture.open(others)
    #expect(history.notices.isEmpty)
    let between = try await history.now()
    await history.close()
    try Shell(store: fixture.path).run(
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER); INSERT INTO person (name) VALUES ('Ann')"
    )
    history = try await fixture.open()
    #expect(history.notices.count == 1)
    guard case .incomplete = try await history.status(of: between) else {
      Issue.record("who knows the table as gone has missed its rows")
      return
    }
    // What is purged needs no gap any more.
    try await history.register("app")
    #expect(try await history.clean().transactions == 2)
    #expect(try await history.overview().gaps.isEmpty)
    await history.close()
  }

  @Test func `a table that the program's own migration makes anew is no gap, nor is a file that is vacuumed`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    try await history.insert("Ann", as: "ext")
    let token = try await history.now()
    await history.close()
    try fixture.raw("VACUUM")
    let steps = HistoryFixture.schema.migrations + [Migration("anew", Self.anew)]
    history = try await History.open(
      fixture.path, schema: Schema(applicationID: HistoryFixture.schema.applicationID, migrations: steps),
      tracking: HistoryFixture.tables)
    #expect(history.notices.isEmpty)
    #expect(try await history.status(of: token) == .valid(behind: 0))
    #expect(try await history.insert("Dee", as: "ext") == 2)
    await history.close()
  }
}
