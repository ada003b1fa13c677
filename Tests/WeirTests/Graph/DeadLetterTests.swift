import Testing
import Weir
import WeirTesting

/// Dead letters in every place a user may wire them to.
@Suite struct DeadLetterTests {
  @Test(arguments: [Parallelism<DeadLetter>.serial, .ordered(2), .unordered(2), .lanes(2, by: { $0.node })])
  func `letters handled by parallel workers end with the rest`(parallel: Parallelism<DeadLetter>) throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("letters") { graph in
        graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).ignore("end")
        return graph.deadLetters().via("look", LetterValue(), parallel: parallel).collect("dead")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let dead = try live[live.handles].value
        try simulation.require(dead.sorted() == [1, 3, 5, 7, 9], "\(dead)")
      }
    }
  }

  @Test func `letters merged with what went well all arrive`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("merged") { graph in
        let good = graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip)
        return graph.merge("all", good, graph.deadLetters().via("look", LetterStage())).collect("end")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all.sorted() == Array(0..<10), "\(all)")
      }
    }
  }

  @Test func `a join that waits for the letters of what it joins them with is a fault`() throws {
    let shapes: [@Sendable (GraphBuilder, consuming Outlet<Int>, consuming Outlet<Int>) -> Void] = [
      { graph, good, dead in graph.zip("join", good, dead).ignore("end") },
      { graph, good, dead in graph.zip("join", good.boundary("hop"), dead).ignore("end") },
      { graph, good, dead in graph.sortedMerge("join", dead, good.boundary("hop"), by: <).ignore("end") },
      { graph, good, dead in graph.concat("join", dead, good.boundary("hop")).ignore("end") },
      { graph, good, dead in graph.concat("join", good, dead).ignore("end") },
      { graph, good, dead in
        graph.zip("join", good.boundary("drops", policy: .dropOldest).map("late") { $0 }, dead).ignore("end")
      },
      { graph, good, dead in
        let fork = good.broadcast("fan")
        fork.first.ignore("also")
        graph.zip("join", graph.merge("both", fork.second, dead), graph.source("other", 0..<3).boundary("hop"))
          .ignore("end")
      },
    ]
    for (index, wire) in shapes.enumerated() {
      do {
        _ = try Blueprint("waits for itself") { graph in
          let good = graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip)
          wire(graph, good, graph.deadLetters("dead").via("look", LetterStage()))
        }
        Issue.record("shape \(index) is not found")
      } catch {
        #expect(error.faults.map(\.kind) == [.starvingJoin], "shape \(index): \(error)")
        #expect(error.faults.first?.node == "join" && error.faults.first?.location != nil)
        #expect(error.faults.first?.message.contains("\"dead\"") == true)
      }
    }
  }

  @Test func `joins that letters reach in time are no faults, and end`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("in turn") { graph in
        let good = graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).boundary(
          "hop", limit: .elements(1))
        return graph.concat("join", good, graph.deadLetters().via("look", LetterStage())).collect("all")
      }
      let all = try await blueprint.result(options)
      try simulation.require(all == [0, 2, 4, 6, 8, 1, 3, 5, 7, 9], "\(all)")
      let lossy = try Blueprint("lossy") { graph in
        let good = graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).boundary(
          "hop", limit: .elements(1), policy: .dropOldest)
        return graph.zip("join", good, graph.deadLetters()).collect("pairs")
      }
      let pairs = try await lossy.result(options)
      try simulation.require((1...5).contains(pairs.count), "\(pairs)")
    }
  }

  @Test func `letters through timed nodes and priorities end`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("places") { graph in
        graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).ignore("end")
        return graph.prioritizedMerge("by priority", 2) { input in
          if input == 1 { return graph.source("other", [100]) }
          return graph.deadLetters().via("look", LetterStage()).via("hold", Hold(time: .seconds(1)))
        }.collect("dead")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let dead = try live[live.handles].value
        try simulation.require(dead.sorted() == [1, 3, 5, 7, 9, 100], "\(dead)")
      }
    }
  }

  @Test func `a failure behind the outlet feeds nothing back`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("behind") { graph in
        graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).ignore("end")
        return graph.deadLetters().via("look", LetterStage()).via("again", RefusingOdd(), supervision: .skip)
          .collect("dead")
      }
      let snapshot = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return live.snapshot()
      }
      try simulation.require(snapshot[node: "again"]?.discarded == 5)
      try simulation.require(snapshot[node: "even"]?.deadLettered == 5)
      if let imbalance = snapshot.imbalance { try simulation.require(false, imbalance) }
    }
  }

  @Test func `a full outlet drops its oldest letters and delays nobody`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("full") { graph in
        let all = graph.source("numbers", 0..<100).via("even", RefusingOdd(), supervision: .skip).collect("end")
        graph.deadLetters("dead", limit: .elements(4)).sink(
          "slow",
          async: { _ in
            try await simulation.clock.sleep(for: .seconds(1))
          })
        return all
      }
      let snapshot = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return live.snapshot()
      }
      let link = snapshot[link: "dead"]
      try simulation.require(
        link?.counters.accepted == 50 && (link?.counters.overflowed ?? 0) > 0, "\(String(describing: link))")
      if let imbalance = snapshot.imbalance { try simulation.require(false, imbalance) }
    }
  }
}

struct LetterValue: AsyncStage {
  mutating func process(_ element: DeadLetter, _ emit: (Int) -> Void) async {
    await Task.yield()
    if let value = element.element as? Int { emit(value) }
  }
}

struct LetterStage: Stage {
  mutating func process(_ element: DeadLetter, _ emit: (Int) -> Void) {
    if let value = element.element as? Int { emit(value) }
  }
}
