import Testing

@testable import WeirStore

@Suite("Statements")
struct StatementTests {
  private let directory: TemporaryDirectory
  private let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.file("values.db"))
    try connection.execute("CREATE TABLE value(id INTEGER PRIMARY KEY, value)")
  }

  @Test("numbers, texts and bytes come back as they were bound", arguments: [Int64.min, -1, 0, 1, .max])
  func numbers(value: Int64) throws {
    let row = try roundTrip { $0.bind(value, at: 1) }
    #expect(row.type(0) == .integer)
    #expect(row.int64(0) == value)
  }

  @Test("texts come back as they were bound", arguments: ["", "a", "zwölf Boxkämpfer 🥊", "nul\0inside", "x\n'\""])
  func texts(value: String) throws {
    let row = try roundTrip { $0.bind(value, at: 1) }
    #expect(row.type(0) == .text)
    #expect(Array(row.string(0).utf8) == Array(value.utf8))
  }

  @Test("bytes come back as they were bound", arguments: [[], [0], [1, 0, 255], Array(repeating: 7, count: 70_000)])
  func bytes(value: [UInt8]) throws {
    let row = try roundTrip { $0.bind(value, at: 1) }
    #expect(row.type(0) == .blob)
    #expect(row.bytes(0) == value)
  }

  @Test("NULL reads as nothing")
  func null() throws {
    let row = try roundTrip { $0.bindNull(at: 1) }
    #expect(row.type(0) == .null)
    #expect(row.int64(0) == 0 && row.string(0).isEmpty && row.bytes(0).isEmpty)
  }

  @Test("a bind to a parameter that does not exist is reported by step, once")
  func badBind() throws {
    let statement = try connection.prepare("SELECT ?1")
    statement.bind(1 as Int64, at: 9)
    let error = #expect(throws: StoreError.self) { try statement.step() }
    #expect(error?.kind == .invalidInput)
    statement.bind(5 as Int64, at: 1)
    #expect(try statement.firstInt64() == 5)
  }

  @Test("a statement outlives the close of its connection without harm")
  func lateRelease() throws {
    let statement = try connection.prepare("SELECT 1")
    connection.close()
    connection.close()
    let error = #expect(throws: StoreError.self) { try connection.execute("SELECT 1") }
    #expect(error?.kind == .closed)
    withExtendedLifetime(statement) {}
  }

  private func roundTrip(_ bind: (Statement) -> Void) throws -> Statement {
    try connection.execute("DELETE FROM value")
    let insert = try connection.prepare("INSERT INTO value(value) VALUES (?1)")
    bind(insert)
    try insert.run()
    let select = try connection.prepare("SELECT value FROM value")
    #expect(try select.step())
    return select
  }
}
