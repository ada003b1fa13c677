import Weir
import WeirHistory
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What it costs to record a write beside the same write without a history, how fast a pass is, and how long another process
/// waits for a row.
let history = Family(
  name: "history", title: "recording, passes and wake-up between processes",
  cases: [1, 256].flatMap { rows in
    [
      Case("recorded, \(rows) a transaction", unit: .perElement, count: rows == 1 ? 6_000 : 120_000) { count in
        try await inFolder { path in
          let history = try await HistoryLoad.open(path)
          try await history.register("reader")
          let elapsed = try await HistoryLoad.time(count, by: rows) { numbers in
            try await history.write(as: "writer") { try HistoryLoad.insert(numbers, on: $0) }
          }
          await history.close()
          return elapsed
        }
      },
      Case("not recorded, \(rows) a transaction", unit: .perElement, count: rows == 1 ? 6_000 : 120_000) { count in
        try await inFolder { path in
          let writer = try await WriterThread.open(path: path, schema: HistoryLoad.schema) {
            (connection) throws(StoreError) in connection
          }
          let elapsed = try await HistoryLoad.time(count, by: rows) { numbers in
            try await writer.commit { (connection) throws(StoreError) in
              try HistoryLoad.insert(numbers, on: connection)
            }
          }
          try await writer.close()
          return elapsed
        }
      },
    ]
  } + [
    Case("pass, one observer and one hook", unit: .perElement, count: 200_000, measure: pass),
    Case("wake-up of another process, p50", unit: .perRoundTrip, count: 1_000) {
      try await HistoryPeer.latency($0, 50)
    },
    Case("wake-up of another process, p99", unit: .perRoundTrip, count: 1_000) {
      try await HistoryPeer.latency($0, 99)
    },
  ],
  comparisons: [
    .cost("recorded, 1 a transaction", of: "not recorded, 1 a transaction", goal: 1.35),
    .cost("recorded, 256 a transaction", of: "not recorded, 256 a transaction", goal: 1.35),
    .reading("pass, one observer and one hook", goal: 5_000),
    .reading("wake-up of another process, p50", goal: 200_000),
    .reading("wake-up of another process, p99", goal: 1_000_000),
  ])

/// Nanoseconds that a reader takes for a change that others wrote.
private func pass(_ count: Int) async throws -> Double {
  try await inFolder { path in
    let history = try await HistoryLoad.open(path)
    try await history.register("reader")
    _ = try await HistoryLoad.time(count, by: 64) { numbers in
      try await history.write(as: "writer") { try HistoryLoad.insert(numbers, on: $0) }
    }
    let (seen, done) = AsyncStream.makeStream(of: Int.self)
    let target = MergeTarget.memory("count") { transactions in
      done.yield(transactions.reduce(0) { $0 + $1.changes.count })
    }
    let follower = try await HistoryTracker(
      history, currentAuthor: "reader", targets: [target], logLevel: .none, autoStart: false)
    follower.registerObserver(entityName: "message", operation: .insert) { _ in }
    try follower.registerMergeHook { _ in .goOn }
    let start = ContinuousClock.now
    follower.start()
    var total = 0
    for await changes in seen {
      total += changes
      if total >= count { break }
    }
    let elapsed = ContinuousClock.now - start
    await follower.stopAndWait()
    await history.close()
    guard total == count else {
      throw BenchmarkError.wrongResult(name: "pass", expected: count, result: total)
    }
    return elapsed.nanoseconds / Double(count)
  }
}

/// The rows that are written: messages with two indexes.
enum HistoryLoad {
  static let schema = Schema(
    applicationID: 0x7765_6962,
    migrations: [
      Migration(
        "first",
        """
        CREATE TABLE message (
          id INTEGER PRIMARY KEY, client TEXT NOT NULL UNIQUE, conversation INTEGER NOT NULL, sent INTEGER NOT NULL,
          sender TEXT NOT NULL, body TEXT NOT NULL);
        CREATE INDEX message_of_conversation ON message (conversation, sent);
        """)
    ])

  static func open(_ path: String) async throws -> History {
    try await History.open(
      path, schema: schema, tracking: [TrackedTable("message", key: ["id"], columns: ["body"], tombstone: ["client"])])
  }

  /// Inserts messages of these numbers.
  static func insert(_ numbers: Range<Int>, on connection: Connection) throws(StoreError) {
    let insert = try connection.cached(
      "INSERT INTO message (client, conversation, sent, sender, body) VALUES (?1, ?2, ?3, ?4, ?5)")
    for number in numbers {
      insert.bind("\(String(number &* 2_654_435_761 & 0xffff_ffff, radix: 16))-\(number)", at: 1)
      insert.bind(Int64(number % 40), at: 2)
      insert.bind(Int64(1_700_000_000_000 + number), at: 3)
      insert.bind("sender \(number % 97)", at: 4)
      insert.bind("The body of message \(number), which is about as long as what people write to one another.", at: 5)
      try insert.run()
    }
  }

  /// Writes `count` messages and gives the nanoseconds for one.
  static func time(_ count: Int, by size: Int, _ write: (Range<Int>) async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    for first in stride(from: 0, to: count, by: size) { try await write(first..<min(first + size, count)) }
    return (ContinuousClock.now - start).nanoseconds / Double(count)
  }
}

func inFolder(_ work: (String) async throws -> Double) async throws -> Double {
  let folder = FileManager.default.temporaryDirectory.path + "/weir-benchmark-\(UInt64.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await work(folder + "/store.db")
}
