import Foundation
import Testing
import Weir
import WeirHistory
import WeirStore

/// Cleaning: cases 2, 33–37 and 41–44, gaps G15–G17 and G20 of the history spec.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CleaningTests {
  private func prepared(_ readers: String...) async throws -> (HistoryFixture, History) {
    let fixture = try HistoryFixture()
    let history = try await fixture.open()
    for reader in readers { try await history.register(reader) }
    return (fixture, history)
  }

  private func seqs(_ history: History) async throws -> String {
    try await history.text("SELECT coalesce(group_concat(seq), '') FROM history_txn") ?? ""
  }

  @Test func `case 2: what is before a date goes, the rest stays`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    try await history.insert("a", as: "ext")
    try await history.insert("b", as: "ext")
    try fixture.raw("UPDATE history_log SET wall = (id >> 26) * 1000000 WHERE nonce IS NOT NULL")
    try await history.catchUp("app")
    let cleaning = try await history.clean(keeping: HistoryKeeping(since: Date(timeIntervalSince1970: 1_500)))
    #expect(cleaning.transactions == 1 && cleaning.heldBack == .keeping)
    #expect(try await seqs(history) == "2")
    await history.close()
  }

  @Test func `case 33: none keeps everything`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    let harness = PassHarness(history)
    for name in ["a", "b"] {
      try await history.insert(name, as: "ext")
      try await harness.run()
    }
    #expect(try await seqs(history) == "1,2")
    await history.close()
  }

  @Test func `case 34, G15: a duration allows one cleaning, also across a restart`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    var harness = PassHarness(history)
    harness.settings.cleaning = .byDuration(.seconds(3_600))
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(try await seqs(history) == "")
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(try await seqs(history) == "2")
    await history.close()
    let again = try await fixture.open()
    var next = PassHarness(again)
    next.settings.cleaning = .byDuration(.seconds(3_600))
    try await again.insert("c", as: "ext")
    try await next.run()
    #expect(try await seqs(again) == "2,3")
    // A clock that was set back forbids nothing for good.
    try fixture.raw("UPDATE history_store SET cleaned_at = 99999999999999")
    try await again.insert("d", as: "ext")
    try await next.run()
    #expect(try await seqs(again) == "")
    await again.close()
  }

  @Test(arguments: [2, 0])
  func `case 35, G15: every so many passes, and less than one is one`(count: Int) async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    var made = PassHarness(history)
    made.settings.cleaning = .byNotification(count)
    let harness = made
    async let passes: Void = harness.run(until: {
      harness.cleanings.count == 1 && harness.merged.count == max(count, 1)
    })
    try await history.insert("a", as: "ext")
    try await eventually { harness.merged.count == 1 }
    if count == 2 {
      #expect(try await seqs(history) == "1" && harness.cleanings.isEmpty)
      try await history.insert("b", as: "ext")
    }
    try await passes
    #expect(try await seqs(history) == "" && harness.cleanings.map(\.transactions) == [max(count, 1)])
    await history.close()
  }

  @Test func `case 36, G17: a reader that has not read holds back the passes and the manual cleaner alike`()
    async throws
  {
    let (fixture, history) = try await prepared("app", "third")
    defer { fixture.keep() }
    var harness = PassHarness(history)
    harness.settings.cleaning = .byNotification(1)
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(try await seqs(history) == "1" && harness.cleanings.isEmpty)
    let cleaning = try await history.clean()
    #expect(cleaning.transactions == 0 && cleaning.heldBack == .reader("third"))
    #expect(try await history.forecastCleaning().heldBack == .reader("third"))
    await history.close()
  }

  @Test func `case 37: an author that only writes holds nothing back`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    try await history.register("batch", as: .writeOnly)
    try await history.insert("a", as: "batch")
    try await history.catchUp("app")
    #expect(try await history.clean().transactions == 1)
    await history.close()
  }

  @Test func `an exporter that stands still is never passed`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    try await history.register("upload", as: .exporter)
    for name in ["a", "b", "c"] { try await history.insert(name, as: "ext") }
    try await history.catchUp("app")
    #expect(try await history.clean().transactions == 0)
    try await history.catchUp("upload")
    #expect(try await history.clean().transactions == 3)
    await history.close()
  }

  @Test func `cases 41, 42, 44: up to the lowest position, and rows are untouched`() async throws {
    let (fixture, history) = try await prepared("one", "two", "three")
    defer { fixture.keep() }
    for (name, reader) in [("a", "one"), ("b", "two"), ("c", "three")] {
      try await history.insert(name, as: "ext")
      try await history.catchUp(reader)
    }
    let forecast = try await history.forecastCleaning()
    #expect(forecast.transactions == 1 && forecast.heldBack == .reader("one"))
    let cleaning = try await history.clean()
    #expect(cleaning.transactions == 1 && cleaning.purgedThrough == 1)
    #expect(try await seqs(history) == "2,3")
    #expect(try await history.number("SELECT count(*) FROM person") == 3)
    #expect(try await history.number("SELECT count(*) FROM history_change") == 2)
    await history.close()
  }

  @Test func `cases 38–40: the limit is the lowest position of all readers, and none where one has none`() async throws
  {
    let (fixture, history) = try await prepared("one", "two")
    defer { fixture.keep() }
    try await history.register("batch", as: .writeOnly)
    for name in ["a", "b", "c"] { try await history.insert(name, as: "batch") }
    try await history.catchUp("one")
    #expect(try await history.forecastCleaning().limit == 0)
    try await history.catchUp("two")
    #expect(try await history.forecastCleaning().limit == 3)
    try await history.insert("d", as: "batch")
    try await history.catchUp("one")
    let forecast = try await history.forecastCleaning()
    #expect(forecast.limit == 3 && forecast.heldBack == .reader("two"))
    await history.close()
  }

  @Test func `case 43: where nobody reads, nothing goes`() async throws {
    let (fixture, history) = try await prepared()
    defer { fixture.keep() }
    try await history.insert("a", as: "ext")
    let cleaning = try await history.clean()
    #expect(cleaning.transactions == 0 && cleaning.heldBack == .noReader)
    await history.close()
  }

  @Test func `G16: a permission is used up only where something could go`() async throws {
    let (fixture, history) = try await prepared("app", "third")
    defer { fixture.keep() }
    var harness = PassHarness(history)
    harness.settings.cleaning = .byDuration(.seconds(3_600))
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(try await seqs(history) == "1")
    try await history.retire("third")
    try await history.insert("b", as: "ext")
    try await harness.run()
    #expect(try await seqs(history) == "")
    await history.close()
  }

  @Test func `age and number are kept, and the age is that of the oldest from there on`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    for number in 1...6 { try await history.insert("\(number)", as: "ext") }
    try await history.catchUp("app")
    #expect(try await history.clean(keeping: HistoryKeeping(age: .seconds(600))).transactions == 0)
    // The third is written after a clock was set back.
    try fixture.raw("UPDATE history_log SET wall = 1000 WHERE id >> 26 IN (1, 3) AND entity IS NULL")
    #expect(try await history.clean(keeping: HistoryKeeping(age: .seconds(600))).transactions == 1)
    let cleaning = try await history.clean(keeping: HistoryKeeping(count: 2))
    #expect(cleaning.transactions == 3 && cleaning.heldBack == .keeping)
    #expect(try await seqs(history) == "5,6")
    await history.close()
  }

  @Test func `C35: a cleaning that fails is no failure of the pass`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    try fixture.raw(
      "CREATE TRIGGER kept BEFORE UPDATE OF purged_through ON history_store BEGIN SELECT RAISE(ABORT, 'not now'); END")
    var harness = PassHarness(history)
    harness.settings.cleaning = .byNotification(1)
    try await history.insert("a", as: "ext")
    try await harness.run()
    #expect(harness.merged == [1] && harness.failures.isEmpty && harness.cleanings.isEmpty)
    #expect(harness.events.all.contains { if case .cleaningFailed = $0 { true } else { false } })
    #expect(try await history.cursor(of: "app").seq == 1)
    #expect(try await seqs(history) == "1")
    await history.close()
  }

  @Test func `stamps of the future keep nothing for ever, and a clock that is behind deletes nothing early`()
    async throws
  {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    for number in 1...6 { try await history.insert("\(number)", as: "ext") }
    try await history.catchUp("app")
    let keeping = HistoryKeeping(age: .seconds(600))
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    func stamp(_ walls: [Int64]) throws {
      for (index, wall) in walls.enumerated() {
        try fixture.raw(
          "UPDATE history_log SET wall = \(wall) WHERE id >> 26 = \(index + 1) AND entity IS NULL AND wall NOT NULL")
      }
    }
    let (old, future) = (now - 3_600_000, now + 86_400_000_000)
    // Our clock is behind all of them, or they are as young as can be.
    try stamp([future, future, future, future, future, future])
    #expect(try await history.forecastCleaning(keeping: keeping).transactions == 0)
    // Written ahead of time, before one that is young, and at the end.
    try stamp([old, future, future, now, old, future])
    #expect(try await history.forecastCleaning(keeping: keeping).transactions == 1)
    try stamp([old, old, future, old, old, future])
    #expect(try await history.forecastCleaning(keeping: keeping).transactions == 5)
    // What follows it has aged.
    try stamp([future, old, future, old, future, old])
    #expect(try await history.clean(keeping: keeping).transactions == 6)
    await history.close()
  }

  @Test func `a pin holds back until it is taken away`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    for number in 1...4 { try await history.insert("\(number)", as: "ext") }
    try await history.catchUp("app")
    try await history.pin("export", after: 2)
    let cleaning = try await history.clean()
    #expect(cleaning.transactions == 2 && cleaning.heldBack == .pin("export"))
    await #expect(throws: HistoryError.self) { try await history.pin("late", after: 1) }
    try await history.unpin("export")
    #expect(try await history.clean().transactions == 2)
    await history.close()
  }

  @Test func `numbers go on after everything is purged, and the position at the end stays valid`() async throws {
    let (fixture, history) = try await prepared("app")
    defer { fixture.keep() }
    try await history.insert("a", as: "ext")
    try await history.catchUp("app")
    let token = try await history.cursor(of: "app")
    #expect(try await history.clean().transactions == 1)
    #expect(try await history.status(of: token) == .valid(behind: 0))
    try fixture.raw("INSERT INTO person (name) VALUES ('raw')")
    #expect(try await history.insert("b", as: "ext") == 3)
    let page = try await history.page(after: token, from: .everybody)
    #expect(page.transactions.map { $0.changes.map(\.key) } == [[[.integer(2)]], [[.integer(3)]]])
    await history.close()
  }

  @Test func `G20: cleaning under load leaves no reader a gap`() async throws {
    let (fixture, history) = try await prepared("fast", "slow")
    defer { fixture.keep() }
    let count = 400
    var harnesses: [PassHarness] = []
    for name in ["fast", "slow"] {
      var harness = PassHarness(history, as: name)
      harness.targets = []
      harness.settings.cleaning = .byNotification(1)
      harnesses.append(harness)
    }
    harnesses[1].hooks.register { _ in
      try await Task.sleep(for: .milliseconds(3))
      return .goOn
    }
    let all = harnesses
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for number in 0..<(count / 2) { try await history.insert("\(writer) \(number)", as: "writer \(writer)") }
        }
      }
      for harness in all {
        group.addTask { try await harness.run(until: { harness.merged.count == count }) }
      }
      try await group.waitForAll()
    }
    for harness in all { #expect(harness.merged == Array(1...Int64(count))) }
    #expect(all.contains { !$0.cleanings.isEmpty })
    #expect(try await history.clean().purgedThrough == Int64(count))
    await history.close()
  }
}
