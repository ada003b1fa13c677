import Foundation
import Testing
import Weir
import WeirStore

@testable import WeirChat

/// The file under a follower is replaced: a backup is restored, another store is put in its place, or it is cut off.
@Suite("Following a store whose file is replaced", .timeLimit(.minutes(5))) struct FollowerReplacementTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file("live.db") }

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ seqs: ClosedRange<Int64>, to name: String = "live.db", account: String = Make.account)
    async throws
  {
    let store = try await SQLiteMessageStore.open(path: directory.file(name), account: account)
    for seq in seqs { _ = try await store.apply([Make.message("\(name)-\(seq)", seq: seq)]) }
    try await store.close()
  }

  private func copy(_ name: String, to other: String) throws {
    for suffix in ["", "-witness"] {
      try FileManager.default.copyItem(atPath: directory.file(name) + suffix, toPath: directory.file(other) + suffix)
    }
  }

  /// Puts a closed store in the place of another, whole.
  private func move(_ name: String, over other: String) throws {
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: directory.file(other) + suffix) }
    for suffix in ["-witness", ""] {
      #expect(rename(directory.file(name) + suffix, directory.file(other) + suffix) == 0)
    }
  }

  /// Follows the file with a page and waits in `body` for what the page shows.
  private func follow(
    _ body: (_ page: Page<[StoredMessage]>, _ hints: EventSubscription, _ until: (Int) async throws -> Void)
      async throws -> Void
  ) async throws {
    let follower = try await ProjectionFollower.open(path: path, account: Make.account)
    let hub = EventHub()
    let hints = hub.subscribe()
    let page = Page<[StoredMessage]>()
    let hasEnded = Shared(false)
    try await withReaders([
      {
        defer { hasEnded.change { $0 = true } }
        try await follower.follow(into: hub, every: .milliseconds(1))
      },
      {
        // A query may fall into the moment in which half of a file is copied.
        while !Task.isCancelled {
          do { try await page.follow(follower.observedMessages(in: Make.group, through: hub)) } catch is StoreError {}
        }
      },
    ]) {
      try await body(page, hints) { count in
        while page.last?.count != count, !hasEnded.value { try await Task.sleep(for: .milliseconds(1)) }
        #expect(page.last?.count == count)
      }
    }
    try await follower.close()
  }

  @Test("a restored backup, though its revision is lower: pages show it, and what is written after that")
  func restored() async throws {
    try await write(1...10)
    try copy("live.db", to: "backup.db")
    try await write(11...20)
    try await follow { page, hints, until in
      try await until(20)
      try move("backup.db", over: "live.db")
      try await until(10)
      #expect(hints.takePending().contains { $0.event.requiresFullRequery })
      try await write(31...35)
      try await until(15)
      #expect(page.all.last?.revision == 15)
    }
  }

  @Test("another store of the account in its place, with a higher revision: readers are told to query everything")
  func another() async throws {
    try await write(1...10)
    try await write(1...30, to: "other.db")
    try await follow { page, hints, until in
      try await until(10)
      try move("other.db", over: "live.db")
      try await until(30)
      #expect(hints.takePending().contains { $0.event.requiresFullRequery })
      #expect(page.last?.allSatisfy { $0.key.clientMsgID.hasPrefix("other.db") } == true)
    }
  }

  @Test("a backup that is copied over the file in place")
  func copiedOver() async throws {
    try await write(1...10)
    try copy("live.db", to: "backup.db")
    try await write(11...20)
    try await follow { _, _, until in
      try await until(20)
      for suffix in ["", "-witness"] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.file("backup.db") + suffix))
        // Not atomically: the same file, with other bytes.
        try bytes.write(to: URL(fileURLWithPath: path + suffix))
      }
      try await until(10)
    }
  }

  @Test("a store of another account in its place, or a file cut to nothing, ends following with a typed error")
  func unusable() async throws {
    for isForeign in [true, false] {
      try await write(1...10)
      let follower = try await ProjectionFollower.open(path: path, account: Make.account)
      if isForeign {
        let other = try await SQLiteMessageStore.open(path: directory.file("other.db"), account: "someone else")
        try await other.close()
        try move("other.db", over: "live.db")
      } else {
        #expect(truncate(path, 0) == 0)
      }
      let error = await #expect(throws: StoreError.self) {
        try await follower.follow(into: EventHub(), every: .milliseconds(1))
      }
      #expect(error?.kind == (isForeign ? .foreignFile : .corrupt), "\(String(describing: error))")
      try await follower.close()
      for suffix in ["", "-witness", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
  }

  @Test("a store that is deleted and made anew: pages keep what they show until there is something to read")
  func deleted() async throws {
    try await write(1...10)
    try await follow { page, _, until in
      try await until(10)
      for suffix in ["", "-witness", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try await Task.sleep(for: .milliseconds(20))
      #expect(page.last?.count == 10)
      try await write(1...3)
      try await until(3)
    }
  }
}
