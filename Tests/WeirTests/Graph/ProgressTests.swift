import Testing
import Weir
import WeirTesting

/// Graphs that must not come to a stand-still, whatever their limits are and however they change.
@Suite struct ProgressTests {
  struct Broken: Error {}

  @Test func `a cycle that gains nothing ends at any limit`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      var generator = simulation.generator("limit")
      let limit = generator.number(in: 1...40)
      let blueprint = try Blueprint("halving") { graph in
        let loop = graph.feedback("loop", graph.source("numbers", 0..<500), limit: .elements(limit))
        let fork = loop.outlet.map("half") { $0 / 2 }
          .broadcast("fan", first: Leg("again", limit: .elements(7)), second: Leg("done", limit: .elements(3)))
        fork.first.filter("not yet") { $0 > 0 }.feed(loop.inlet)
        return fork.second.filter("zero") { $0 == 0 }.fold("count", 0) { count, _ in count += 1 }
      }
      let count = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return try live[live.handles].value
      }
      try simulation.require(count == 500, "\(count) of 500 came out")
    }
  }

  @Test func `a cycle at standard limits ends on real threads`() async throws {
    let blueprint = try Blueprint("halving") { graph in
      let loop = graph.feedback("loop", graph.source("numbers", 0..<30_000))
      let fork = loop.outlet.map("half") { $0 / 2 }.broadcast("fan")
      fork.first.filter("not yet") { $0 > 0 }.feed(loop.inlet)
      return fork.second.filter("zero") { $0 == 0 }.fold("count", 0) { count, _ in count += 1 }
    }
    let count = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(count == 30_000)
  }

  @Test(arguments: [Supervision.skip, .restart(Backoff(attempts: nil)), .retry(Backoff(), then: .skip)])
  func `a zip behind a leg that may give elements up is a fault`(supervision: Supervision) {
    #expect(throws: GraphFaults.self) {
      try Blueprint("starves") { graph in
        let fork = graph.source("numbers", 0..<10).broadcast("fan")
        let left = fork.first.map("may fail", supervision: supervision) { number in
          if number % 2 == 0 { throw Broken() }
          return number
        }
        graph.zip("zip", left, fork.second).ignore("end")
      }
    }
  }

  @Test func `a zip behind legs that all drop is allowed, since its fan-out never waits`() throws {
    _ = try Blueprint("drops") { graph in
      let fork = graph.source("numbers", 0..<10)
        .broadcast("fan", first: Leg("a", policy: .dropOldest), second: Leg("b", policy: .dropNewest))
      graph.zip("zip", fork.first.filter("some") { $0 > 3 }, fork.second).ignore("end")
    }
  }

  @Test func `a zip behind a broadcast keeps going while both limits change`() throws {
    try runInSimulation(seeds: 12) { simulation, options in
      let blueprint = try Blueprint("shrinks") { graph in
        let fork = graph.source("numbers", 0..<3_000).broadcast("fan", first: Leg("a"), second: Leg("b"))
        return graph.zip("zip", fork.first, fork.second).fold("count", 0) { count, _ in count += 1 }
      }
      let count = try await blueprint.run(options) { live in
        var generator = simulation.generator("limits")
        while !live.isEnded {
          try live.setLimit(.elements(generator.number(in: 1...300)), of: "fan.a")
          try live.setLimit(.elements(generator.number(in: 1...300)), of: "fan.b")
          await simulation.pause("change", atMost: 6)
          await Task.yield()
        }
        return try live[live.handles].value
      }
      try simulation.require(count == 3_000, "\(count) pairs")
    }
  }

  @Test func `a source that sends for ever is drained, and what it had in hand arrives`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let blueprint = try Blueprint("endless") { graph in
        let sent = RunCounter()
        return (
          sent,
          graph.source("loop", of: Int.self, limit: .elements(3)) { output in
            while await output.send(sent.value) { sent.next() }
          }.collect("all")
        )
      }
      let (sent, all, report) = try await blueprint.run(options) { live in
        while live.handles.0.value < 10 { await Task.yield() }
        let report = await live.drain(deadline: .seconds(5))
        return (live.handles.0.value, try live[live.handles.1].value, report)
      }
      try simulation.require(report.endedInTime, "the drain was not in time")
      try simulation.require(all == Array(0..<sent), "\(all.count) of \(sent) arrived")
    }
  }

  @Test(arguments: [Int.max, Int.min, Int.max / 2, -1]) func `no weight overflows`(weight: Int) async throws {
    let blueprint = try Blueprint("heavy") { graph in
      graph.source("numbers", 0..<100).boundary("hop", limit: .bytes(.max), weigh: { _ in weight })
        .fold("count", 0) { count, _ in count += 1 }
    }
    let count = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(count == 100)
  }

  @Test func `deadlines and waits beyond all times are cut, not trapped on`() async throws {
    let longest = Duration.seconds(Int64.max)
    let blueprint = try Blueprint("long") { graph in
      graph.source("numbers", 0..<100).map("fails", supervision: .retry(Backoff(initial: longest), then: .skip)) {
        if $0 == 50 { throw Broken() }
        return $0
      }.collect("all")
    }
    try await blueprint.run(RunOptions(failureGrace: longest)) { live in
      // Long enough for the node to be in its wait; were it not, the test would still hold.
      try await Task.sleep(for: .milliseconds(50))
      live.abort()
      let report = await live.drain(deadline: longest)
      #expect(report.endedInTime)
    }
  }

  @Test func `more lanes or legs than can be carried are a fault`() {
    #expect(throws: GraphFaults.self) {
      try Blueprint("lanes") { graph in
        graph.source("numbers", 0..<10).lanes("lanes", .max, by: { "\($0)" }) { _, lane in lane }.ignore("end")
      }
    }
    #expect(throws: GraphFaults.self) {
      try Blueprint("legs") { graph in
        graph.source("numbers", 0..<10).balance("balance", legs: 1_000_000) { leg, outlet in outlet.ignore("\(leg)") }
      }
    }
  }
}
