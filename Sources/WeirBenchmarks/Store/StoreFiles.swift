import Synchronization
import WeirChat
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that hold messages already, made once a run and copied for each measurement: what a message costs depends on the
/// size of the file it goes to.
enum StoreFiles {
  /// Which tables a file has.
  enum Kind: String {
    case store, text
  }

  private struct Base {
    let directory: String
    /// What comes after the facts in the file.
    let load: StoreLoad
  }

  private static let made = Mutex<[String: Base]>([:])

  /// A directory with a copy of a file of `count` facts, and what follows them; the directory is gone afterwards.
  static func with(
    _ kind: Kind, count: Int, conversations: Int = 500, _ work: (String, inout StoreLoad) async throws -> Double
  ) async throws -> Double {
    let base = try await base(kind, count, conversations)
    return try await inDirectory { directory in
      let path = "\(directory)/\(kind.rawValue).db"
      try FileManager.default.copyItem(atPath: "\(base.directory)/\(kind.rawValue).db", toPath: path)
      // Else the kernel writes the copy while something else is measured.
      try sync(path)
      var load = base.load
      return try await work(directory, &load)
    }
  }

  /// The path of a file of `count` facts, to be read only.
  static func shared(_ kind: Kind, count: Int, conversations: Int = 500) async throws -> String {
    "\(try await base(kind, count, conversations).directory)/\(kind.rawValue).db"
  }

  /// Removes what was made.
  static func removeAll() {
    for base in made.withLock({ $0 }).values { try? FileManager.default.removeItem(atPath: base.directory) }
  }

  private static func base(_ kind: Kind, _ count: Int, _ conversations: Int) async throws -> Base {
    let name = "\(kind.rawValue) \(count) \(conversations)"
    if let base = made.withLock({ $0[name] }) { return base }
    let directory = try newDirectory()
    var load = StoreLoad(conversations: conversations)
    switch kind {
    case .store:
      let store = try await openStore(directory, isFull: false)
      try await fill(count, &load) { _ = try await store.apply($0) }
      try await store.close()
    case .text:
      let table = try TextTables(path: directory + "/text.db", isFull: nil)
      try await fill(count, &load) { try table.store($0[...]) }
    }
    try sync("\(directory)/\(kind.rawValue).db")
    let base = Base(directory: directory, load: load)
    made.withLock { $0[name] = base }
    return base
  }

  private static func fill(
    _ count: Int, _ load: inout StoreLoad, _ store: ([Fact]) async throws -> Void
  ) async throws {
    var rest = count
    while rest > 0 {
      try await store(load.next(min(rest, 256)))
      rest -= 256
    }
  }

  private static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDWR)
    guard descriptor >= 0 else { throw BenchmarkError.unreadable(path: path) }
    fsync(descriptor)
    close(descriptor)
  }

  private static func newDirectory() throws -> String {
    let directory = FileManager.default.temporaryDirectory.path + "/weir-benchmark-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory
  }

  /// A directory of its own for some work, removed afterwards.
  static func inDirectory(_ work: (String) async throws -> Double) async throws -> Double {
    let directory = try newDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await work(directory)
  }
}

/// Opens the store in a directory.
func openStore(_ directory: String, isFull: Bool) async throws -> SQLiteMessageStore {
  try await SQLiteMessageStore.open(
    path: directory + "/store.db", account: StoreLoad.account,
    options: .init(durability: isFull ? .full : .normal, localDurability: isFull ? .full : .normal))
}
