import CSQLite
import Foundation
import Testing

@testable import WeirStore

/// Opening files that are not what they should be: each gives its own error, and the file stays as it was.
@Suite("Opening")
struct OpeningTests {
  private static let schema = Schema(
    applicationID: 4711, migrations: [Migration("one", "CREATE TABLE a(x); INSERT INTO a VALUES (1)")])
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("a new file is made, marked and found again")
  func freshFile() throws {
    let path = directory.file("new.db")
    try open(path).execute("INSERT INTO a VALUES (2)")
    let again = try open(path)
    #expect(try again.prepare("SELECT sum(x) FROM a").firstInt64() == 3)
    #expect(try again.prepare("PRAGMA application_id").firstInt64() == 4711)
    #expect(try again.prepare("PRAGMA journal_mode").firstString() == "wal")
    #expect(try again.prepare("PRAGMA page_size").firstInt64() == 2048)
  }

  @Test("a database of another application is refused and not touched")
  func foreignDatabase() throws {
    let path = directory.file("foreign.db")
    try Connection(path: path).execute("PRAGMA application_id = 99; CREATE TABLE theirs(x)")
    try expect(.foreignFile, path)
  }

  @Test("an unmarked database with tables is refused and not touched")
  func unmarkedDatabase() throws {
    let path = directory.file("unmarked.db")
    try Connection(path: path).execute("CREATE TABLE theirs(x)")
    try expect(.foreignFile, path)
  }

  @Test("a newer format is refused and not touched")
  func newerFormat() throws {
    let path = directory.file("newer.db")
    try open(path).execute("PRAGMA user_version = 2")
    try expect(.newerFormat, path)
  }

  @Test("a mark without tables is damage, not a new file")
  func emptiedFile() throws {
    let path = directory.file("emptied.db")
    try Connection(path: path).execute("PRAGMA application_id = 4711; PRAGMA user_version = 1")
    try expect(.corrupt, path)
  }

  @Test("a file that is no database is refused and not touched")
  func noDatabase() throws {
    let path = directory.file("letter.txt")
    try Data(String(repeating: "Dear reader, ", count: 900).utf8).write(to: URL(fileURLWithPath: path))
    try expect(.corrupt, path)
  }

  @Test("a damaged header is refused and not touched")
  func damagedHeader() throws {
    let path = directory.file("damaged.db")
    try close(try open(path))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange(0..<8, with: Data(repeating: 0xff, count: 8))
    try bytes.write(to: URL(fileURLWithPath: path))
    try expect(.corrupt, path)
  }

  @Test("quick_check finds a damaged page when it is asked for")
  func quickCheck() throws {
    let path = directory.file("page.db")
    let connection = try open(path)
    try connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO a SELECT i FROM n")
    try close(connection)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange(2048 * 3..<2048 * 3 + 64, with: Data(repeating: 0xa5, count: 64))
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(throws: Never.self) { try open(path) }
    let error = #expect(throws: StoreError.self) { try open(path, ConnectionOptions(quickCheck: true)) }
    #expect(error?.kind == .corrupt)
  }

  @Test("a directory, a path below a file and an impossible path cannot be opened")
  func impossiblePaths() throws {
    let file = directory.file("plain")
    try Data("x".utf8).write(to: URL(fileURLWithPath: file))
    for path in [directory.path, file + "/below.db", directory.file("absent/x.db"), "", "a\0b"] {
      let error = #expect(throws: StoreError.self) { try open(path) }
      #expect(error?.kind == .cannotOpen, "\(path)")
      let reader = #expect(throws: StoreError.self) { _ = try Connection(path: path, options: .reader) }
      #expect(reader?.kind == .cannotOpen, "\(path)")
    }
  }

  @Test("an absent file is not made by a reader")
  func readerOfNothing() throws {
    let path = directory.file("absent.db")
    let error = #expect(throws: StoreError.self) { try open(path, .reader) }
    #expect(error?.kind == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a reader reads, and its writes are refused")
  func reader() throws {
    let path = directory.file("read.db")
    let writer = try open(path)
    let reader = try open(path, .reader)
    #expect(try reader.prepare("SELECT count(*) FROM a").firstInt64() == 1)
    let error = #expect(throws: StoreError.self) {
      try reader.transaction { () throws(StoreError) in try reader.execute("INSERT INTO a VALUES (9)") }
    }
    #expect(error?.kind == .readOnly)
    #expect(error?.remedy.isEmpty == false)
    #expect(try writer.prepare("SELECT count(*) FROM a").firstInt64() == 1)
  }

  @Test("every kind of failure has its own code and a remedy")
  func codes() {
    #expect(Set(StoreError.Kind.allCases.map(\.rawValue)).count == StoreError.Kind.allCases.count)
    for kind in StoreError.Kind.allCases {
      let error = StoreError(kind, "detail")
      #expect(error.description.hasPrefix(kind.rawValue))
      #expect(error.description.contains(error.remedy))
    }
  }

  @Test(
    "SQLite's codes map to kinds",
    arguments: [
      (SQLITE_FULL, StoreError.Kind.diskFull), (778, .io), (SQLITE_IOERR, .io), (SQLITE_READONLY, .readOnly),
      (517, .busy), (SQLITE_LOCKED, .busy), (SQLITE_NOTADB, .corrupt), (523, .corrupt), (SQLITE_CANTOPEN, .cannotOpen),
      (SQLITE_NOMEM, .outOfMemory), (SQLITE_TOOBIG, .invalidInput), (SQLITE_MISUSE, .unexpected),
    ])
  func mapping(code: Int32, kind: StoreError.Kind) {
    let error = StoreError(sqlite: code, doing: "x", message: "y")
    #expect(error.kind == kind)
    #expect(error.sqliteCode == code)
  }

  @Test("a limit on files is told apart from a broken disk by what the system said", arguments: [778, 14] as [Int32])
  func outOfSpace(code: Int32) {
    for number in [ENOSPC, EDQUOT, EFBIG] {
      #expect(StoreError(sqlite: code, doing: "x", message: "y", systemError: number).kind == .diskFull)
    }
    let other = StoreError(sqlite: code, doing: "x", message: "y", systemError: EIO)
    #expect(other.kind == (code == 778 ? .io : .cannotOpen))
    #expect(other.detail.contains("Input/output error"))
  }

  @Test(
    "the notice about lost commits covers the affected versions and not the repaired ones",
    arguments: [
      (3_006_999, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false),
      (3_044_099, false), (3_045_000, true), (3_050_006, true), (3_050_007, false), (3_051_000, true),
      (3_051_002, true), (3_051_003, false), (3_060_000, false),
    ])
  func notices(version: Int32, isAffected: Bool) {
    #expect(SQLiteLibrary.notices(version: version).isEmpty == !isAffected)
  }

  @discardableResult
  private func open(_ path: String, _ options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
    let connection = try Connection(path: path, options: options)
    try Self.schema.prepare(connection, access: options.access)
    return connection
  }

  private func close(_ connection: Connection) throws {
    try connection.checkpoint(.truncate)
    connection.close()
  }

  /// Opening fails in this way and leaves the bytes of the file alone.
  private func expect(_ kind: StoreError.Kind, _ path: String) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try open(path) }
    #expect(error?.kind == kind)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }
}
