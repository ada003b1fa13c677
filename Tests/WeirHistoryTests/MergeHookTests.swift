import Foundation
import Testing
import Weir
import WeirHistory
import WeirStore

/// Merge hooks: cases 22–29 and gaps G1–G4 of the history spec, and the decisions beyond.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MergeHookTests {
  private struct Refusal: Error {}

  private func prepared() async throws -> (HistoryFixture, History, PassHarness) {
    let fixture = try HistoryFixture()
    let history = try await fixture.open()
    try await history.register("app")
    return (fixture, history, PassHarness(history))
  }

  private func projected(_ history: History) async throws -> String? {
    try await history.text("SELECT group_concat(name, ' ') FROM (SELECT name FROM projection ORDER BY id)")
  }

  @Test func `cases 22, 23: removal says whether it was registered`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let first = harness.hooks.register { _ in .goOn }
    #expect(harness.hooks.remove(first) && !harness.hooks.remove(first))
    let ids = (0..<3).map { _ in harness.hooks.register { _ in .goOn } }
    harness.hooks.removeAll()
    #expect(ids.map { harness.hooks.remove($0) } == [false, false, false])
    await history.close()
  }

  @Test func `cases 24, 26, 27, G4: hooks run in their order, one before another, and an unknown anchor is refused`()
    async throws
  {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    let a = harness.hooks.register {
      calls.add("a \($0.transactions.count)")
      return .goOn
    }
    harness.hooks.register { _ in
      calls.add("c")
      return .goOn
    }
    try harness.hooks.register(before: a) { _ in
      calls.add("b")
      return .goOn
    }
    #expect(throws: HistoryError.self) { try harness.hooks.register(before: UUID()) { _ in .goOn } }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(calls.all == ["b", "a 1", "c"])
    #expect(try await projected(history) == "Ann")
    await history.close()
  }

  @Test func `case 25, G3: finish skips later hooks and the default merge, and the position moves on`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<String>()
    harness.hooks.register { _ in .finish }
    harness.hooks.register { _ in
      calls.add("second")
      return .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(calls.all.isEmpty)
    #expect(try await projected(history) == "")
    #expect(try await history.cursor(of: "app").seq == 1)
    await history.close()
  }

  @Test func `case 28: a hook sees the transactions, their author and the targets`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let inputs = Notes<MergeHookInput>()
    let tracker = try await HistoryTracker(
      history, currentAuthor: "app", targets: [.rows("projection", PassHarness.project)], logLevel: .none)
    try tracker.registerMergeHook {
      inputs.add($0)
      return .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    #expect(inputs.all.count == 1 && inputs.all[0].transactions.map(\.author) == ["ext"])
    #expect(inputs.all[0].targets == ["projection"] && inputs.all[0].author == "app")
    await tracker.stopAndWait()
    await history.close()
  }

  @Test func `case 29: without hooks the default merge shows the row`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(try await projected(history) == "Ann")
    await history.close()
  }

  @Test(arguments: [0, 1, 2])
  func `G1: a throw in any hook leaves the position, and the batch comes again`(thrower: Int) async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let calls = Notes<Int>()
    for number in 0..<3 {
      harness.hooks.register(name: "hook \(number)") { input in
        calls.add(number)
        if number == thrower, input.attempt < 2 { throw Refusal() }
        return .goOn
      }
    }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    let once = Array(0...thrower)
    #expect(calls.all == once + once + [0, 1, 2])
    #expect(harness.failures.map(\.attempt) == [1, 2] && harness.failures.allSatisfy { $0.seqs == [1] })
    #expect(harness.failures.allSatisfy { ($0.cause as? HookFailure)?.hook == "hook \(thrower)" })
    #expect(try await projected(history) == "Ann")
    await history.close()
  }

  @Test func `G2: what fails for ever is put aside, and later transactions flow`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register { input in
      if input.transactions.contains(where: { $0.seq == 3 || $0.seq == 4 }) { throw Refusal() }
      return .goOn
    }
    for name in ["a", "b", "c", "d", "e", "f"] { try await history.insert(name, as: "ext") }
    try await harness.run()
    #expect(harness.deadLetters == [3, 4])
    #expect(try await projected(history) == "a b e f")
    let letters = try await history.deadLetters()
    #expect(letters.map(\.seq) == [3, 4] && letters.allSatisfy { $0.author == "app" && $0.attempts >= 3 })
    try await history.discardDeadLetters(of: "app", seqs: [3])
    #expect(try await history.deadLetters().map(\.seq) == [4])
    await history.close()
  }

  @Test func `a default merge that fails is a failure like a hook's`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    var harness = PassHarness(history)
    harness.targets = [
      .rows("strict") { connection, transactions in
        for change in transactions.flatMap(\.changes) {
          try connection.execute(
            "INSERT INTO projection SELECT id, nullif(name, 'bad') FROM person WHERE id = \(change.key[0])")
        }
      }
    ]
    for name in ["a", "bad", "c"] { try await history.insert(name, as: "ext") }
    try await harness.run()
    #expect(harness.deadLetters == [2])
    #expect(try await projected(history) == "a c")
    await history.close()
  }

  @Test func `a hook narrows the batch for those behind it`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let seen = Notes<[Int64]>()
    harness.hooks.register { input in .replace(input.transactions.filter { $0.author != "banned" }) }
    harness.hooks.register {
      seen.add($0.transactions.map(\.seq))
      return .goOn
    }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "banned")
    try await history.insert("c", as: "ext")
    try await harness.run()
    #expect(seen.all == [[1, 3]])
    #expect(try await projected(history) == "a c")
    #expect(try await history.cursor(of: "app").seq == 3)
    await history.close()
  }

  @Test func `a replacement by what is not in the batch, or out of order, is a failure`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register(name: "twister") { input in
      input.attempt == 0 ? .replace(input.transactions.reversed()) : input.attempt == 1 ? .reject(99, "") : .goOn
    }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(
      harness.failures.map { (($0.cause as? HookFailure)?.cause as? HistoryError)?.kind } == [
        .badDecision, .badDecision,
      ])
    #expect(try await projected(history) == "a b")
    await history.close()
  }

  @Test func `what is put off comes again later, with all that follows, in order`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    let seen = Notes<[Int64]>()
    let first = FirstTime()
    harness.hooks.register { input in
      seen.add(input.transactions.map(\.seq))
      return first.isFirst() ? .defer(for: .milliseconds(5), from: 2) : .goOn
    }
    for name in ["a", "b", "c"] { try await history.insert(name, as: "ext") }
    try await harness.run()
    #expect(seen.all == [[1, 2, 3], [1], [2, 3]])
    #expect(harness.merged == [1, 2, 3])
    #expect(try await projected(history) == "a b c")
    await history.close()
  }

  @Test func `a hook's statements commit with the merge, under its own author and with the cause`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register { _ in
      .goOn.writing("rename") { try $0.execute("UPDATE person SET name = upper(name) WHERE name = 'ann'") }
    }
    let start = try await history.now()
    try await history.insert("ann", as: "ext")
    try await harness.run()
    #expect(try await projected(history) == "ANN")
    let own = try await history.page(after: start, from: .everybody).transactions.last
    #expect(own?.author == "app" && own?.cause == 1 && own?.context == "merge")
    await history.close()
  }

  @Test func `what a hook wants to write for transactions that a later one puts off is written once`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register { input in
      let seqs = input.transactions.map(\.seq)
      return .goOn.writing("note") { connection in
        for seq in seqs { try connection.execute("INSERT INTO item VALUES ('seen', \(seq), '')") }
      }
    }
    let first = FirstTime()
    harness.hooks.register { _ in first.isFirst() ? .defer(for: .milliseconds(5), from: 2) : .goOn }
    for name in ["a", "b", "c"] { try await history.insert(name, as: "ext") }
    try await harness.run(until: { try await history.number("SELECT count(*) FROM item") == 3 })
    #expect(harness.failures.isEmpty)
    await history.close()
  }

  @Test func `a hook that throws a cancellation of its own is put aside like any other`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register { input in
      if input.transactions.contains(where: { $0.seq == 1 }) { throw CancellationError() }
      return .goOn
    }
    for name in ["a", "b"] { try await history.insert(name, as: "ext") }
    try await harness.run()
    #expect(harness.deadLetters == [1])
    #expect(try await projected(history) == "b")
    await history.close()
  }

  @Test func `what is longer than any clock can count is for ever, and traps nowhere`() async throws {
    let forever = Duration.seconds(Int64.max)
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register(budget: HookBudget(patience: forever, deadline: forever)) { _ in .goOn }
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(try await history.clean(keeping: HistoryKeeping(age: forever)).transactions == 0)
    let page = try await history.page(after: history.now(), from: .everybody, limit: .max)
    #expect(page.transactions.isEmpty)
    #expect(HistoryOptions(pageTransactions: .max).pageTransactions > 0)
    await history.close()
  }

  @Test func `a hook's statement that fails undoes the whole merge`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register { input in
      input.attempt == 0
        ? .goOn.writing("half") {
          try $0.execute("INSERT INTO projection VALUES (77, 'half')")
          throw Refusal()
        } : .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(harness.failures.count == 1)
    #expect(try await projected(history) == "Ann")
    await history.close()
  }

  @Test func `a hook past its deadline is reported, cancelled and counts as failed`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    harness.hooks.register(
      name: "sleeper", budget: HookBudget(patience: .milliseconds(1), deadline: .milliseconds(20))
    ) { input in
      if input.attempt == 0 { try await Task.sleep(for: .seconds(3_600)) }
      return .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await harness.run()
    #expect(harness.events.all.contains { if case .slowHook("sleeper", _) = $0 { true } else { false } })
    #expect(harness.failures.map { (($0.cause as? HookFailure)?.cause as? HistoryError)?.kind } == [.hookDeadline])
    #expect(try await projected(history) == "Ann")
    await history.close()
  }

  @Test func `a batch that a node throws away is a failure and comes again`() async throws {
    let (fixture, history, harness) = try await prepared()
    defer { fixture.keep() }
    try await history.insert("Ann", as: "ext")
    let drops = FirstTime()
    let flow = try Blueprint("careless") { graph in
      graph.source("history", HistorySource(history, author: "app", settings: harness.settings))
        .filter("careless") { _ in !drops.isFirst() }
        .via("hooks", harness.hooks)
        .via("merge", HistoryMerge(history, into: harness.targets))
        .sequence("merged")
    }
    try await flow.run { live in
      var merged = try live[live.handles].makeAsyncIterator()
      #expect(try await merged.next()?.cursor == 1)
      live.abort()
    }
    #expect(harness.failures.map { ($0.cause as? HistoryError)?.kind } == [.batchDropped])
    await history.close()
  }

  @Test func `targets outside the file are told after the commit, and one that fails stops no other`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    var harness = PassHarness(history)
    let told = Notes<Int64>()
    harness.targets += [
      .memory("broken") { _ in throw Refusal() },
      .memory("cache") { _ in told.add((try? await history.number("SELECT count(*) FROM projection")) ?? -1) },
    ]
    try await history.insert("a", "b", as: "ext")
    try await harness.run()
    #expect(told.all == [2])
    #expect(harness.events.all.contains { if case .targetFailed("broken", _) = $0 { true } else { false } })
    #expect(harness.failures.isEmpty)
    await history.close()
  }
}

/// True once.
final class FirstTime: Sendable {
  private let notes = Notes<Bool>()
  func isFirst() -> Bool {
    notes.add(true)
    return notes.all.count == 1
  }
}
