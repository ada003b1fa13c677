import Synchronization
import Testing
import Weir
import WeirHistory
import WeirStore

/// Hooks and targets that fail for a while, for every transaction: nothing is given up for their sake.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OutageTests {
  private struct Away: RetryableError { var isRetryable: Bool { true } }
  private struct Silent: Error {}
  private struct Poison: Error {}

  private func prepared(_ count: Int) async throws -> (HistoryFixture, History, PassHarness) {
    let fixture = try HistoryFixture()
    let history = try await fixture.open()
    try await history.register("app")
    for number in 1...count { try await history.insert("p\(number)", as: "ext") }
    return (fixture, history, PassHarness(history))
  }

  @Test(arguments: [false, true])
  func `what an error calls retryable is tried for as long as it lasts`(inTarget: Bool) async throws {
    var (fixture, history, harness) = try await prepared(5)
    defer { fixture.keep() }
    let failures = Notes<Int>()
    // More than any number of tries that would end in dead letters.
    @Sendable func fail() throws {
      guard failures.all.count < 6 else { return }
      failures.add(1)
      throw Away()
    }
    if inTarget {
      harness.targets.append(.rows("remote") { _, _ in try fail() })
    } else {
      harness.hooks.register { _ in
        try fail()
        return .goOn
      }
    }
    try await harness.run()
    #expect(try await history.deadLetters().isEmpty)
    #expect(harness.merged == [1, 2, 3, 4, 5])
    #expect(harness.failures.map(\.attempt) == [1, 2, 3, 4, 5, 6])
    let delays = harness.failures.map(\.delay)
    #expect(zip(delays, delays.dropFirst()).allSatisfy { $1 == $0 * 2 })
    await history.close()
  }

  @Test(arguments: [false, true])
  func `a hook or target that fails for every transaction is at fault itself, and none is given up`(inTarget: Bool)
    async throws
  {
    var (fixture, history, harness) = try await prepared(5)
    defer { fixture.keep() }
    let events = harness.events
    // Away until it was told twice that all fail.
    @Sendable func fail() throws {
      if events.all.filter({ if case .stalled = $0 { true } else { false } }).count < 2 { throw Silent() }
    }
    if inTarget {
      harness.targets.append(.rows("remote") { _, _ in try fail() })
    } else {
      harness.hooks.register { _ in
        try fail()
        return .goOn
      }
    }
    try await harness.run()
    #expect(try await history.deadLetters().isEmpty)
    #expect(harness.merged == [1, 2, 3, 4, 5])
    let delays = events.all.compactMap { if case .stalled(let failure) = $0 { failure.delay } else { nil } }
    #expect(delays.count == 2 && delays[0] < delays[1])
    await history.close()
  }

  @Test func `an outage that ends while the faulty one is looked for costs nobody`() async throws {
    // Wherever in the search it ends.
    for calls in [3, 4, 5, 6, 7, 8, 9, 10, 11] {
      let (fixture, history, harness) = try await prepared(5)
      defer { fixture.keep() }
      let asked = Notes<Int>()
      harness.hooks.register { _ in
        asked.add(1)
        if asked.all.count <= calls { throw Silent() }
        return .goOn
      }
      try await harness.run()
      #expect(try await history.deadLetters().isEmpty, "after \(calls) calls")
      #expect(harness.merged == [1, 2, 3, 4, 5])
      await history.close()
    }
  }

  @Test func `one that fails among others is given up after three attempts of its own, though it is the first`()
    async throws
  {
    let (fixture, history, harness) = try await prepared(6)
    defer { fixture.keep() }
    let alone = Notes<Int64>()
    let observed = Notes<Int64>()
    harness.observers.register(entity: "Person", operation: .insert, phase: .afterCommit) { contexts in
      observed.add(contexts[0].delivery.seq)
    }
    harness.hooks.register { input in
      let seqs = input.transactions.map(\.seq)
      if seqs.count == 1 { alone.add(seqs[0]) }
      if seqs.contains(where: { $0 == 1 || $0 == 2 || $0 == 6 }) { throw Poison() }
      return .goOn
    }
    try await harness.run()
    let letters = try await history.deadLetters()
    #expect(letters.map(\.seq) == [1, 2, 6])
    #expect(letters.allSatisfy { $0.attempts == 3 })
    #expect(alone.all.filter { $0 == 1 }.count == 3)
    #expect(harness.merged == [3, 4, 5] && observed.all == [3, 4, 5])
    let rows = try await history.text("SELECT group_concat(name, ' ') FROM (SELECT name FROM projection ORDER BY id)")
    #expect(rows == "p3 p4 p5")
    await history.close()
  }
}
