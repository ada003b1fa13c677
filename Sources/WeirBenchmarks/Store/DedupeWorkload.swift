import Synchronization
import Weir
import WeirChat
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether an id has been seen: in memory, as the stage `Dedupe` asks, and from the index of a store's file through a page
/// cache of 2 MiB. A million ids, ten million with `--full`.
let dedupe = Family(
  name: "dedupe", title: "looking ids up in memory and on disk (1 million ids, 10 million with --full)",
  cases: [
    Case("ids in memory, size", unit: .bytesPerID, count: few, full: many) {
      try await measuredOnce(.memory, $0).bytes
    },
    Case("ids in memory, a known one", unit: .perCall, count: few, full: many) {
      try await measuredOnce(.memory, $0).hit
    },
    Case("ids in memory, a new one", unit: .perCall, count: few, full: many) {
      try await measuredOnce(.memory, $0).miss
    },
    Case("ids on disk, size", unit: .bytesPerID, count: few, full: many) { try await measuredOnce(.disk, $0).bytes },
    Case("ids on disk, a known one", unit: .perCall, count: few, full: many) { try await measuredOnce(.disk, $0).hit },
    Case("ids on disk, a new one", unit: .perCall, count: few, full: many) { try await measuredOnce(.disk, $0).miss },
  ],
  comparisons: [
    .reading("ids in memory, size"), .reading("ids in memory, a known one"), .reading("ids in memory, a new one"),
    .reading("ids on disk, size"), .reading("ids on disk, a known one"), .reading("ids on disk, a new one"),
  ],
  rounds: 1)

private let few = 1_000_000
private let many = 10_000_000
private let lookups = 100_000
private let groups: UInt64 = 5_000

private enum Place { case memory, disk }

/// One filling serves the three readings of a place.
private let lookupsMade = Mutex<[Place: (count: Int, lookup: Lookup)]>([:])

private func measuredOnce(_ place: Place, _ count: Int) async throws -> Lookup {
  if let made = lookupsMade.withLock({ $0[place] }), made.count == count { return made.lookup }
  let lookup = place == .memory ? try memory(count) : try await disk(count)
  lookupsMade.withLock { $0[place] = (count, lookup) }
  return lookup
}

private struct Lookup {
  let bytes: Double
  let hit: Double
  let miss: Double
}

/// What a message is known by, as numbers.
private struct ID: Hashable {
  let conversation: Int64
  let high: UInt64
  let low: UInt64

  /// The id of a number: as good as random, and the same each time.
  init(_ number: Int) {
    (high, low) = (Self.mixed(UInt64(number) * 2), Self.mixed(UInt64(number) * 2 + 1))
    conversation = Int64(high % groups) + 1
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var word = number &* 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

private func memory(_ count: Int) throws -> Lookup {
  let before = AllocatedMemory.kibibytes()
  let memory = DedupeMemory<ID>(remembering: count)
  for number in 0..<count { _ = memory.insert(ID(number)) }
  let bytes = (AllocatedMemory.kibibytes() - before) * 1_024 / Double(count)
  return try measured(count, bytes) { memory.contains($0) }
}

private func disk(_ count: Int) async throws -> Lookup {
  let directory = FileManager.default.temporaryDirectory.path + "/weir-benchmark-\(UInt64.random(in: 0 ... .max))"
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  let path = directory + "/store.db"
  try await openStore(directory, isFull: false).close()
  let bytes = try fill(path, count)
  let connection = try PlainConnection(path: path, isFull: false, cacheKibibytes: 2_048)
  let find = try connection.prepare("SELECT id FROM messages WHERE conversation = ?1 AND client_id = ?2")
  return try measured(count, bytes) { id in
    connection.bind(id.conversation, 1, find)
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { connection.bind($0, 2, find) }
    return try connection.run(find) != nil
  }
}

/// Adds a short row for each id, in one random order as messages come; the bytes that the index of the ids takes for each.
private func fill(_ path: String, _ count: Int) throws -> Double {
  let connection = try PlainConnection(path: path, isFull: nil, cacheKibibytes: 256 * 1_024)
  for index in ["by_time", "by_seq", "private", "sent_here", "unsent"] {
    try connection.execute("DROP INDEX messages_\(index)")
  }
  let insert = try connection.prepare(
    """
    INSERT INTO messages(conversation, client_id, seq, send_time, create_time, sender, evidence, marks, rest)
    VALUES (?1, ?2, ?3, 0, 0, 0, 1, 0, x'')
    """)
  for start in stride(from: 0, to: count, by: 100_000) {
    try connection.execute("BEGIN IMMEDIATE")
    for number in start..<min(start + 100_000, count) {
      let id = ID(number)
      connection.bind(id.conversation, 1, insert)
      withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { connection.bind($0, 2, insert) }
      connection.bind(Int64(number), 3, insert)
      try connection.run(insert)
    }
    try connection.execute("COMMIT")
  }
  var bytes: Int64 = 0
  try connection.rows("SELECT sum(pgsize) FROM dbstat WHERE name = 'sqlite_autoindex_messages_1'") {
    bytes = $0.number(0)
  }
  return Double(bytes) / Double(count)
}

/// Nanoseconds of looking up ids that are there and ids that are not.
private func measured(_ count: Int, _ bytes: Double, _ isKnown: (ID) throws -> Bool) throws -> Lookup {
  func time(_ id: (Int) -> Int, expecting: Bool) throws -> Double {
    let start = ContinuousClock.now
    for index in 0..<lookups where try isKnown(ID(id(index))) != expecting {
      throw BenchmarkError.peer("an id was looked up wrongly")
    }
    return (ContinuousClock.now - start).nanoseconds / Double(lookups)
  }
  // A step that meets every part of what was stored.
  let step = 7_919
  return Lookup(
    bytes: bytes, hit: try time({ $0 * step % count }, expecting: true),
    miss: try time({ count + $0 }, expecting: false))
}
