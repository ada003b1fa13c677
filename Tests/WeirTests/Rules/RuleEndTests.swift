import Testing
import Weir
import WeirTesting

/// R02, R05 and R17: ends, and what comes after them.
@Suite struct RuleEndTests {
  @Test func `required_R02 empty sources of every kind end the run`() throws {
    try runInSimulation { simulation, options in
      let hub = MergeHub<Int>()
      hub.close()
      let (stream, input) = AsyncStream<Int>.makeStream()
      input.finish()
      let probe = SourceProbe<Int>()
      probe.finish()
      let blueprint = try Blueprint("empty") { graph in
        let sources = graph.merge("merge", 6) { index in
          switch index {
          case 0: graph.source("collection", [Int]())
          case 1: graph.source("stream", stream)
          case 2: graph.source("process", of: Int.self) { _ in }
          case 3: graph.source("probe", probe)
          case 4: graph.source("hub", hub)
          default: graph.source("made", making: { FailingOrEmpty() })
          }
        }
        graph.deadLetters().ignore("dead")
        return sources.via("hold", HoldBack(2)).via("call", SlowEcho(), parallel: .lanes(2, by: { UInt64($0) }))
          .via("delay", Hold(time: .seconds(1))).via("forward", Forward()).collect("all")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all.isEmpty)
      }
      try simulation.require(simulation.clock.now.offset == .zero)
    }
  }

  @Test func `required_R05 after the end there is nothing for ever`() throws {
    try runInSimulation { simulation, options in
      let fails = simulation.seed % 2 == 0
      let hub = BroadcastHub<Int>()
      let subscription = hub.subscribe()
      let blueprint = try Blueprint("ends") { graph in
        let fork = graph.source("numbers", [2, 4, fails ? 5 : 6]).via("even", RefusingOdd()).broadcast("fan")
        fork.first.sink("hub", hub)
        return fork.second.via("curious", AsksAgain()).sequence("out")
      }
      let seen = RunLog<String>()
      do {
        try await blueprint.run(options) { live in
          let tap = try live.tap("curious")
          var iterator = try live[live.handles].makeAsyncIterator()
          for _ in 0..<10 {
            do { seen.append(try await iterator.next().map { "\($0)" } ?? "end") } catch { seen.append("failed") }
          }
          await live.waitUntilEnded()
          var taps = tap.makeAsyncIterator()
          while try await taps.next() != nil {}
          for _ in 0..<3 { try simulation.require(try await taps.next() == nil) }
        }
        try simulation.require(!fails)
      } catch is StageFailure {
        try simulation.require(fails)
      }
      let ends = Array(repeating: "end", count: 10)
      let expected = fails ? ["2", "4", "failed"] + ends : ["2", "4", "6"] + ends
      try simulation.require(seen.all == Array(expected.prefix(10)), "\(seen.all)")
      hub.close()
      var iterator = subscription.makeAsyncIterator()
      while try await iterator.next() != nil {}
      for _ in 0..<3 { try simulation.require(try await iterator.next() == nil) }
    }
  }

  @Test func `required_R17 drain, abort and kill after the end do nothing`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let live = try await everything.run(blueprint, options) { live in
        await live.waitUntilEnded()
        return live
      }
      let before = live.snapshot()
      let all = try live[live.handles.all].value
      for _ in 0..<2 {
        let report = await live.drain(deadline: .seconds(1))
        live.abort()
        try live[live.handles.stop].shutdown()
        try live.setLimit(.elements(1), of: "hop")
        await live.waitUntilEnded()
        try simulation.require(report.endedInTime && report.unsettled.isEmpty && live.isEnded)
      }
      try simulation.require(live.snapshot().nodes == before.nodes)
      try simulation.require(try live[live.handles.all].value == all)
    }
  }
}

struct FailingOrEmpty: AsyncSequence, Sendable {
  func makeAsyncIterator() -> Iterator { Iterator() }
  struct Iterator: AsyncIteratorProtocol {
    mutating func next(isolation actor: isolated (any Actor)?) async throws(Odd) -> Int? { nil }
  }
}

/// Goes on asking after the end of its input.
struct AsksAgain: Process {
  func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
    var iterator = input.makeAsyncIterator()
    while let element = try await iterator.next() { await output.send(element) }
    for _ in 0..<3 where try await iterator.next() != nil { await output.send(-1) }
  }
}
