import Testing

@testable import WeirStore

@Suite("Transactions")
struct TransactionTests {
  private let directory: TemporaryDirectory
  private let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.file("t.db"))
    try connection.configure()
    try connection.execute("CREATE TABLE a(x UNIQUE)")
  }

  @Test("what the body throws rolls everything back, and the connection goes on")
  func rollback() throws {
    let error = #expect(throws: StoreError.self) {
      try connection.transaction { () throws(StoreError) in
        try connection.execute("INSERT INTO a VALUES (1)")
        throw StoreError(.invalidInput, "enough")
      }
    }
    #expect(error == StoreError(.invalidInput, "enough"))
    #expect(try count(connection) == 0)
    try insert(2)
    #expect(try count(connection) == 1)
  }

  @Test("a full database is told as such, keeps what was committed and goes on when space returns")
  func full() throws {
    try insert(1)
    let pages = try connection.prepare("PRAGMA page_count").firstInt64() ?? 0
    try connection.execute("PRAGMA max_page_count = \(pages + 3)")
    let error = #expect(throws: StoreError.self) {
      try connection.transaction { () throws(StoreError) in
        try connection.execute("INSERT INTO a VALUES (2)")
        try connection.execute("INSERT INTO a VALUES (zeroblob(100000))")
      }
    }
    #expect(error?.kind == .diskFull)
    #expect(error?.sqliteCode == 13)
    #expect(error?.isRetryable == true)
    #expect(try count(connection) == 1)
    try connection.execute("PRAGMA max_page_count = 100000")
    try connection.transaction { () throws(StoreError) in
      try connection.execute("INSERT INTO a VALUES (zeroblob(100000))")
    }
    #expect(try count(connection) == 2)
  }

  @Test("a lock held elsewhere is told after the timeout, and the connection goes on when it is released")
  func busy() throws {
    let other = try Connection(path: directory.file("t.db"), options: ConnectionOptions(busyTimeoutMilliseconds: 20))
    try connection.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: StoreError.self) {
      try other.transaction { () throws(StoreError) in try other.execute("INSERT INTO a VALUES (5)") }
    }
    #expect(error?.kind == .busy)
    try connection.execute("COMMIT")
    try other.transaction { () throws(StoreError) in try other.execute("INSERT INTO a VALUES (5)") }
    #expect(try count(connection) == 1)
  }

  @Test("a snapshot does not see later commits")
  func snapshot() throws {
    let other = try Connection(path: directory.file("t.db"), options: .reader)
    let counts = try other.snapshot { () throws(StoreError) in
      let before = try count(other)
      try insert(1)
      return [before, try count(other)]
    }
    #expect(counts == [0, 0])
    #expect(try count(other) == 1)
  }

  private func insert(_ value: Int) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in try connection.execute("INSERT INTO a VALUES (\(value))") }
  }

  private func count(_ connection: Connection) throws(StoreError) -> Int64 {
    try connection.prepare("SELECT count(*) FROM a").firstInt64() ?? -1
  }
}
