import WeirChat
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The projection on disk, from decoded facts to acknowledged commits, beside a plain loop over SQLite's C interface on the
/// same tables, and beside the tables of text that most clients begin with.
let store = Family(
  name: "store", title: "facts to rows on disk",
  cases: writes + [
    Case("store, file", unit: .bytes, count: 100_000) { try await afterWriting($0, .fileBytes) },
    Case("store, bytes written at 256", unit: .bytes, count: 50_000) { try await afterWriting($0, .writtenBytes) },
    Case("store, newest 50 of a conversation", unit: .perCall, count: 100_000) { try await afterWriting($0, .page) },
    Case("store, newest 50 conversations", unit: .perCall, count: 100_000) { try await afterWriting($0, .list) },
    Case("store, total unread", unit: .perCall, count: 100_000) { try await afterWriting($0, .total) },
  ],
  comparisons: against + [
    .reading("store, file", goal: 240),
    .reading("store, bytes written at 256", goal: 10_240),
    .reading("store, newest 50 of a conversation", goal: 200_000),
    .reading("store, newest 50 conversations"),
    .reading("store, total unread", goal: 5_000),
  ])

private let sizes: [(batch: Int, isFull: Bool)] = [
  (1, false), (16, false), (256, false), (1, true), (16, true), (256, true),
]

private let against: [Comparison] = sizes.flatMap { (batch, isFull) -> [Comparison] in
  let words = words(batch, isFull)
  return [
    .speedup("store, \(words)", over: "C interface, \(words)", goal: 0.9),
    .speedup("store, \(words)", over: "text tables, \(words)", goal: batch == 256 ? 2.5 : nil),
  ]
}

private func words(_ batch: Int, _ isFull: Bool) -> String { "\(isFull ? "FULL" : "NORMAL") \(batch)" }

private let writes: [Case] = sizes.flatMap {
  (batch, isFull) -> [Case] in
  let count = batch == 1 ? 3_000 : batch == 16 ? 20_000 : 60_000
  return [
    Case("store, \(words(batch, isFull))", unit: .perElement, count: count) { count in
      let facts = StoreLoad.facts(count)
      return try await inDirectory { directory in
        let store = try await openStore(directory, isFull: isFull)
        let elapsed = try await time { try await write(facts, to: store, batch: batch) }
        try await store.close()
        return elapsed / Double(count)
      }
    },
    Case("C interface, \(words(batch, isFull))", unit: .perElement, count: count) { count in
      let facts = StoreLoad.facts(count)
      return try await inDirectory { directory in
        // The store makes the tables, the loop fills them.
        try await openStore(directory, isFull: isFull).close()
        let table = try RawTable(path: directory + "/store.db", isInterned: true, isFull: isFull)
        return try await time { try write(facts, to: table, batch: batch) } / Double(count)
      }
    },
    Case("text tables, \(words(batch, isFull))", unit: .perElement, count: count) { count in
      let facts = StoreLoad.facts(count)
      return try await inDirectory { directory in
        let table = try RawTable(path: directory + "/text.db", isInterned: false, isFull: isFull)
        return try await time { try write(facts, to: table, batch: batch) } / Double(count)
      }
    },
  ]
}

private enum Reading {
  case fileBytes, writtenBytes, page, list, total
}

/// A reading of a store that holds `count` facts.
private func afterWriting(_ count: Int, _ reading: Reading) async throws -> Double {
  let facts = StoreLoad.facts(count)
  return try await inDirectory { directory in
    let store = try await openStore(directory, isFull: false)
    let before = try writtenBytes()
    try await write(facts, to: store, batch: 256)
    let written = try writtenBytes() - before
    let messages = try await store.totals().value.messages
    switch reading {
    case .fileBytes:
      try await store.close()
      guard let file = FileManager.default.contents(atPath: directory + "/store.db") else {
        throw BenchmarkError.unreadable(path: directory + "/store.db")
      }
      return Double(file.count) / Double(messages)
    case .writtenBytes:
      try await store.close()
      return Double(written) / Double(messages)
    case .page:
      return try await calls(store) { _ = try await $0.messages(in: "sg_group\($1 % 40)", limit: 50) }
    case .list: return try await calls(store) { store, _ in _ = try await store.conversations(limit: 50) }
    case .total: return try await calls(store) { store, _ in _ = try await store.totalUnread() }
    }
  }
}

private func calls(
  _ store: SQLiteMessageStore, _ call: (SQLiteMessageStore, Int) async throws -> Void
) async throws -> Double {
  let count = 400
  for index in 0..<40 { try await call(store, index) }
  let elapsed = try await time { for index in 0..<count { try await call(store, index) } }
  try await store.close()
  return elapsed / Double(count)
}

private func openStore(_ directory: String, isFull: Bool) async throws -> SQLiteMessageStore {
  try await SQLiteMessageStore.open(
    path: directory + "/store.db", account: StoreLoad.account,
    options: .init(durability: isFull ? .full : .normal, localDurability: isFull ? .full : .normal))
}

private func write(_ facts: [Fact], to store: SQLiteMessageStore, batch: Int) async throws {
  for start in stride(from: 0, to: facts.count, by: batch) {
    _ = try await store.apply(Array(facts[start..<min(start + batch, facts.count)]))
  }
}

private func write(_ facts: [Fact], to table: RawTable, batch: Int) throws {
  for start in stride(from: 0, to: facts.count, by: batch) {
    try table.store(facts[start..<min(start + batch, facts.count)])
  }
}

/// Nanoseconds that `work` takes.
func time(_ work: () async throws -> Void) async throws -> Double {
  let start = ContinuousClock.now
  try await work()
  return (ContinuousClock.now - start).nanoseconds
}

/// Bytes that this process has handed to the kernel to write.
private func writtenBytes() throws -> Int {
  let path = "/proc/self/io"
  guard let text = FileManager.default.contents(atPath: path).map({ String(decoding: $0, as: UTF8.self) }),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") }),
    let number = Int(line.dropFirst("wchar: ".count))
  else { throw BenchmarkError.unreadable(path: path) }
  return number
}

func inDirectory(_ work: (String) async throws -> Double) async throws -> Double {
  let directory = FileManager.default.temporaryDirectory.path + "/weir-benchmark-\(UInt64.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  return try await work(directory)
}
