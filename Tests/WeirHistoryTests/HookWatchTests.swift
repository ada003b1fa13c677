import Synchronization
import Testing
import Weir
import WeirHistory

/// The budgets of hooks and observers cost one timer, not one for each call.
@Suite(.timeLimit(.minutes(10))) struct HookWatchTests {
  /// The continuous clock, which notes how often somebody sleeps by it.
  private struct NotingClock: Clock {
    let sleeps = Notes<ContinuousClock.Instant>()
    var now: ContinuousClock.Instant { ContinuousClock().now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      sleeps.add(deadline)
      try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test(arguments: [nil, Duration.seconds(7_200)])
  func `a thousand calls within their budget are watched by one timer`(deadline: Duration?) async throws {
    let fixture = try HistoryFixture()
    defer { fixture.keep() }
    let history = try await fixture.open()
    try await history.register("app")
    for _ in 0..<20 { try await history.insert("a", as: "ext") }
    let clock = NotingClock()
    let observers = HistoryObservers(clock: GraphClock(clock))
    let calls = Notes<Int>()
    for _ in 0..<50 {
      observers.register(
        entity: "Person", operation: .insert, budget: HookBudget(patience: .seconds(3_600), deadline: deadline)
      ) {
        calls.add($0.count)
      }
    }
    let flow = try Blueprint("history") { graph in
      graph.source("history", HistorySource(history, author: "app"))
        .via("observers", observers)
        .via("merge hooks", HistoryMergeHooks())
        .via("default merge", HistoryMerge(history, into: []))
        .ignore("merged")
    }
    try await flow.run { live in
      try await eventually { try await history.cursor(of: "app").seq == 20 }
      live.abort()
    }
    #expect(calls.all.count == 1_000)
    #expect(clock.sleeps.all.count == 1)
    await history.close()
  }
}
