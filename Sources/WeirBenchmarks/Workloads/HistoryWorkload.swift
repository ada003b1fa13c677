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
  cases: recordings.flatMap { $0.cases } + [
    Case("pass, one observer and one hook", unit: .perElement, count: 200_000, measure: pass),
    Case("wake-up of another process, p50", unit: .perRoundTrip, count: 1_000) {
      try await HistoryPeer.latency($0, 50)
    },
    Case("wake-up of another process, p99", unit: .perRoundTrip, count: 1_000) {
      try await HistoryPeer.latency($0, 99)
    },
  ],
  comparisons: recordings.map(\.comparison) + [
    .reading("pass, one observer and one hook", goal: 5_000),
    .reading("wake-up of another process, p50", goal: 200_000),
    .reading("wake-up of another process, p99", goal: 1_000_000),
  ])

/// So many rows a transaction, and what of it is measured.
private let recordings = [1, 256].flatMap { rows in
  [Spent.Part.wall, .processor, .written].map { Recording(rows: rows, part: $0) }
}

/// The same rows written with a history and without, each going on with a file of 50,000: in an empty file indexes of any kind are
/// cheap, and then a history costs as much as the write itself.
private struct Recording: Sendable {
  let rows: Int
  let part: Spent.Part

  private var count: Int { rows == 1 ? 6_000 : 60_000 }

  var cases: [Case] {
    let unit: Case.Unit = part == .written ? .bytes : .perElement
    return [
      Case(name("recorded"), unit: unit, count: count) { count in
        try await inFolder { path in
          try await HistoryLoad.fill(path)
          let history = try await HistoryLoad.open(path)
          try await history.register("reader")
          let spent = try await HistoryLoad.spend(part, count, by: rows) { numbers in
            try await history.write(as: "writer") { try HistoryLoad.insert(numbers, on: $0) }
          }
          await history.close()
          return spent
        }
      },
      Case(name("not recorded"), unit: unit, count: count) { count in
        try await inFolder { path in
          try await HistoryLoad.fill(path)
          let writer = try await HistoryLoad.plain(path)
          let spent = try await HistoryLoad.spend(part, count, by: rows) { numbers in
            try await writer.commit { (connection) throws(StoreError) in
              try HistoryLoad.insert(numbers, on: connection)
            }
          }
          try await writer.close()
          return spent
        }
      },
    ]
  }

  var comparison: Comparison { .cost(name("recorded"), of: name("not recorded"), goal: 1.35) }

  private func name(_ way: String) -> String {
    let words = "\(way), \(rows) a transaction"
    return switch part {
    case .wall: words
    case .processor: words + ", processor time"
    case .written: words + ", written"
    }
  }
}

/// Nanoseconds that a reader takes for a change that others wrote.
private func pass(_ count: Int) async throws -> Double {
  try await inFolder { path in
    let history = try await HistoryLoad.open(path)
    try await history.register("reader")
    try await HistoryLoad.write(0..<count, by: 64) { numbers in
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

  /// Opens a file that is not recorded.
  static func plain(_ path: String) async throws -> WriterThread<Connection> {
    try await WriterThread.open(path: path, schema: schema) { (connection) throws(StoreError) in connection }
  }

  /// What a file holds before anything is measured.
  static let held = 50_000

  /// Makes a file that holds messages.
  static func fill(_ path: String) async throws {
    let writer = try await plain(path)
    try await write(0..<held, by: 1_000) { numbers in
      try await writer.commit { (connection) throws(StoreError) in try insert(numbers, on: connection) }
    }
    try await writer.close()
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

  /// Writes `count` messages and gives what one takes. Of time by the clock that is the median of twenty slices: what others
  /// make the disk wait for hits a few of them, and may take longer than all the rest.
  static func spend(
    _ part: Spent.Part, _ count: Int, by size: Int, _ write: (Range<Int>) async throws -> Void
  ) async throws -> Double {
    guard part == .wall else {
      return try await Spent { try await self.write(held..<held + count, by: size, write) }[part] / Double(count)
    }
    let slice = max(size, count / 20 / size * size)
    var taken: [Double] = []
    for first in stride(from: held, to: held + count, by: slice) {
      let numbers = first..<min(first + slice, held + count)
      let start = ContinuousClock.now
      try await self.write(numbers, by: size, write)
      taken.append((ContinuousClock.now - start).nanoseconds / Double(numbers.count))
    }
    return taken.sorted()[taken.count / 2]
  }

  /// Writes messages of these numbers, so many a transaction.
  static func write(
    _ numbers: Range<Int>, by size: Int, _ write: (Range<Int>) async throws -> Void
  ) async throws {
    for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: size) {
      try await write(first..<min(first + size, numbers.upperBound))
    }
  }
}

func inFolder(_ work: (String) async throws -> Double) async throws -> Double {
  let folder = FileManager.default.temporaryDirectory.path + "/weir-benchmark-\(UInt64.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await work(folder + "/store.db")
}
