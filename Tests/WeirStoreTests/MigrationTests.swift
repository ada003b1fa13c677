import Testing

@testable import WeirStore

@Suite("Migrations")
struct MigrationTests {
  private let directory: TemporaryDirectory
  private let steps = [
    Migration("notes", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO note VALUES (1, 'kept')"),
    Migration("stars", "ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 3"),
    Migration("index", "CREATE INDEX note_by_stars ON note(stars)"),
  ]

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("a file of any older format becomes the current one and keeps its rows", arguments: 0...3)
  func upgrade(from format: Int) throws {
    let path = directory.file("old.db")
    if format > 0 { try prepare(path, Array(steps[..<format])).close() }
    let connection = try prepare(path, steps)
    #expect(try connection.prepare("PRAGMA user_version").firstInt64() == 3)
    #expect(try connection.prepare("SELECT text || stars FROM note").firstString() == "kept3")
  }

  @Test("a step that fails leaves the file as it was, and may be corrected")
  func failingStep() throws {
    let path = directory.file("failing.db")
    let broken = [steps[0], Migration("broken", "ALTER TABLE note ADD COLUMN a; ALTER TABLE absent ADD COLUMN b")]
    #expect(throws: StoreError.self) { try prepare(path, broken) }
    let connection = try prepare(path, [steps[0]])
    #expect(try connection.prepare("PRAGMA user_version").firstInt64() == 1)
    #expect(try connection.prepare("SELECT count(*) FROM pragma_table_info('note')").firstInt64() == 2)
    connection.close()
    #expect(throws: Never.self) { try prepare(path, steps) }
  }

  @Test("a reader does not migrate")
  func readerOfOldFormat() throws {
    let path = directory.file("reader.db")
    let writer = try prepare(path, Array(steps[..<1]))
    let reader = try Connection(path: path, options: .reader)
    let error = #expect(throws: StoreError.self) {
      try Schema(applicationID: 7, migrations: steps).prepare(reader, access: .readOnly)
    }
    #expect(error?.kind == .readOnly)
    withExtendedLifetime(writer) {}
  }

  @discardableResult
  private func prepare(_ path: String, _ migrations: [Migration]) throws -> Connection {
    let connection = try Connection(path: path)
    try Schema(applicationID: 7, migrations: migrations).prepare(connection, access: .create)
    return connection
  }
}
