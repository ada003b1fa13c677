import Testing
import Weir
import WeirTesting

/// Cycles end by themselves, whatever lies in them and behind them.
@Suite struct FeedbackTests {
  private static let starts = [3, 0, 7, 1, 1, 5]

  @Test func `a cycle with a broadcast exit ends when it has run empty`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("countdown") { graph in
        let cycle = graph.feedback("again", graph.source("starts", Self.starts))
        let fork = cycle.outlet.via("less", Apply { $0 - 1 }).broadcast("fan")
        fork.first.via("above", Keep { $0 >= 0 }).feed(cycle.inlet)
        // A batch outside the cycle may hold elements until the end.
        return fork.second.via("below", Keep { $0 < 0 }).via("hold", HoldBack(4)).collect("done")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let done = try live[live.handles].value
        try simulation.require(done == Self.starts.map { _ in -1 }, "\(done)")
        if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
      }
    }
  }

  @Test(arguments: [Parallelism<Int>.serial, .ordered(3), .unordered(3), .lanes(2, by: { UInt64($0) })])
  func `a cycle through asynchronous calls ends`(parallel: Parallelism<Int>) throws {
    try runInSimulation(seeds: 25) { simulation, options in
      let blueprint = try Blueprint("calls") { graph in
        let ledger = graph.ledger()
        let starts = graph.source("starts", Self.starts).tracked("tracker", by: ledger)
        let cycle = graph.feedback("again", starts, limit: .elements(2))
        let fork = cycle.outlet.via("slow", SlowCall(clock: simulation.clock), parallel: parallel)
          .via("less", Apply { max(0, $0 - 1) }).broadcast("fan")
        fork.first.via("above", Keep { $0 > 0 }).feed(cycle.inlet)
        return (ledger, fork.second.via("zero", Keep { $0 == 0 }).fold("done", 0) { count, _ in count += 1 })
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let done = try live[live.handles.1].value
        try simulation.require(done == Self.starts.count, "\(done)")
        let ledger = try live[live.handles.0]
        try simulation.require(ledger.settledPrefix == 6 && ledger.counts[.lost] == nil, "\(ledger.counts)")
      }
    }
  }

  @Test func `a cycle through a process and a timed stage ends`() throws {
    try runInSimulation(seeds: 25) { simulation, options in
      let blueprint = try Blueprint("process") { graph in
        let cycle = graph.feedback("again", graph.source("starts", Self.starts))
        let fork = cycle.outlet.via("forward", Forward()).via("delay", Hold(time: .seconds(1)))
          .via("less", Apply { max(0, $0 - 1) }).broadcast("fan")
        fork.first.via("above", Keep { $0 > 0 }).feed(cycle.inlet)
        return fork.second.via("zero", Keep { $0 == 0 }).collect("done")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let done = try live[live.handles].value
        try simulation.require(done.count == Self.starts.count, "\(done)")
      }
    }
  }

  @Test func `a drain lets a cycle run empty, an abort does not wait for it`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let blueprint = try Blueprint("endless") { graph in
        let cycle = graph.feedback("again", graph.source("ticks", Ticks(clock: simulation.clock)))
        let fork = cycle.outlet.via("slow", Sleepy(clock: simulation.clock, time: .milliseconds(100)))
          .via("less", Apply { $0 - 1 }).broadcast("fan")
        fork.first.via("above", Keep { $0 >= 0 }).feed(cycle.inlet)
        return fork.second.via("below", Keep { $0 < 0 }).collect("done")
      }
      let drains = simulation.seed % 2 == 0
      try await blueprint.run(options) { live in
        try await simulation.clock.sleep(for: .milliseconds(4_500))
        if drains {
          let report = await live.drain(deadline: .seconds(60))
          try simulation.require(report.endedInTime)
          let done = try live[live.handles].value
          try simulation.require(done.count == 5, "\(done)")
        } else {
          live.abort()
        }
      }
    }
  }

  @Test func `a failure in a cycle ends the run`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("fails") { graph in
        let cycle = graph.feedback("again", graph.source("starts", [6, 9, 4]))
        let fork = cycle.outlet.via("refuse", RefusingOdd()).via("less", Apply { $0 - 1 }).broadcast("fan")
        fork.first.feed(cycle.inlet)
        return fork.second.collect("seen")
      }
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the run ended normally")
      } catch let failure as StageFailure {
        try simulation.require(failure.node == "refuse")
      }
    }
  }

  @Test func `a cycle that makes more than it lets out ends with a dropping way back`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let blueprint = try Blueprint("more") { graph in
        let cycle = graph.feedback(
          "again", graph.source("starts", [3, 3, 3, 3]), limit: .elements(2), policy: .dropOldest)
        let fork = cycle.outlet.via("split", Splitting()).broadcast("fan")
        fork.first.via("above", Keep { $0 > 0 }).feed(cycle.inlet)
        return fork.second.collect("seen")
      }
      let snapshot = try await blueprint.run(options)
      if let imbalance = snapshot.imbalance { try simulation.require(false, imbalance) }
    }
  }
}

/// Two of the next lower number for each.
struct Splitting: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    emit(element - 1)
    emit(element - 1)
  }
}
