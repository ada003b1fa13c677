import Foundation
import Synchronization
import Testing

@testable import WeirStore

@Suite("Group commit")
struct GroupCommitTests {
  private static let schema = Schema(
    applicationID: 7, migrations: [Migration("log", "CREATE TABLE log(id INTEGER PRIMARY KEY, x NOT NULL)")])
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("callers that wait share a transaction, each gets its own answer, and everything is stored")
  func shared() async throws {
    let writer = try await open()
    let rows = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<500 {
        group.addTask {
          try await writer.commit { (connection) throws(StoreError) in
            try connection.execute("INSERT INTO log(x) VALUES (\(number))")
            return connection.lastInsertedRow
          }
        }
      }
      return try await group.reduce(into: [Int64]()) { $0.append($1) }
    }
    #expect(Set(rows).count == 500)
    #expect(try await count(writer) == 500)
    #expect(writer.transactions < 250)
    try await writer.close()
  }

  @Test("a job that throws undoes its own work only")
  func failingJob() async throws {
    let writer = try await open()
    // The thread is kept busy, so that the others meet in one group.
    let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await writer.commit { (_) throws(StoreError) in
          usleep(50_000)
          return true
        }
      }
      for number in 0..<20 {
        group.addTask {
          do {
            try await writer.commit { (connection) throws(StoreError) in
              try connection.execute("INSERT INTO log(x) VALUES (\(number))")
              if number % 2 == 1 { try connection.execute("INSERT INTO log(x) VALUES (NULL)") }
            }
            return true
          } catch {
            return false
          }
        }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 } == 11)
    #expect(try await count(writer) == 10)
    try await writer.close()
  }

  @Test("a transaction that fails at its end fails for everybody in it, is told to the context, and the next one works")
  func failingCommit() async throws {
    let rolledBack = Mutex(0)
    let writer = try await open(events: .init(rolledBack: { _ in rolledBack.withLock { $0 += 1 } }))
    try await writer.perform { (connection) throws(StoreError) in
      try connection.execute("PRAGMA max_page_count = 4")
    }
    let error = await #expect(throws: StoreError.self) {
      try await writer.commit { (connection) throws(StoreError) in
        for _ in 0..<10 { try connection.execute("INSERT INTO log(x) VALUES (zeroblob(4000))") }
      }
    }
    #expect(error?.kind == .diskFull)
    #expect(rolledBack.withLock { $0 } > 0)
    try await writer.perform { (connection) throws(StoreError) in
      try connection.execute("PRAGMA max_page_count = 1000")
    }
    try await writer.commit { (connection) throws(StoreError) in
      try connection.execute("INSERT INTO log(x) VALUES (1)")
    }
    #expect(try await count(writer) == 1)
    try await writer.close()
  }

  @Test("a transaction is synced when one of its jobs asks for it, and the next one is not")
  func durability() async throws {
    let settled = Mutex(0)
    let writer = try await open(events: .init(settled: { _, _ in settled.withLock { $0 += 1 } }))
    func synchronous(_ durability: Durability?) async throws -> Int64? {
      try await writer.commit(durability: durability) { (connection) throws(StoreError) in
        try connection.execute("INSERT INTO log(x) VALUES (1)")
        return try connection.prepare("PRAGMA synchronous").firstInt64()
      }
    }
    #expect(try await synchronous(nil) == 1)
    #expect(settled.withLock { $0 } == 0)
    #expect(try await synchronous(.full) == 2)
    #expect(try await synchronous(nil) == 1)
    #expect(settled.withLock { $0 } == 1)
    try await writer.close()
    #expect(settled.withLock { $0 } == 2)
  }

  @Test("the log is folded in during a pause, without a further commit")
  func idleCheckpoint() async throws {
    let settled = AsyncStream<Void>.makeStream()
    let writer = try await open(events: .init(settled: { _, _ in settled.continuation.yield() }))
    try await writer.commit { (connection) throws(StoreError) in
      try connection.execute("INSERT INTO log(x) VALUES (zeroblob(500000))")
    }
    for await _ in settled.stream { break }
    try await writer.close()
  }

  @Test(
    "checkpoints: passive beyond the limit and then each quarter, full where readers have kept the log long",
    arguments: [
      ([3_900, 4_000], []), ([4_001], [.passive]), ([4_001, 5_001, 5_002], [.passive, .passive]),
      ([4_001, 10, 4_001], [.passive, .passive]), ([16_001], [.full]), ([15_999, 16_900, 17_000], [.passive, .full]),
      ([20_001, 21_100, 30_001, 30_500, 31_100], [.insistent, .full, .full, .insistent]),
      ([20_001, 30_002], [.insistent, .insistent]), ([20_001, 10, 20_001], [.insistent, .insistent]),
    ] as [([Int32], [Connection.CheckpointMode])])
  func schedule(pages: [Int32], expected: [Connection.CheckpointMode]) {
    var schedule = CheckpointSchedule(ConnectionOptions())
    #expect(pages.compactMap { schedule.due($0) } == expected)
    #expect(!schedule.isIdleDue(63) && schedule.isIdleDue(64))
    schedule.idled(at: 64)
    #expect(!schedule.isIdleDue(64) && schedule.isIdleDue(65))
  }

  @Test("a view that is held too long is ended with its own error, and the connection goes on")
  func ageLimit() throws {
    let connection = try Connection(path: directory.file("age.db"))
    try Self.schema.prepare(connection, access: .create)
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let error = #expect(throws: StoreError.self) {
      try connection.snapshot(limit: 20) { () throws(StoreError) in try connection.prepare(endless).firstInt64() }
    }
    #expect(error?.kind == .timedOut && error?.isRetryable == true)
    let answer = try connection.snapshot(limit: 1_000_000) { () throws(StoreError) in
      try connection.prepare("SELECT 7").firstInt64()
    }
    #expect(answer == 7)
  }

  private func count(_ writer: WriterThread<Connection>) async throws -> Int64? {
    try await writer.perform { (connection) throws(StoreError) in
      try connection.prepare("SELECT count(*) FROM log").firstInt64()
    }
  }

  private func open(events: WriterThread<Connection>.Events = .init()) async throws(StoreError) -> WriterThread<
    Connection
  > {
    try await WriterThread.open(
      path: directory.file("g.db"), schema: Self.schema, events: events,
      makeContext: { (connection) throws(StoreError) in connection })
  }
}
