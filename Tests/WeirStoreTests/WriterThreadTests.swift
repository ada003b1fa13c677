import Foundation
import Testing

@testable import WeirStore

@Suite("The writer's thread")
struct WriterThreadTests {
  private static let schema = Schema(
    applicationID: 7, migrations: [Migration("log", "CREATE TABLE log(id INTEGER PRIMARY KEY, x)")])
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("jobs run one at a time, on one thread, and each caller gets its own answer")
  func serial() async throws {
    let writer = try await open()
    let answers = try await withThrowingTaskGroup(of: (Int, Int64, UInt).self) { group in
      for number in 0..<200 {
        group.addTask {
          let (row, thread) = try await writer.perform { (connection) throws(StoreError) in
            try connection.transaction { () throws(StoreError) in
              try connection.execute("INSERT INTO log(x) VALUES (\(number))")
            }
            return (connection.lastInsertedRow, UInt(pthread_self()))
          }
          return (number, row, thread)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers.map(\.1)).count == 200)
    #expect(Set(answers.map(\.2)).count == 1)
    for (number, row, _) in answers {
      let stored = try await writer.perform { (connection) throws(StoreError) in
        try connection.prepare("SELECT x FROM log WHERE id = \(row)").firstInt64()
      }
      #expect(stored == Int64(number))
    }
    try await writer.close()
  }

  @Test("jobs of one caller run in its order")
  func order() async throws {
    let writer = try await open()
    for number in 0..<20 {
      try await writer.perform { (connection) throws(StoreError) in
        try connection.execute("INSERT INTO log(x) VALUES (\(number))")
      }
    }
    let text = try await writer.perform { (connection) throws(StoreError) in
      try connection.prepare("SELECT group_concat(x) FROM (SELECT x FROM log ORDER BY id)").firstString()
    }
    #expect(text == (0..<20).map(String.init).joined(separator: ","))
    try await writer.close()
  }

  @Test("a job that throws gives its caller the error and harms nobody else")
  func failingJob() async throws {
    let writer = try await open()
    await #expect(throws: StoreError(.invalidInput, "no")) {
      try await writer.perform { (_) throws(StoreError) in throw StoreError(.invalidInput, "no") }
    }
    #expect(try await writer.perform { (_) throws(StoreError) in 5 } == 5)
    try await writer.close()
  }

  @Test("after close every call is refused, and a second close too")
  func closed() async throws {
    let writer = try await open()
    try await writer.close()
    let late = await #expect(throws: StoreError.self) { try await writer.perform { (_) throws(StoreError) in 1 } }
    #expect(late?.kind == .closed)
    let twice = await #expect(throws: StoreError.self) { try await writer.close() }
    #expect(twice?.kind == .closed)
  }

  @Test("jobs accepted before close are done, those after it refused, none is lost")
  func closeUnderLoad() async throws {
    let writer = try await open()
    let done = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<300 {
        group.addTask {
          do throws(StoreError) {
            try await writer.perform { (connection) throws(StoreError) in
              try connection.execute("INSERT INTO log(x) VALUES (1)")
            }
            return true
          } catch {
            #expect(error.kind == .closed)
            return false
          }
        }
      }
      group.addTask {
        try? await writer.close()
        return false
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let reader = try await open()
    let stored = try await reader.perform { (connection) throws(StoreError) in
      try connection.prepare("SELECT count(*) FROM log").firstInt64()
    }
    #expect(stored == Int64(done))
    try await reader.close()
  }

  @Test("close empties the write-ahead log")
  func truncatedLog() async throws {
    let writer = try await open()
    try await writer.perform { (connection) throws(StoreError) in
      try connection.execute("INSERT INTO log(x) VALUES (zeroblob(50000))")
    }
    #expect(try logSize() > 0)
    try await writer.close()
    #expect(try logSize() == 0)
  }

  @Test("the log is folded in as it grows, and its size stays bounded")
  func checkpoints() async throws {
    let writer = try await open(ConnectionOptions(checkpointPages: 20))
    for _ in 0..<200 {
      try await writer.perform { (connection) throws(StoreError) in
        try connection.execute("INSERT INTO log(x) VALUES (zeroblob(20000))")
      }
    }
    // 200 commits of 6 pages would be about 5 MB; 20 pages and one commit are about 110 kB.
    #expect(try logSize() < 200_000)
    #expect(writer.failedCheckpoints == 0)
    try await writer.close()
  }

  @Test("a reader that holds a snapshot keeps the log long, and the log shrinks once the reader lets go")
  func longReader() async throws {
    let writer = try await open(ConnectionOptions(checkpointPages: 20))
    func write(_ times: Int) async throws -> Int32 {
      for _ in 0..<times {
        try await writer.perform { (connection) throws(StoreError) in
          try connection.execute("INSERT INTO log(x) VALUES (zeroblob(20000))")
        }
      }
      return try await writer.perform { (connection) throws(StoreError) in connection.walPages }
    }
    _ = try await write(1)
    let reader = try Connection(path: directory.file("w.db"), options: .reader)
    try reader.execute("BEGIN")
    _ = try reader.prepare("SELECT count(*) FROM log").firstInt64()
    #expect(try await write(40) > 200)
    try reader.execute("COMMIT")
    #expect(try await write(10) < 60)
    #expect(writer.failedCheckpoints == 0)
    try await writer.close()
  }

  @Test(
    "GRDB.swift 619, YapDatabase 197: readers that take one view after the other, so that there is nearly always one, do not let the log grow without bound"
  )
  func restlessReaders() async throws {
    let writer = try await open(ConnectionOptions(checkpointPages: 20))
    func write() async throws {
      try await writer.perform { (connection) throws(StoreError) in
        try connection.execute("INSERT INTO log(x) VALUES (zeroblob(20000))")
      }
    }
    try await write()
    var longest = 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        let reader = try await open(.reader)
        group.addTask {
          while !Task.isCancelled {
            try await reader.perform { (connection) throws(StoreError) in
              _ = try connection.snapshot { () throws(StoreError) in
                try connection.prepare("SELECT sum(length(hex(x))) FROM (SELECT x FROM log ORDER BY id DESC LIMIT 10)")
                  .firstInt64()
              }
            }
          }
          try await reader.close()
        }
      }
      for _ in 0..<300 {
        try await write()
        longest = max(longest, try logSize())
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    // All that was written is about 7 MB. This is to 20 pages what 64 MB are to the 1,000 pages of the default.
    #expect(longest < 64_000_000 / 50, "\(longest)")
    try await writer.close()
  }

  @Test("a file that cannot be opened gives the error to the caller of open")
  func cannotOpen() async throws {
    let path = directory.path
    let error = await #expect(throws: StoreError.self) {
      try await WriterThread.open(path: path, schema: Self.schema) { (connection) throws(StoreError) in connection }
    }
    #expect(error?.kind == .cannotOpen)
  }

  @Test("a context that cannot be made gives its error to the caller of open")
  func failingContext() async throws {
    let error = await #expect(throws: StoreError.self) {
      _ = try await WriterThread<Int>.open(path: directory.file("c.db"), schema: Self.schema) {
        (_) throws(StoreError) in throw StoreError(.corrupt, "bad context")
      }
    }
    #expect(error?.kind == .corrupt)
  }

  private func open(
    _ options: ConnectionOptions = ConnectionOptions()
  ) async throws(StoreError) -> WriterThread<Connection> {
    try await WriterThread.open(path: directory.file("w.db"), schema: Self.schema, options: options) {
      (connection) throws(StoreError) in connection
    }
  }

  private func logSize() throws -> Int {
    let path = directory.file("w.db-wal")
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
  }
}
