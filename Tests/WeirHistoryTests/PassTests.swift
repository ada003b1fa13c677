import Synchronization
import Testing
import Weir
import WeirHistory
import WeirStore

/// Whole passes through the graph and through the tracker.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PassTests {
  private static func project(_ connection: Connection, _ transactions: [HistoryTransaction]) throws {
    let put = try connection.prepare(
      "INSERT INTO projection SELECT id, name FROM person WHERE id = ?1 ON CONFLICT (id) DO UPDATE SET name = excluded.name"
    )
    for change in transactions.flatMap(\.changes) where change.entity == "Person" && change.operation != .delete {
      guard case .integer(let id) = change.key[0] else { continue }
      put.bind(id, at: 1)
      try put.run()
    }
  }

  @Test func `the six steps are a graph of ten lines`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    let seen = Mutex<[String]>([])
    let observers = HistoryObservers()
    observers.register(entity: "Person", operation: .insert) { contexts in
      seen.withLock { $0.append("\(contexts.count) by \(contexts[0].author ?? "nobody")") }
    }
    let hooks = HistoryMergeHooks()
    hooks.register { input in
      input.transactions.count > 1 ? .reject(2, "not wanted") : .goOn
    }
    try await history.insert("Ann", "Bo", as: "ext")
    try await history.insert("Cy", as: "ext")
    try await history.insert("own", as: "app")
    let flow = try Blueprint("history") { graph in
      graph.source("history", HistorySource(history, author: "app"))
        .via("observers", observers)
        .via("merge hooks", hooks)
        .via("default merge", HistoryMerge(history, into: [.rows("projection", Self.project)]))
        .sequence("merged")
    }
    try await flow.run { live in
      var merged = try live[live.handles].makeAsyncIterator()
      let first = try await merged.next()
      #expect(first?.transactions.map(\.seq) == [1] && first?.cursor == 3)
      live.abort()
    }
    #expect(seen.withLock { $0 } == ["2 by ext", "1 by ext"])
    #expect(try await history.cursor(of: "app").seq == 3)
    #expect(try await history.deadLetters().map(\.seq) == [2])
    let names = try await history.text("SELECT group_concat(name) FROM projection")
    #expect(names == "Ann,Bo")
    await history.close()
  }

  @Test func `a tracker merges a backlog at its start and what comes later, and ends when it is released`() async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("before", as: "ext")
    var tracker: HistoryTracker? = try await HistoryTracker(
      history, currentAuthor: "app", targets: [.rows("projection", Self.project)], logLevel: .none)
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    try await history.insert("after", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 2 }
    weak let released = tracker
    tracker = nil
    #expect(released == nil)
    try await history.insert("unseen", as: "ext")
    #expect(try await history.cursor(of: "app").seq == 2)
    await history.close()
  }

  @Test func `a hook that fails for one transaction alone sends it to the dead letters, and the rest flows`()
    async throws
  {
    struct Poison: Error {}
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    for number in 1...40 { try await history.insert("p\(number)", as: "ext") }
    let tracker = try await HistoryTracker(
      history, currentAuthor: "app", targets: [.rows("projection", Self.project)], logLevel: .none, autoStart: false)
    try tracker.registerMergeHook { input in
      if input.transactions.contains(where: { $0.seq == 23 }) { throw Poison() }
      return .goOn
    }
    tracker.start()
    try await eventually { try await history.cursor(of: "app").seq == 40 }
    #expect(try await history.deadLetters().map(\.seq) == [23])
    let merged = try await history.number("SELECT count(*) FROM projection")
    #expect(merged == 39)
    await tracker.stopAndWait()
    await history.close()
  }
}
