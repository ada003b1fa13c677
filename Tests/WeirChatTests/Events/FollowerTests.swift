import ChatFixtures
import Foundation
import Testing
import Weir
import WeirStore

@testable import WeirChat

/// Pages over a store that another process writes.
@Suite("Following a store") struct FollowerTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Starts the probe that applies a script, and reads the numbers it acknowledges.
  private func start(_ arguments: [String]) throws -> (process: Foundation.Process, output: FileHandle) {
    let process = Foundation.Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("StoreKillProbe")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    return (process, pipe.fileHandleForReading)
  }

  private func firstAcknowledgements(_ output: FileHandle, _ count: Int) -> Int {
    var text = ""
    while text.count(where: { $0 == "\n" }) < count {
      let data = output.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.split(separator: "\n").compactMap { Int($0) }.max() ?? 0
  }

  @Test("Invariant 14: pages in another process show all that was acknowledged when the writer is killed right after")
  func liveAndKilled() async throws {
    let path = directory.file("live.db")
    let (process, output) = try start(["ingest", path, "3", "20000", "16"])
    defer { process.terminate() }
    let first = firstAcknowledgements(output, 1)
    let follower = try await ProjectionFollower.open(path: path)
    #expect(follower.account == ChatScript.account)
    let hub = EventHub()
    let (lists, totals) = (Page<[ConversationSummary]>(), Page<Totals>())
    try await withReaders([
      { try await follower.follow(into: hub, every: .milliseconds(2)) },
      { try await lists.follow(follower.observedConversations(through: hub)) },
      { try await totals.follow(follower.observedTotals(through: hub)) },
    ]) {
      // The pages move while the other process writes; then it is killed in the middle of it.
      while lists.all.count < 5, process.isRunning { try await Task.sleep(for: .milliseconds(1)) }
      kill(process.processIdentifier, SIGKILL)
      let rest = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
      let acknowledged = max(first, rest.split(separator: "\n").compactMap { Int($0) }.max() ?? 0)
      process.waitUntilExit()
      #expect(acknowledged > 0)

      let facts = try facts(ChatScript.lines(seed: 3, count: 20_000))
      let oracle = try await SQLiteMessageStore.open(path: directory.file("oracle.db"), account: ChatScript.account)
      _ = try await oracle.apply(Array(facts.prefix(acknowledged)))
      let expected = Set(try await oracle.conversations(limit: .max).value.map(\.conversationID))
      try await oracle.close()
      // The page catches up by itself; nothing else will be written.
      while true {
        let fresh = try await follower.snapshot { (view) throws(StoreError) in
          (try view.conversations(), try view.totals())
        }
        if lists.last == fresh.value.0, totals.last == fresh.value.1 {
          #expect(expected.isSubset(of: Set(fresh.value.0.map(\.conversationID))))
          #expect(fresh.value.0.reduce(0) { $0 + $1.unread } == fresh.value.1.unread)
          break
        }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    try await follower.close()
  }

  @Test("storage F34: who slept through more than the log keeps queries everything, and then follows again")
  func slept() async throws {
    let path = directory.file("slept.db")
    let options = SQLiteMessageStore.Options(historyLimit: 20)
    let store = try await SQLiteMessageStore.open(path: path, account: ChatScript.account, options: options)
    let follower = try await ProjectionFollower.open(path: path, account: ChatScript.account)
    func write(_ numbers: ClosedRange<Int64>) async throws {
      for number in numbers {
        let line = CallbackLine.group("text", id: "m\(number)", seq: number)
        _ = try await store.apply(facts([line.bytes]))
      }
    }
    try await write(1...600)
    #expect(try await follower.changes(since: follower.openedAt).value.isComplete == false)
    let hub = EventHub()
    let reader = hub.subscribe()
    let page = Page<Totals>()
    try await withReaders([
      { try await follower.follow(into: hub, every: .milliseconds(1)) },
      { try await page.follow(follower.observedTotals(through: hub)) },
    ]) {
      while page.last?.messages != 600 || reader.depth == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(reader.takePending().contains { $0.event.requiresFullRequery })
      try await write(601...610)
      while page.last?.messages != 610 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(!reader.takePending().contains { $0.event.requiresFullRequery } && hub.counters.gaps <= 1)
    }
    try await follower.close()
    try await store.close()
  }

  @Test("a follower opens only what is there and belongs to the account, and changes nothing")
  func opening() async throws {
    let missing = await #expect(throws: StoreError.self) {
      _ = try await ProjectionFollower.open(path: directory.file("missing.db"))
    }
    #expect(missing?.kind == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: directory.file("missing.db")))
    let path = directory.file("one.db")
    let store = try await openStore(path)
    _ = try await store.apply(facts([CallbackLine.group("text", id: "m", seq: 1).bytes]))
    try await store.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let foreign = await #expect(throws: StoreError.self) {
      _ = try await ProjectionFollower.open(path: path, account: "someone else")
    }
    #expect(foreign?.kind == .foreignFile)
    let follower = try await ProjectionFollower.open(path: path)
    #expect(try await follower.totals().value.messages == 1)
    #expect(try await follower.messages(in: "sg_3027148891").value.count == 1)
    try await follower.close()
    let closed = await #expect(throws: StoreError.self) { _ = try await follower.totals() }
    #expect(closed?.kind == .closed)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }
}
