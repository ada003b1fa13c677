import Testing
import Weir
import WeirTesting

/// Looking into a running graph, and adjusting it.
@Suite struct TapTests {
  @Test func `a tap shows what its node emits and never makes the graph wait`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("tapped") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).via("double", Doubling()).collect("all")
      }
      try await blueprint.run(options) { live in
        let tap = try live.tap("dou*")
        let idle = try live.tap("*", capacity: 2)
        try await simulation.clock.sleep(for: .milliseconds(4_500))
        await live.drain(deadline: .seconds(1))
        var seen: [Int] = []
        for try await sample in tap { seen.append(sample.element as? Int ?? -1) }
        let all = try live[live.handles].value
        try simulation.require(!seen.isEmpty && all.suffix(seen.count).elementsEqual(seen), "\(seen) of \(all)")
        try simulation.require(tap.nodes == ["double"] && tap.skipped == 0)
        try simulation.require(idle.nodes == ["ticks", "double", "all"] && idle.skipped > 0)
        tap.close()
        tap.close()
      }
    }
  }

  @Test func `every kind of node between source and sink can be tapped`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let blueprint = try Blueprint("kinds") { graph in
        let stop = graph.killSwitch("stop")
        let ledger = graph.ledger()
        let started = graph.source("gate", of: Int.self) { output in
          try await simulation.clock.sleep(for: .seconds(1))
          for element in 0..<6 { await output.send(element) }
        }
        let fork = started.tracked("tracked", by: ledger).via("stage", Doubling()).via("timed", Hold(time: .seconds(1)))
          .boundary("boundary").via("async", SlowEcho()).via("ordered", SlowEcho(), parallel: .ordered(2))
          .via("chunked", ChunkEcho()).via("process", Forward()).killable("killable", by: stop).broadcast("broadcast")
        let cycle = graph.feedback("feedback", fork.first)
        let turn = cycle.outlet.broadcast("turn")
        turn.first.via("never", Nothing()).feed(cycle.inlet)
        let merged = graph.merge("merge", turn.second, graph.source("none", [Int]()))
        let concat = graph.concat("concat", merged, graph.source("nothing", [Int]()))
        let sorted = graph.sortedMerge("sorted", concat, graph.source("empty", [Int]()), by: <)
        let first = graph.prioritizedMerge("prioritized", 1) { _ in graph.source("copy", 0..<6) }
        fork.second.ignore("other end")
        let latest = graph.combineLatest("latest", sorted, first)
        latest.via("sum", Apply { $0.0 + $0.1 }).route("route", [true], by: { $0 >= 0 }) { _, leg in leg.ignore("end") }
      }
      let silent: Set = ["never", "none", "nothing", "empty", "end", "other end"]
      try await blueprint.run(options) { live in
        var taps: [Tap] = []
        for node in blueprint.nodes { taps.append(try live.tap(node.name, capacity: 100)) }
        await live.waitUntilEnded()
        for tap in taps {
          var count = 0
          for try await sample in tap {
            count += 1
            try simulation.require(tap.nodes == [sample.node])
          }
          try simulation.require((count > 0) != silent.contains(tap.nodes[0]), "\(tap.nodes): \(count) samples")
        }
      }
    }
  }

  @Test func `a tap after the end ends at once, one of no node is refused`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let blueprint = try Blueprint("over") { graph in graph.source("numbers", 0..<5).collect("all") }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let late = try live.tap("numbers")
        for try await _ in late { try simulation.require(false, "a sample after the end") }
        for (pattern, capacity) in [("nobody", 4), ("n*x", 4), ("numbers", 0)] {
          do {
            _ = try live.tap(pattern, capacity: capacity)
            try simulation.require(false, "\(pattern) was accepted")
          } catch let error as RunError {
            try simulation.require(["unknown-node", "bad-limit"].contains(error.code))
          }
        }
      }
    }
  }

  @Test func `limits change while the graph runs`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("limits") { graph in
        graph.source("numbers", 0..<100).boundary("narrow", limit: .elements(2))
          .via("slow", Sleepy(clock: simulation.clock, time: .seconds(1))).collect("all")
      }
      try await blueprint.run(options) { live in
        await simulation.settle()
        try simulation.require(live.snapshot()[link: "narrow"]?.depth ?? 0 <= 2)
        try live.setLimit(.elements(50), of: "narrow")
        await simulation.settle()
        let wide = live.snapshot()[link: "narrow"]
        try simulation.require(wide?.depth == 50 && wide?.limit == .elements(50), "\(String(describing: wide))")
        try live.setLimit(.elements(1), of: "narrow")
        await simulation.settle()
        try simulation.require(live.snapshot()[link: "narrow"]?.depth == 50, "shrinking discards nothing")
        #expect(throws: RunError.unknownLink("wide")) { try live.setLimit(.elements(1), of: "wide") }
        #expect(throws: RunError.self) { try live.setLimit(.elements(0), of: "narrow") }
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == Array(0..<100), "\(all)")
      }
    }
  }

  @Test func `a handle of another blueprint is refused`() async throws {
    let other = try Blueprint("other") { graph in
      _ = graph.killSwitch("a")
      return graph.source("numbers", 0..<5).fold("sum", 0) { $0 += $1 }
    }
    let blueprint = try Blueprint("this") { graph in graph.source("numbers", 0..<5).collect("all") }
    try await blueprint.run { live in
      let refused = #expect(throws: RunError.self) { _ = try live[other.handles] }
      #expect(refused == .unknownHandle)
    }
  }
}
