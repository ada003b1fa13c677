import Dispatch
import Synchronization
import Testing
import WeirTesting

@testable import Weir

/// R01, R10, R15, R19 and R20: how much is held, how long it may get, who waits for whom.
@Suite struct RuleVolumeTests {
  @Test func `required_R01 no link ever holds more than its limits`() throws {
    try runInSimulation(seeds: 12) { simulation, options in
      let everything = EverythingGraph(simulation, count: 20)
      let blueprint = try everything.blueprint()
      try await everything.run(blueprint, options) { live in
        while !live.isEnded {
          for link in live.snapshot().links {
            guard let limit = link.limit.elements else { continue }
            try simulation.require(link.depth <= limit && link.counters.highWater <= limit, "\(link)")
          }
          await Task.yield()
          if simulation.clock.sleeperCount > 0 { try? await simulation.clock.sleep(for: .milliseconds(1)) }
        }
      }
    }
  }

  @Test func `required_R01 a byte limit holds for weighted elements, one too heavy passes alone`() throws {
    try runInSimulation { simulation, options in
      let sizes = [3, 9, 50, 1, 1, 8, 2, 40, 4]
      let blueprint = try Blueprint("bytes") { graph in
        graph.source("sizes", sizes).boundary("narrow", limit: .bytes(10), weigh: { $0 })
          .via("slow", Sleepy(clock: simulation.clock, time: .seconds(1))).collect("all")
      }
      try await blueprint.run(options) { live in
        while !live.isEnded {
          let link = live.snapshot()[link: "narrow"]
          try simulation.require((link?.bytes ?? 0) <= 10 || link?.depth == 1, "\(String(describing: link))")
          try? await simulation.clock.sleep(for: .milliseconds(500))
        }
        let all = try live[live.handles].value
        try simulation.require(all == sizes, "\(all)")
      }
    }
  }

  @Test func `required_R01 a consumer that takes nothing stops the source at the blueprint's bound`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("stuck") { graph in
        let ledger = graph.ledger()
        let source = graph.source("numbers", 0..<100_000).tracked("tracker", by: ledger)
        let fork = source.boundary("hop", limit: .elements(5)).broadcast("fan", first: Leg("one", limit: .elements(7)))
        fork.first.via("call", SlowEcho(), parallel: .ordered(3)).ignore("end")
        let out = fork.second.via("lanes", SlowEcho(), parallel: .lanes(3, by: { UInt64($0) })).via("hold", HoldBack(3))
          .sequence("out", limit: .elements(4))
        return (ledger, out)
      }
      let bound = blueprint.memoryBound(chunkSize: options.chunkSize).elements ?? 0
      try await blueprint.run(options) { live in
        await simulation.settle()
        let inside = try live[live.handles.0].unsettled(limit: 100_000).count
        try simulation.require(inside <= bound && inside > 10, "\(inside) inside, bound \(bound)")
        live.abort()
      }
    }
  }

  @Test func `required_R10 the slowest leg gates all, a dropping leg loses alone`() throws {
    try runInSimulation { simulation, options in
      let drops = simulation.seed % 2 == 0
      let blueprint = try Blueprint("legs") { graph in
        let slow = Leg<Int>("slow", limit: .elements(2), policy: drops ? .dropOldest : .wait)
        let fork = graph.source("numbers", 0..<200).broadcast("fan", first: slow, second: Leg("fast"))
        let one = fork.first.via("call", Sleepy(clock: simulation.clock, time: .seconds(1))).collect("slow end")
        return (one, fork.second.collect("fast end"))
      }
      try await blueprint.run(options) { live in
        await simulation.settle()
        let early = try live[live.handles.1].value.count
        try simulation.require(drops ? early == 200 : early < 20 + options.chunkSize, "\(early)")
        await live.waitUntilEnded()
        let (slow, fast) = (try live[live.handles.0].value, try live[live.handles.1].value)
        try simulation.require(fast == Array(0..<200))
        let lost = live.snapshot()[link: "fan.slow"]?.counters.overflowed ?? 0
        try simulation.require(slow.count + Int(lost) == 200 && (lost > 0) == drops, "\(slow.count) and \(lost)")
      }
    }
  }

  @Test func `required_R15 a million elements and a filter that lets nothing through`() async throws {
    let blueprint = try Blueprint("long") { graph in
      graph.source("million", 0..<1_000_000).via("nothing", Nothing()).fold("left", 0) { count, _ in count += 1 }
    }
    let (left, snapshot) = try await blueprint.run { live in
      await live.waitUntilEnded()
      return (try live[live.handles].value, live.snapshot())
    }
    #expect(left == 0)
    #expect(snapshot[node: "nothing"]?.filtered == 1_000_000)
  }

  @Test func `required_R15 a filter that lets nothing through behind links and calls`() async throws {
    let blueprint = try Blueprint("long hops") { graph in
      graph.source("numbers", 0..<50_000).boundary("hop").via("echo", ChunkEcho()).via("nothing", Nothing())
        .via("forward", Forward()).fold("left", 0) { count, _ in count += 1 }
    }
    let left = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(left == 0)
  }

  @Test func `required_R19 what has no limit says so`() throws {
    let blueprint = try Blueprint("unbounded") { graph in
      graph.source("numbers", 0..<5).boundary("wide", limit: .unbounded).ignore("end")
    }
    #expect(blueprint.memoryBound().elements == nil)
    #expect(blueprint.memoryBound().unbounded == ["wide"])
    for form in DescriptionForm.allCases { #expect(blueprint.describe(as: form).contains("unbounded")) }
    // A hundred years of elements at one a nanosecond, and of nanoseconds, fit into the counters.
    let century: UInt64 = 100 * 366 * 86_400 * 1_000_000_000
    #expect(century < UInt64(Int64.max))
  }

  @Test func `required_R20 a segment that keeps its thread delays no other segment`() async throws {
    // The first task waits, without giving its thread away, until the second one has done its work.
    let done = DispatchSemaphore(value: 0)
    let waited = TestMutex<[DispatchTimeoutResult]>([])
    let blueprint = try Blueprint("two tasks") { graph in
      graph.source("a", [1]).sink("busy") { _ in
        let result = done.wait(timeout: .now() + .seconds(30))
        waited.withLock { $0.append(result) }
      }
      graph.source("b", 0..<10_000).boundary("hop").via("work", Doubling()).sink("other") { element in
        if element == 2 * 9_999 { done.signal() }
      }
    }
    try await blueprint.run(RunOptions(executor: ThreadExecutor()))
    #expect(waited.withLock { $0 } == [.success])
  }
}
