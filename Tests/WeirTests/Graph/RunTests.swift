import Testing
import Weir

struct Doubling: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(element * 2) }
}

struct Odd: Error, Equatable { let value: Int }

struct RefusingOdd: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
    if element % 2 == 1 { throw Odd(value: element) }
    emit(element)
  }
}

struct SlowEcho: AsyncStage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async {
    if element % 7 == 0 { await Task.yield() }
    emit(element)
  }
}

@Suite struct RunTests {
  @Test func `a chain delivers every element in order`() async throws {
    let blueprint = try Blueprint("chain") { graph in
      graph.source("numbers", 0..<10_000).via("double", Doubling()).boundary("hop").collect("all")
    }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(all == (0..<10_000).map { $0 * 2 })
  }

  @Test(arguments: [Parallelism<Int>.serial, .ordered(4), .unordered(4), .lanes(3, by: { UInt64($0) })])
  func `an asynchronous stage handles every element`(parallel: Parallelism<Int>) async throws {
    let blueprint = try Blueprint("async") { graph in
      graph.source("numbers", 0..<2_000).via("echo", SlowEcho(), parallel: parallel).collect("all")
    }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(all.sorted() == Array(0..<2_000))
    if case .ordered = parallel { #expect(all == Array(0..<2_000)) }
  }

  @Test func `merge, broadcast, balance and zip carry everything`() async throws {
    let blueprint = try Blueprint("joins") { graph in
      let merged = graph.merge("merge", graph.source("a", 0..<1_000), graph.source("b", 1_000..<2_000))
      let fork = merged.broadcast("fan")
      let one = fork.first.fold("sum", 0) { $0 += $1 }
      let balanced = fork.second
      var sums: [Handle<RunResult<Int>>] = []
      balanced.balance("share", legs: 3) { leg, outlet in sums.append(outlet.fold("leg\(leg)", 0) { $0 += $1 }) }
      let pairs = graph.zip("zip", graph.source("x", 0..<100), graph.source("y", 100..<1_000)).collect("pairs")
      return (one, sums, pairs)
    }
    try await blueprint.run { live in
      await live.waitUntilEnded()
      let (one, sums, pairs) = live.handles
      let total = try live[one].value
      #expect(total == 1_999_000)
      let parts = try sums.map { try live[$0].value }
      #expect(parts.reduce(0, +) == 1_999_000)
      let differences = try live[pairs].value.map { $0.1 - $0.0 }
      #expect(differences == Array(repeating: 100, count: 100))
    }
  }

  @Test func `a failure arrives after what was emitted before it`() async throws {
    let blueprint = try Blueprint("fails") { graph in
      graph.source("numbers", [2, 4, 6, 7, 8]).via("even", RefusingOdd()).boundary("hop").collect("all")
    }
    await #expect(throws: StageFailure.self) {
      try await blueprint.run { live in
        await live.waitUntilEnded()
        let seen = try live[live.handles].value
        #expect(seen == [2, 4, 6])
      }
    }
  }

  @Test func `skipped failures become dead letters`() async throws {
    let blueprint = try Blueprint("skips") { graph in
      let all = graph.source("numbers", 0..<10).via("even", RefusingOdd(), supervision: .skip).collect("all")
      let dead = graph.deadLetters().collect("dead")
      return (all, dead)
    }
    let snapshot = try await blueprint.run { live in
      await live.waitUntilEnded()
      let all = try live[live.handles.0].value
      let dead = try live[live.handles.1].value.map { $0.element as? Int }
      #expect(all == [0, 2, 4, 6, 8])
      #expect(dead == [1, 3, 5, 7, 9])
      return live.snapshot()
    }
    let even = try #require(snapshot[node: "even"])
    #expect(
      even.elementsIn + even.created == even.elementsOut + even.filtered + even.merged + even.discarded
        + even.deadLettered + even.inFlight)
    #expect(even.deadLettered == 5)
  }

  @Test func `an endless source is drained`() async throws {
    let blueprint = try Blueprint("endless") { graph in
      graph.source("ticks", of: Int.self) { output in
        var next = 0
        while !Task.isCancelled {
          await output.send(next)
          next += 1
          try await Task.sleep(for: .milliseconds(1))
        }
      }.collect("all")
    }
    let (all, report) = try await blueprint.run { live in
      try await Task.sleep(for: .milliseconds(30))
      let report = await live.drain(deadline: .seconds(5))
      return (try live[live.handles].value, report)
    }
    #expect(report.endedInTime)
    #expect(all == Array(0..<all.count))
    #expect(all.count > 0)
  }
}
