import Synchronization
import Testing
import Weir
import WeirHistory
import WeirStore

/// How a run ends while a batch is under way.
@Suite(.serialized, .timeLimit(.minutes(15))) struct EndingTests {
  /// A reader whose hook waits until it is let go.
  private func waiting(_ history: History, _ goOn: Notes<Void>) -> PassHarness {
    var harness = PassHarness(history)
    harness.settings.cleaning = .byNotification(1)
    harness.hooks.register { _ in
      while goOn.all.isEmpty, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      try Task.checkCancellation()
      return .goOn
    }
    return harness
  }

  private func flow(_ harness: PassHarness) throws -> Blueprint<Void> {
    try Blueprint("history") { graph in
      graph.source("history", HistorySource(harness.history, author: "app", settings: harness.settings))
        .via("observers", harness.observers)
        .via("merge hooks", harness.hooks)
        .via("default merge", HistoryMerge(harness.history, into: harness.targets))
        .ignore("merged")
    }
  }

  @Test func `a run that is drained while a hook thinks merges the batch, tells of it and cleans behind it`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("Ann", as: "ext")
    let (goOn, asked) = (Notes<Void>(), Notes<Void>())
    let harness = waiting(history, goOn)
    harness.observers.register(entity: "Person", operation: .insert) { _ in asked.add(()) }
    try await flow(harness).run { live in
      try await eventually { !asked.all.isEmpty }
      async let drained = live.drain(deadline: .seconds(60))
      // Long enough for the drain to have begun, in nearly every run.
      try await Task.sleep(for: .milliseconds(50))
      goOn.add(())
      _ = await drained
    }
    #expect(harness.merged == [1])
    #expect(harness.cleanings.map(\.transactions) == [1])
    #expect(try await history.text("SELECT name FROM projection") == "Ann")
    await history.close()
  }

  @Test func `G11: a run that is aborted while a hook thinks fails nothing, and the batch comes again`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    try await history.insert("Ann", as: "ext")
    let (goOn, asked) = (Notes<Void>(), Notes<Void>())
    let harness = waiting(history, goOn)
    harness.observers.register(entity: "Person", operation: .insert) { _ in asked.add(()) }
    try? await flow(harness).run { live in
      try await eventually { !asked.all.isEmpty }
      live.abort()
      await live.waitUntilEnded()
    }
    #expect(harness.merged.isEmpty && harness.failures.isEmpty)
    #expect(try await history.cursor(of: "app").seq == 0)
    goOn.add(())
    try await harness.run()
    #expect(harness.merged == [1] && asked.all.count == 2)
    await history.close()
  }

  private final class Lines: HistoryLogger {
    let all = Notes<String>()
    func log(_ kind: HistoryLogKind, _ message: String) { all.add("\(kind.rawValue): \(message)") }
  }

  @Test func `closing the history while a hook thinks is no failure: nothing is logged, and the batch comes again`()
    async throws
  {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    var history = try await fixture.open()
    let (asked, closed, lines) = (Notes<Void>(), Notes<Void>(), Lines())
    let tracker = try await HistoryTracker(
      history, currentAuthor: "app", targets: [.rows("people") { _, _ in }], logger: lines, logLevel: .detailed)
    try tracker.registerMergeHook { _ in
      asked.add(())
      while closed.all.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      return .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await eventually { !asked.all.isEmpty }
    await history.close()
    closed.add(())
    // Long enough for the pass to have ended by itself, in nearly every run.
    try await Task.sleep(for: .milliseconds(100))
    await tracker.stopAndWait()
    #expect(lines.all.all.filter { $0.hasPrefix("error") || $0.hasPrefix("fault") } == [])
    history = try await fixture.open()
    #expect(try await history.cursor(of: "app").seq == 0)
    await history.close()
  }

  @Test func `a batch that is put off whole is not told as merged`() async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    let (asked, lines) = (Notes<Void>(), Lines())
    let tracker = try await HistoryTracker(
      history, currentAuthor: "app", logger: lines, logLevel: .detailed)
    try tracker.registerMergeHook { _ in
      defer { asked.add(()) }
      return asked.all.isEmpty ? .defer(for: .milliseconds(5)) : .goOn
    }
    try await history.insert("Ann", as: "ext")
    try await eventually { try await history.cursor(of: "app").seq == 1 }
    await tracker.stopAndWait()
    #expect(lines.all.all.contains { $0.contains("put off") })
    #expect(lines.all.all.filter { $0.contains("merged") } == ["info: app: merged 1 transactions, the position is 1"])
    await history.close()
  }
}
