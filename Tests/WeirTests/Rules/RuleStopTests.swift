import Synchronization
import Testing
import Weir
import WeirTesting

/// R07, R12, R13, R14 and R16: stopping at any moment.
@Suite struct RuleStopTests {
  @Test func `required_R07 an abort stops a busy segment within a chunk`() async throws {
    // On threads of its own: a busy segment does not give its thread away.
    let processed = RunCounter()
    let blueprint = try Blueprint("busy") { graph in
      graph.source("numbers", 0..<Int.max).sink("count") { _ in processed.next() }
    }
    let atAbort = try await blueprint.run(RunOptions(executor: ThreadExecutor(), chunkSize: 64)) { live in
      while processed.value < 10_000 { await Task.yield() }
      live.abort()
      return processed.value
    }
    #expect(processed.value - atAbort <= 64)
  }

  @Test func `required_R07 an abort reaches every task of a graph at the same virtual moment`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let moment = Duration.milliseconds(Int(simulation.seed % 100))
      try await everything.run(blueprint, options) { live in
        try? await simulation.clock.sleep(for: moment)
        live.abort()
        live.abort()
      }
      try simulation.require(simulation.clock.now.offset <= moment, "\(simulation.clock.now)")
    }
  }

  @Test func `required_R12 a consumer that stops early ends sources that are waiting in send`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let probe = SourceProbe<Int>()
      let ended = RunCounter()
      let blueprint = try Blueprint("early") { graph in
        let stubborn = graph.source("process", of: Int.self, limit: .elements(1)) { output in
          var next = 0
          while await output.send(next) { next += 1 }
          ended.next()
        }
        let merged = graph.merge(
          "merge", stubborn, graph.source("probe", probe, limit: .elements(1)), limit: .elements(1))
        return merged.boundary("one", limit: .elements(1)).via("call", SlowEcho(), parallel: .ordered(2))
          .boundary("two", limit: .elements(1)).via("forward", Forward()).via("three", FirstThree()).collect("all")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try? await probe.send(contentsOf: 0..<1_000) }
        try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          let all = try live[live.handles].value
          try simulation.require(all.count == 3, "\(all)")
        }
        group.cancelAll()
      }
      try simulation.require(ended.value == 1 && probe.iteratorsMade == probe.iteratorsDestroyed)
    }
  }

  @Test func `stochastic_R13 every element of a graph stopped at any moment has one outcome`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let ledger = try await everything.run(blueprint, options) { live in
        await simulation.pause("stop", atMost: 400)
        switch simulation.seed % 3 {
        case 0: live.abort()
        case 1: await live.drain(deadline: .milliseconds(20))
        default: try live[live.handles.stop].shutdown()
        }
        return try live[live.handles.ledger]
      }
      try simulation.require(ledger.unsettled().isEmpty, "open: \(ledger.unsettled())")
      try simulation.require(ledger.counts.values.reduce(0, +) == ledger.issued, "\(ledger.counts)")
      try simulation.require(ledger.counts[.lost] == nil, "\(ledger.counts)")
    }
  }

  @Test func `required_R13 what a consumer of a sequence did not get is not stored`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let blueprint = try Blueprint("sequence") { graph in
        let ledger = graph.ledger()
        let out = graph.source("numbers", 0..<50).tracked("tracker", by: ledger).sequence("out", limit: .elements(8))
        return (ledger, out)
      }
      let got = RunLog<Int>()
      let ledger = try await blueprint.run(options) { live in
        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            guard let sequence = try? live[live.handles.1] else { return }
            var iterator = sequence.makeAsyncIterator()
            while let element = try? await iterator.next() {
              got.append(element)
              await Task.yield()
            }
          }
          await simulation.pause("cancel", atMost: 60)
          group.cancelAll()
        }
        return try live[live.handles.0]
      }
      try simulation.require(ledger.counts[.stored] ?? 0 == UInt64(got.all.count), "\(ledger.counts), got \(got.all)")
      try simulation.require(ledger.unsettled().isEmpty && ledger.counts[.lost] == nil, "\(ledger.counts)")
    }
  }

  @Test func `required_R14 strange numbers in public calls do no harm`() async {
    let link = Link<Int>(limit: .elements(-3), chunkSize: -1, writers: 0, readers: 1)
    await link.send(1)
    link.finish()
    link.finish()
    link.closeReader()
    link.closeReader()
    #expect(link.isClosed && link.depth == 0)
    let steep = Backoff(initial: .seconds(1), factor: 1e300, maximum: .seconds(30), attempts: nil)
    #expect(steep.wait(before: 5) == .seconds(30))
    #expect(steep.wait(before: .max) == .seconds(30))
    #expect(steep.wait(before: .min) == .seconds(1))
    let flat = Backoff(initial: .seconds(1), factor: 1, maximum: .seconds(30), attempts: nil)
    #expect(flat.wait(before: .max) == .seconds(1))
    let none = Backoff(initial: .zero, factor: 2, maximum: .zero, attempts: nil)
    #expect(none.wait(before: .max) == .zero)
    let hub = BroadcastHub<Int>()
    for limit in [LinkLimit.elements(0), .bytes(.min), LinkLimit(age: .zero)] {
      #expect(throws: StageFaults.self) { _ = try hub.subscribe(limit: limit) }
    }
    #expect(hub.subscribers == 0)
  }

  @Test(.timeLimit(.minutes(15)))
  func `stochastic_R13 every element of a graph on real threads has one outcome`() async throws {
    var random = SeededGenerator(seed: 5)
    for round in 0..<(LinkStressTests.isSoak ? 3_000 : 60) {
      let everything = EverythingGraph(GraphClock.continuous, count: random.number(in: 0...6))
      let blueprint = try everything.blueprint()
      let delay = Duration.microseconds(random.index(below: 40_000))
      let ledger = try await everything.run(blueprint, RunOptions(chunkSize: random.number(in: 1...4))) { live in
        try await Task.sleep(for: delay)
        switch round % 4 {
        case 0: live.abort()
        case 1: await live.drain(deadline: .milliseconds(3))
        case 2: try live[live.handles.stop].shutdown()
        default: break
        }
        return try live[live.handles.ledger]
      }
      #expect(ledger.unsettled().isEmpty)
      #expect(ledger.counts.values.reduce(0, +) == ledger.issued && ledger.counts[.lost] == nil, "\(ledger.counts)")
      #expect(everything.leaks.survivors.isEmpty)
      #expect(everything.probe.iteratorsMade == everything.probe.iteratorsDestroyed)
    }
  }

  @Test func `required_R16 abort, drain, kill and cancel at once from many tasks`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = try? await everything.run(blueprint, options) { live in
            await withTaskGroup(of: Void.self) { stoppers in
              for index in 0..<4 {
                stoppers.addTask {
                  await simulation.pause("stopper \(index)", atMost: 200)
                  switch index {
                  case 0: live.abort()
                  case 1: await live.drain(deadline: .milliseconds(7))
                  case 2: (try? live[live.handles.stop])?.shutdown()
                  default: live.abort()
                  }
                }
              }
            }
          }
        }
        await simulation.pause("canceller", atMost: 200)
        group.cancelAll()
      }
    }
  }
}
