import ChatFixtures
import Foundation
import Testing
import WeirStore

@testable import WeirChat

/// Real processes that are killed, or refused space by the kernel, in the middle of their work.
@Suite("Crashes and full disks")
struct CrashTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("after kill -9 everything acknowledged is there, and delivering again gives the content of an undisturbed run")
  func killed() async throws {
    let count = 1_500
    for round in 0..<UInt64(soak(6, 200)) {
      let batch = [1, 16, 64][Int(round % 3)]
      let path = directory.file("killed-\(round).db")
      // The kill falls on an acknowledgement that differs by round, so that it hits commits, checkpoints and waits.
      var random = SeededRandom(round)
      let acknowledged = try runAndKill(
        ["ingest", path, "\(round)", "\(count)", "\(batch)"], after: 1 + random.below(count / batch / 2))
      #expect(acknowledged > 0 && acknowledged < count, "round \(round)")

      let facts = try facts(ChatScript.lines(seed: round, count: count))
      let store = try await openStore(path)
      #expect(try await store.audit().value == [])
      // Nothing acknowledged is new to the store.
      for start in stride(from: 0, to: acknowledged, by: 256) {
        let again = try await store.apply(Array(facts[start..<min(start + 256, acknowledged)]))
        #expect(again.inserted == 0 && again.advanced == 0 && again.recalled == 0, "round \(round)")
        #expect(again.orphaned == 0 && again.changes.isEmpty, "round \(round)")
      }
      _ = try await store.apply(facts)
      #expect(try await store.audit().value == [])

      let undisturbed = try await openStore(directory.file("undisturbed-\(round).db"))
      _ = try await undisturbed.apply(facts)
      let hashes = (try await store.contentHash().value, try await undisturbed.contentHash().value)
      #expect(hashes.0 == hashes.1, "round \(round)")
      try await store.close()
      try await undisturbed.close()
    }
  }

  @Test(
    "kill -9 during a replay with edits, recalls and receipts: what was acknowledged is there, and after going on from the checkpoint the content is that of an undisturbed run"
  )
  func killedReplay() async throws {
    let (kills, count) = (soak(5, 50), soak(2_500, 200_000))
    let path = directory.file("replay.db")
    var random = SeededRandom(8)
    var done = 0
    for round in 0..<kills {
      let batch = [1, 7, 64][round % 3]
      let share = (count - done) / (kills - round + 1)
      let acknowledged = try runAndKill(
        ["replay", path, "8", "\(count)", "\(batch)"], after: 1 + random.below(max(share / batch, 1)))
      let store = try await openStore(path)
      let position = try #require(try await store.checkpoint(of: "script").value)
      done = try #require(Int(String(decoding: position, as: UTF8.self)))
      // Facts and position go together: at most one transaction was durable but not yet acknowledged.
      #expect(done >= acknowledged && done <= acknowledged + batch, "round \(round)")
      // The audit reads the whole file: in the long form of this test now and then.
      if kills < 10 || round % 10 == 0 { #expect(try await store.audit().value == [], "round \(round)") }
      try await store.close()
    }
    #expect(try run(["replay", path, "8", "\(count)", "256"]).hasSuffix("finished\n"))
    let store = try await openStore(path)
    let undisturbed = try await openStore(directory.file("undisturbed.db"))
    let facts = try FactScript.facts(seed: 8, count: count)
    for start in stride(from: 0, to: facts.count, by: 256) {
      _ = try await undisturbed.apply(Array(facts[start..<min(start + 256, facts.count)]))
    }
    #expect(try await store.contentHash().value == undisturbed.contentHash().value)
    #expect(try await store.audit().value == [])
    try await store.close()
    try await undisturbed.close()
  }

  @Test(
    "kill -9 while the index is brought on: its watermark holds, nothing is doubled or missed, and what is searched for is found"
  )
  func killedIndexer() async throws {
    let (kills, count) = (soak(6, 60), 1_500)
    let path = directory.file("search.db")
    var random = SeededRandom(21)
    var done = 0
    var watermarks: Set<Int64> = []
    for round in 0..<kills {
      let share = max((count - done) / (kills - round + 1) / 16, 1)
      _ = try runAndKill(["search", path, "21", "\(count)", "16"], after: 1 + random.below(share))
      var options = SQLiteMessageStore.Options()
      options.indexesInPauses = false
      let store = try await SQLiteMessageStore.open(path: path, account: ChatScript.account, options: options)
      let position = try await store.checkpoint(of: "script").value
      done = try #require(Int(String(decoding: position ?? [], as: UTF8.self)))
      #expect(try await store.audit().value == [], "round \(round)")
      watermarks.insert(
        try await store.readers.read { (reader) throws(StoreError) in try SearchState(reader.connection).upTo }.value)
      let plain = try await openStore(directory.file("plain-\(round).db"))
      _ = try await plain.apply(Array(try FactScript.facts(seed: 21, count: count).prefix(done)))
      for isIndexed in [false, true] {
        if isIndexed, round % 2 == 1 { try await store.finishSearchIndex() }
        for text in ["call", "出发", "收到", "edited", "li", "👍"] {
          let query = SearchQuery(text, limit: 1_000)
          let (found, wanted) = (try await store.search(query).value, try await plain.search(query).value)
          #expect(Set(found.hits.map(\.clientMsgID)) == Set(wanted.hits.map(\.clientMsgID)), "round \(round) \(text)")
          #expect(found.hits.count == wanted.hits.count)
        }
      }
      #expect(try await store.audit().value == [], "round \(round)")
      try await store.close()
      try await plain.close()
    }
    // The kills fell while the index was on its way, not only before or after.
    #expect(watermarks.count > 2)
  }

  @Test("when files cannot grow the commit is refused, the rest stays readable, and work goes on when space returns")
  func fileLimit() async throws {
    let path = directory.file("full.db")
    let output = try run(["fill", path, "5", "300000"])
    let lines = output.split(separator: "\n")
    #expect(lines.count == 2, "\(output)")
    let words = lines[0].split(separator: " ")
    #expect(words[0] == "refused" && ["store.io", "store.disk-full"].contains(words[1]), "\(output)")
    #expect(lines[0].hasSuffix("findings 0"))
    let facts = try facts(ChatScript.lines(seed: 5, count: 3_000))
    #expect(lines[1] == "done \(facts.count)")

    let store = try await openStore(path)
    let undisturbed = try await openStore(directory.file("undisturbed.db"))
    _ = try await undisturbed.apply(facts)
    #expect(try await store.contentHash().value == undisturbed.contentHash().value)
    #expect(try await store.audit().value == [])
    try await store.close()
    try await undisturbed.close()
  }

  @Test("an index of texts that finds no room stays behind, everything is found, and it is finished when space returns")
  func indexLimit() async throws {
    let path = directory.file("full.db")
    let output = try run(["index", path, "5", "150000"])
    let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
    guard lines.count == 2, lines[0].count == 10, lines[1].count == 9 else {
      Issue.record("\(output)")
      return
    }
    #expect(lines[0][0] == "refused" && ["store.io", "store.disk-full"].contains(lines[0][1]), "\(output)")
    #expect(Int(lines[0][3]) ?? 0 > 0, "the index was finished before the files were full: \(output)")
    let plain = try await openStore(directory.file("plain.db"))
    _ = try await plain.apply(facts(ChatScript.lines(seed: 5, count: 3_000)))
    let wanted = try await plain.search(SearchQuery("收到", limit: 10_000, tailLimit: 10_000)).value.hits
    #expect(wanted.count > 10)
    #expect(lines[0][4...].joined(separator: " ") == "hits \(wanted.count) unsearched 0 findings 0")
    #expect(lines[1].joined(separator: " ") == "done behind 0 hits \(wanted.count) unsearched 0 findings 0")
    let store = try await openStore(path)
    #expect(try await store.contentHash().value == plain.contentHash().value)
    #expect(try await store.audit().value == [])
    try await store.close()
    try await plain.close()
  }

  /// Starts the probe and kills it right after it has acknowledged `after` times; the last number it printed.
  private func runAndKill(_ arguments: [String], after: Int) throws -> Int {
    let (process, output) = try start(arguments)
    var text = ""
    while text.count(where: { $0 == "\n" }) < after {
      let data = output.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
    kill(process.processIdentifier, SIGKILL)
    text += String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal, "\(text.suffix(200))")
    return text.split(separator: "\n").compactMap { Int($0) }.max() ?? 0
  }

  private func run(_ arguments: [String]) throws -> String {
    let (process, output) = try start(arguments)
    let text = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    return text
  }

  private func start(_ arguments: [String]) throws -> (Process, FileHandle) {
    let process = Process()
    // The probe is built beside the test bundle.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("StoreKillProbe")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    return (process, pipe.fileHandleForReading)
  }
}
