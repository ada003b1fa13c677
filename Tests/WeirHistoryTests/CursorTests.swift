import Foundation
import Testing
import Weir
import WeirHistory
import WeirStore

/// Positions, authors and tokens: cases 1–3, 5, 38–40, 51, 53, 54, 57, 60 and 61, gaps G5, G6, G8, G10, G13, G14, G18, G19.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CursorTests {
  private func kind(_ body: () async throws -> Void) async -> HistoryError.Kind? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? HistoryError)?.kind
    }
  }

  @Test func `case 1: what others wrote, and exactly that`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let start = try await history.now()
    for author in ["App1", "App2", "App1", "App3"] { try await history.insert(author, as: author) }
    #expect(try await history.page(after: start, from: .everybody(but: "App2")).transactions.map(\.seq) == [1, 3, 4])
    #expect(
      try await history.page(after: start, from: .only(["App1", "App2"], but: "App2")).transactions.map(\.seq) == [
        1, 3,
      ])
    await history.close()
  }

  @Test func `cases 3, 5, 53, 60: two readers process what a third wrote, and each stands at the head`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    for name in ["App1", "App2"] { try await history.register(name) }
    for number in 1...10 { try await history.insert("n\(number)", as: "App3") }
    for name in ["App1", "App2"] {
      let harness = PassHarness(history, as: name)
      try await harness.run()
      #expect(harness.merged == Array(1...10))
      #expect(try await history.cursor(of: name).seq == 10)
    }
    #expect(try await history.number("SELECT count(*) FROM projection") == 10)
    await history.close()
  }

  @Test func `cases 51, 54, 57: a cache is stale before the merge and fresh after, and every target is served`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("App2")
    try await history.insert("old", as: "App1")
    let cache = Notes<String>()
    var harness = PassHarness(history, as: "App2")
    harness.targets += [
      .memory("first cache") { _ in cache.add("1 " + ((try? await history.text("SELECT name FROM person")) ?? "?")) },
      .memory("second cache") { _ in cache.add("2 " + ((try? await history.text("SELECT name FROM person")) ?? "?")) },
    ]
    try await harness.run()
    try await history.run("UPDATE person SET name = 'new'", as: "App1")
    #expect(cache.all == ["1 old", "2 old"])
    try await harness.run()
    #expect(cache.all == ["1 old", "2 old", "1 new", "2 new"])
    #expect(try await history.text("SELECT name FROM projection") == "new")
    await history.close()
  }

  @Test func `a new reader begins now, or where it says, and never replays silently`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    for name in ["a", "b", "c"] { try await history.insert(name, as: "ext") }
    #expect(try await history.register("now") == 3)
    #expect(try await history.register("late", start: .after(1)) == 1)
    #expect(try await history.register("late") == 1)
    #expect(await kind { try await history.register("beyond", start: .after(4)) } == .expired)
    let harness = PassHarness(history, as: "late")
    try await harness.run()
    #expect(harness.merged == [2, 3])
    await history.close()
  }

  @Test func `roles are kept, and one that wrote before may become a reader`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.insert("a", as: "app")
    #expect(try await history.register("app") == 1)
    #expect(await kind { try await history.register("app", as: .exporter) } == .roleConflict)
    #expect(try await history.register("import", as: .writeOnly) == nil)
    #expect(await kind { _ = try await history.cursor(of: "import") } == .unknownAuthor)
    #expect(await kind { _ = try await history.cursor(of: "nobody") } == .unknownAuthor)
    let authors = try await history.authors()
    #expect(authors.map(\.name) == ["app", "import"] && authors.map(\.role) == [.consumer, .writeOnly])
    await history.close()
  }

  @Test func `G5: whoever would hear nobody is refused`() async throws {
    #expect(throws: HistoryError.self) { try AuthorFilter.only([], but: "app") }
    #expect(throws: HistoryError.self) { try AuthorFilter.only(["app"], but: "app") }
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    #expect(
      await kind { _ = try await HistoryTracker(history, currentAuthor: "app", allAuthors: ["app"]) }
        == .noForeignAuthor)
    await history.close()
  }

  @Test func `G6: what nobody signed reaches every reader, also one that names whom it hears`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try fixture.raw("INSERT INTO person (name) VALUES ('raw')")
    try await history.insert("unlisted", as: "other")
    var harness = PassHarness(history)
    harness.settings.filter = try .only(["ext"], but: "app")
    try await harness.run()
    #expect(harness.merged == [1])
    await history.close()
  }

  @Test func `only own writes: the position follows the head, and no hook is asked`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    let harness = PassHarness(history)
    let calls = Notes<Int>()
    harness.hooks.register { _ in
      calls.add(1)
      return .goOn
    }
    for number in 0..<600 { try await history.insert("\(number)", as: "app") }
    try await harness.run(until: { try await history.cursor(of: "app").seq >= 512 })
    #expect(calls.all.isEmpty)
    await history.close()
  }

  @Test func `G8: two passes of one author at once merge each transaction once`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var options = HistoryOptions()
    options.pageTransactions = 5
    let history = try await fixture.open(options: options)
    let other = try await fixture.open(options: options)
    try await history.register("app")
    for number in 0..<100 { try await history.insert("\(number)", as: "ext") }
    var first = PassHarness(history)
    var second = PassHarness(other)
    let count: @Sendable (Connection, [HistoryTransaction]) throws -> Void = { connection, transactions in
      for transaction in transactions {
        try connection.execute("INSERT INTO item VALUES ('merged', \(transaction.seq), '')")
      }
    }
    first.targets = [.rows("count", count)]
    second.targets = [.rows("count", count)]
    let (one, two) = (first, second)
    let done: @Sendable () async throws -> Bool = { one.merged.count + two.merged.count >= 100 }
    async let left: Void = one.run(until: done)
    async let right: Void = two.run(until: done)
    _ = try await (left, right)
    #expect(try await history.number("SELECT count(*) FROM item") == 100)
    #expect(first.failures.isEmpty && second.failures.isEmpty)
    #expect((first.merged + second.merged).sorted() == Array(1...100))
    await history.close()
    await other.close()
  }

  @Test func `a position never goes back, whoever tries`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("a", as: "ext")
    try await history.catchUp("app")
    #expect(throws: StoreError.self) { try fixture.raw("UPDATE history_author SET cursor = 0") }
    #expect(throws: StoreError.self) {
      try fixture.raw("UPDATE history_store SET purged_through = 1; UPDATE history_store SET purged_through = 0")
    }
    #expect(try await history.cursor(of: "app").seq == 1)
    await history.close()
  }

  @Test func `G13, G14: clocks that stand still or step back change nothing`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    for name in ["a", "b", "c"] { try await history.insert(name, as: "ext") }
    try fixture.raw(
      "UPDATE history_log SET wall = iif(id >> 26 = 1, 5000, 1000) WHERE nonce IS NOT NULL")
    let harness = PassHarness(history)
    try await harness.run()
    #expect(harness.merged == [1, 2, 3])
    await history.close()
  }

  @Test func `case 61: the position survives a restart`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    try await history.register("app")
    try await history.insert("a", as: "ext")
    try await history.catchUp("app")
    let token = try await history.cursor(of: "app")
    await history.close()
    history = try await fixture.open()
    #expect(try await history.cursor(of: "app") == token)
    #expect(try await history.status(of: token) == .valid(behind: 0))
    #expect(HistoryToken(token.description) == token)
    await history.close()
  }

  @Test func `a token that is not a token is refused, not trapped on`() {
    for text in ["", "h1", "h1....", "h1.zz.1.2.3", "h2." + String(repeating: "0", count: 32) + ".1.0.0", "h1.\u{0}"] {
      #expect(HistoryToken(text) == nil)
    }
    #expect(HistoryToken("h1." + String(repeating: "0", count: 32) + ".-1.0.0") == nil)
    #expect(HistoryToken("h1." + String(repeating: "0", count: 32) + ".1.99999999999999999999.0") == nil)
  }

  @Test func `G18: an expired reader rebuilds from the rows, and ghosts go`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("stays", "goes", as: "ext")
    try await history.catchUp("app")
    try await PassHarness(history).run()
    try fixture.raw("INSERT INTO projection SELECT id, name FROM person")
    // Offline for longer than the history is kept: retired, purged, back.
    try await history.retire("app")
    try await history.register("other")
    try await history.run("DELETE FROM person WHERE name = 'goes'", as: "ext")
    try await history.catchUp("other")
    #expect(try await history.clean().transactions == 2)
    #expect(await kind { _ = try await history.cursor(of: "app") } == .retired)
    var harness = PassHarness(history)
    harness.settings.rebuild = { connection in
      try connection.execute("DELETE FROM projection; INSERT INTO projection SELECT id, name FROM person")
    }
    try await history.insert("new", as: "ext")
    try await harness.run(until: {
      try await history.text("SELECT group_concat(name) FROM projection") == "stays,new"
    })
    #expect(harness.merged.isEmpty)
    #expect(try await history.cursor(of: "app").seq == 3)
    await history.close()
  }

  @Test(arguments: ["cursor = 99", "cursor_nonce = 5"])
  func `G18, report 6: a corrupt position is expired and rebuilt, never replayed`(damage: String) async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    try await history.catchUp("app")
    try fixture.raw("UPDATE history_author SET \(damage) WHERE name = 'app'")
    var harness = PassHarness(history)
    await #expect(throws: (any Error).self) { try await harness.run(until: { false }) }
    harness.settings.rebuild = {
      try $0.execute("DELETE FROM projection; INSERT INTO projection SELECT id, name FROM person")
    }
    try await harness.run(until: { try await history.number("SELECT count(*) FROM projection") == 2 })
    #expect(harness.merged.isEmpty)
    #expect(try await history.cursor(of: "app").seq == 2)
    await history.close()
  }

  @Test func `G19: tokens of another, an older or a rewritten store are told apart`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    try await history.insert("a", as: "ext")
    await history.close()
    let copy = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
    history = try await fixture.open()
    try await history.insert("b", as: "ext")
    let token = try await history.now()
    await history.close()
    // A restored backup: first without what the token has seen, then with other content under its number.
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }
    try copy.write(to: URL(fileURLWithPath: fixture.path))
    history = try await fixture.open()
    #expect(try await history.status(of: token) == .rewritten)
    try await history.insert("c", as: "ext")
    #expect(try await history.status(of: token) == .rewritten)
    #expect(await kind { _ = try await history.page(after: token, from: .everybody) } == .rewritten)
    let present = try await history.now()
    try await history.declareRestored()
    #expect(try await history.status(of: present) == .rewritten)
    let other = try HistoryFixture()
    defer { other.keep() }
    let stranger = try await other.open()
    #expect(try await stranger.status(of: token) == .wrongStore)
    await stranger.close()
    await history.close()
  }

  @Test func `recording cannot be taken away while a reader lives`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    #expect(await kind { try await history.stopRecording() } == .liveCursor)
    try await history.retire("app")
    try await history.stopRecording()
    try fixture.raw("INSERT INTO person (name) VALUES ('free')")
    await history.close()
  }

  @Test func `pages go on as the history does, and end with it`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let start = try await history.now()
    let seen = Notes<Int64>()
    async let reading: Void = {
      for try await page in history.pages(after: start) {
        for transaction in page.transactions { seen.add(transaction.seq) }
      }
    }()
    for number in 0..<20 { try await history.insert("\(number)", as: "ext") }
    try await eventually { seen.all.count == 20 }
    #expect(seen.all == Array(1...20))
    await history.close()
    try await reading
  }
}
