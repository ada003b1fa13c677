import Synchronization
import Testing
import Weir
import WeirTesting

/// R03, R21 and R22: calls one after the other, counters that balance, clocks that add up.
@Suite struct RuleTracingTests {
  @Test func `required_R03 calls on one copy never overlap and see what was written`() throws {
    try runInSimulation(seeds: 100) { simulation, options in
      let overlaps = RunLog<String>()
      let blueprint = try Blueprint("copies") { graph in
        let numbers = graph.source("numbers", 0..<30)
        let called = numbers.via("lanes", Exclusive(overlaps), parallel: .lanes(3, by: { UInt64($0) }))
        let again = called.via("ordered", Exclusive(overlaps), parallel: .ordered(3))
        return again.via("unordered", Exclusive(overlaps), parallel: .unordered(2)).collect("all")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all.sorted() == Array(0..<30), "\(all)")
      }
      try simulation.require(overlaps.all.isEmpty, "\(overlaps.all)")
    }
  }

  @Test func `stochastic_R21 counters balance at every scrape`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let aborts = simulation.seed % 3 == 0
      let live = try await everything.run(blueprint, options) { live in
        var looks = 0
        while !live.isEnded {
          if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
          looks += 1
          if looks % 20 == 0 { try? await simulation.clock.sleep(for: .milliseconds(1)) } else { await Task.yield() }
          if aborts && looks == 150 { live.abort() }
        }
        return live
      }
      if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
    }
  }

  @Test func `stochastic_R21 counters balance at every scrape from another thread`() async throws {
    let blueprint = try Blueprint("load") { graph in
      let fork = graph.source("numbers", 0..<30_000).via("double", Doubling()).via("hold", HoldBack(5)).broadcast("fan")
      fork.first.via("keep", Keep { $0 % 3 == 0 }).boundary("hop", limit: .elements(40)).ignore("end")
      fork.second.via("pairs", Pairs()).via("chunks", ChunkEcho()).ignore("other end")
    }
    let scrapes = try await blueprint.run { live in
      var scrapes = 0
      while !live.isEnded {
        let imbalance = live.snapshot().imbalance
        #expect(imbalance == nil)
        scrapes += 1
        await Task.yield()
      }
      return scrapes
    }
    #expect(scrapes > 0)
  }

  @Test func `stochastic_R22 the three clocks sum to the elapsed time at every scrape`() throws {
    try runInSimulation(seeds: 12) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      var options = options
      options.trace = TickingTrace(simulation.clock).clock
      try await everything.run(blueprint, options) { live in
        var last: [NodeSnapshot] = []
        while !live.isEnded {
          let nodes = live.snapshot().nodes
          for node in nodes { try simulation.require(Self.sums(node), "\(node)") }
          for (before, after) in zip(last, nodes) {
            try simulation.require(
              before.busy <= after.busy && before.elapsed <= after.elapsed, "time went back: \(before) \(after)")
          }
          last = nodes
          try? await simulation.clock.sleep(for: .milliseconds(3))
        }
      }
    }
  }

  @Test func `required_R22 a long block shows while it is still going on`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let blueprint = try Blueprint("blocked") { graph in
        graph.source("numbers", 0..<1_000).via("double", Doubling()).boundary("narrow", limit: .elements(1))
          .sink("stuck", async: { _ in try await simulation.clock.sleep(for: .seconds(7_000)) })
      }
      try await blueprint.run(options) { live in
        for hours in 1...3 {
          try await simulation.clock.sleep(for: .seconds(3_600))
          let snapshot = live.snapshot()
          let elapsed = Duration.seconds(3_600 * hours)
          let double = try #require(snapshot[node: "double"])
          let stuck = try #require(snapshot[node: "stuck"])
          try simulation.require(double.blocked == elapsed && double.elapsed == elapsed, "\(double)")
          try simulation.require(double.longestBlock == min(elapsed, .seconds(7_000)), "\(double)")
          try simulation.require(stuck.busy == elapsed && stuck.idle == .zero, "\(stuck)")
          try simulation.require(
            snapshot[link: "narrow"]?.oldestAge == (hours < 2 ? elapsed : elapsed - .seconds(7_000)))
        }
        live.abort()
      }
    }
  }

  private static func sums(_ node: NodeSnapshot) -> Bool {
    node.busy + node.idle + node.blocked == node.elapsed && node.busy >= .zero && node.idle >= .zero
      && node.blocked >= .zero
  }
}

/// Virtual time, and one nanosecond more for every look.
final class TickingTrace: Sendable {
  private let looks = Atomic<UInt64>(0)
  private let virtual: VirtualClock

  init(_ clock: VirtualClock) { virtual = clock }

  var clock: TraceClock {
    TraceClock { [self] in
      UInt64(clamping: virtual.now.offset.attoseconds / 1_000_000_000)
        &+ looks.add(1, ordering: .relaxed).newValue
    }
  }
}

/// Notes when two calls on one copy overlap, or one does not see what another wrote.
struct Exclusive: AsyncStage {
  private final class Place: Sendable {
    let isTaken = Atomic<Bool>(false)
    let calls = RunCounter()
  }

  private var place: Place?
  private var calls = 0
  private let overlaps: RunLog<String>

  init(_ overlaps: RunLog<String>) { self.overlaps = overlaps }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) async {
    let place = self.place ?? Place()
    self.place = place
    if place.isTaken.exchange(true, ordering: .acquiringAndReleasing) { overlaps.append("overlap at \(element)") }
    if place.calls.value != calls { overlaps.append("call \(calls) sees the state of \(place.calls.value)") }
    calls += 1
    place.calls.next()
    for _ in 0..<(element % 4) { await Task.yield() }
    emit(element)
    place.isTaken.store(false, ordering: .releasing)
  }
}
