import Testing
import Weir
import WeirTesting

@Suite struct IntervalTests {
  private func ticks(
    _ simulation: Simulation, every period: Duration, startingAfter first: Duration? = nil, count: Int,
    pause: @escaping @Sendable (Tick) async throws -> Void
  ) async throws -> [Tick] {
    let log = Log<Tick>()
    let blueprint = try Blueprint("ticks") { graph in
      graph.interval("interval", every: period, startingAfter: first).take("some", count)
        .sink(
          "end",
          async: { (tick: Tick) in
            log.add(tick)
            try await pause(tick)
          })
    }
    try await blueprint.run(RunOptions(clock: GraphClock(simulation.clock)))
    return log.all
  }

  @Test func `ticks come on time and do not drift`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = simulation.clock
      let times = Log<Duration>()
      let all = try await ticks(simulation, every: .milliseconds(300), count: 50) { _ in times.add(clock.now.offset) }
      try simulation.require(all.map(\.number) == Array(1...50), "\(all)")
      try simulation.require(all.allSatisfy { $0.missed == 0 }, "\(all)")
      try simulation.require(times.all == (1...50).map { Duration.milliseconds(300) * $0 }, "\(times.all)")
    }
  }

  @Test func `the first tick may come at once or later`() throws {
    try forEachSeed(count: 5) { simulation in
      let start = simulation.clock.now.offset
      let now = try await ticks(simulation, every: .seconds(1), startingAfter: .zero, count: 2) { _ in }
      try simulation.require(now.map { $0.due + .zero } == [.zero, .seconds(1)], "\(now), start \(start)")
      let later = try await ticks(simulation, every: .seconds(1), startingAfter: .seconds(7), count: 2) { _ in }
      try simulation.require(later.map(\.number) == [1, 2], "\(later)")
      try simulation.require(simulation.clock.now.offset == start + .seconds(1 + 7 + 1), "\(simulation.clock.now)")
    }
  }

  @Test func `ticks missed by a slow consumer are counted and do not queue`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = simulation.clock
      let all = try await ticks(simulation, every: .seconds(1), count: 8) { _ in
        try await clock.sleep(for: .milliseconds(3_500))
      }
      for (one, next) in zip(all, all.dropFirst()) {
        try simulation.require(next.number == one.number + 1 + next.missed, "\(all)")
      }
      let missed = all.reduce(0) { $0 + $1.missed }
      try simulation.require(missed >= 8, "\(all)")
    }
  }

  @Test func `a drain ends an interval`() async throws {
    let blueprint = try Blueprint("drained") { graph in
      graph.interval("interval", every: .milliseconds(1)).collect("all")
    }
    let all = try await blueprint.run { live in
      while try live[live.handles].value.count < 3 { await Task.yield() }
      let report = await live.drain(deadline: .seconds(10))
      #expect(report.endedInTime)
      return try live[live.handles].value
    }
    for (one, next) in zip(all, all.dropFirst()) { #expect(next.number == one.number + 1 + next.missed) }
  }

  @Test func `periods that make no sense are faults`() {
    #expect(throws: GraphFaults.self) {
      try Blueprint("faulty") { graph in graph.interval("interval", every: .zero).ignore("end") }
    }
    #expect(throws: GraphFaults.self) {
      try Blueprint("faulty") { graph in
        graph.interval("interval", every: .seconds(1), startingAfter: .seconds(-1)).ignore("end")
      }
    }
  }
}
