import Testing
import Weir
import WeirTesting

@Suite struct RateLimiterTests {
  @Test func `graphs that share a limiter keep its rate together`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = GraphClock(simulation.clock)
      let limiter = try RateLimiter(Rate(10, per: .seconds(1)), clock: clock)
      let log = Log<Duration>()
      let blueprint = try Blueprint("shared") { graph in
        for index in 0..<2 {
          graph.source("numbers\(index)", 0..<30).rateLimit("limit\(index)", limiter)
            .sink("log\(index)") { _ in log.add(clock.now) }
        }
      }
      async let one: GraphSnapshot = blueprint.run(RunOptions(clock: clock))
      async let other: GraphSnapshot = blueprint.run(RunOptions(clock: GraphClock(simulation.clock)))
      _ = try await (one, other)
      let times = log.all.sorted()
      try simulation.require(times.count == 120, "\(times.count) elements")
      for (index, time) in times.enumerated() {
        try simulation.require(time >= .milliseconds(100) * index, "element \(index) came at \(time)")
      }
      try simulation.require(
        times.last.map { $0 < .milliseconds(12_000) } == true, "it took until \(times.last as Any)")
    }
  }

  @Test func `a faster rate takes effect while an element waits`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = GraphClock(simulation.clock)
      let limiter = try RateLimiter(Rate(1, per: .seconds(3_600)), clock: clock)
      let blueprint = try Blueprint("adjusted") { graph in
        graph.source("numbers", 0..<5).rateLimit("limit", limiter).collect("all")
      }
      try await blueprint.run(RunOptions(clock: clock)) { live in
        try await simulation.clock.sleep(for: .seconds(10))
        try limiter.setRate(Rate(1, per: .seconds(1)))
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == Array(0..<5), "\(all)")
      }
      try simulation.require(clock.now < .seconds(20), "it took until \(clock.now)")
    }
  }

  @Test func `a run that is over is forgotten`() async throws {
    let limiter = try RateLimiter(Rate(1_000_000, per: .seconds(1), burst: 100))
    final class Witness: Sendable {}
    weak var seen: Witness?
    do {
      let witness = Witness()
      seen = witness
      let blueprint = try Blueprint("once") { graph in
        graph.source("numbers", 0..<50).rateLimit("limit", limiter).sink("end") { _ in _ = witness }
      }
      try await blueprint.run()
    }
    #expect(seen == nil)
    try limiter.setRate(Rate(2, per: .seconds(1)))
    #expect(limiter.rate == Rate(2, per: .seconds(1)))
  }

  @Test func `a bad rate leaves the old one in force`() throws {
    let limiter = try RateLimiter(Rate(5, per: .seconds(1)))
    #expect(throws: RateFault.self) { try limiter.setRate(Rate(-5, per: .seconds(1))) }
    #expect(limiter.rate.count == 5)
  }

  @Test func `a run is aborted while an element waits for its token`() async throws {
    let blueprint = try Blueprint("abort") { graph in
      graph.source("numbers", 0..<5).rateLimit("limit", 1, per: .seconds(3_600)).collect("all")
    }
    try await blueprint.run { live in
      while try live[live.handles].value.isEmpty { await Task.yield() }
      live.abort()
      await live.waitUntilEnded()
      let all = try live[live.handles].value
      #expect(all == [0])
    }
  }
}
