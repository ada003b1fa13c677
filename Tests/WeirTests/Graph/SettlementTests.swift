import Testing
import WeirTesting

@testable import Weir

/// The ledger's prefix across every kind of node.
@Suite struct SettlementTests {
  private func run(
    _ simulation: Simulation, _ options: RunOptions, count: Int = 20, endsEarly: Bool = false,
    _ wire: (GraphBuilder, consuming Outlet<Int>) -> Void
  ) async throws -> SettlementLedger {
    let advances = RunLog<UInt64>()
    let blueprint = try Blueprint("tracked") { graph in
      let ledger = graph.ledger()
      wire(graph, graph.source("numbers", 0..<count).tracked("tracker", by: ledger) { advances.append($0) })
      return ledger
    }
    let ledger = try await blueprint.run(options) { live in
      await live.waitUntilEnded()
      return try live[live.handles]
    }
    try simulation.require(endsEarly || ledger.issued == UInt64(count))
    let done = ledger.issued - (ledger.counts[.abandoned] ?? 0)
    try simulation.require(ledger.settledPrefix == done, "\(ledger.settledPrefix) of \(ledger.counts)")
    try simulation.require(ledger.counts.values.reduce(0, +) == ledger.issued, "\(ledger.counts)")
    try simulation.require(advances.all.max() == done, "\(advances.all)")
    return ledger
  }

  @Test func `filtered and stored elements are told apart`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options) { _, outlet in
        outlet.via("even", Keep { $0 % 2 == 0 }).ignore("end")
      }
      try simulation.require(ledger.counts == [.stored: 10, .filtered: 10], "\(ledger.counts)")
    }
  }

  @Test func `the worst outcome of the copies counts`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options) { _, outlet in
        let fork = outlet.broadcast("fan", first: Leg("narrow", limit: .elements(1)))
        fork.first.via("low", Keep { $0 < 5 }).ignore("end")
        fork.second.via("refuse", RefusingOdd(), supervision: .skip).ignore("other end")
      }
      // Odd ones fail on one leg; even ones from 6 on are filtered on the other.
      try simulation.require(
        ledger.counts == [.dropped(.failed): 10, .filtered: 7, .stored: 3], "\(ledger.counts)")
    }
  }

  @Test(arguments: [Parallelism<Int>.serial, .ordered(3), .unordered(3), .lanes(3, by: { UInt64($0) })])
  func `calls that overtake each other never move the prefix over an open one`(parallel: Parallelism<Int>) throws {
    try runInSimulation { simulation, options in
      let settled = RunLog<Int>()
      let blueprint = try Blueprint("prefix") { graph in
        let ledger = graph.ledger()
        graph.source("numbers", 0..<20).tracked("tracker", by: ledger)
          .via("slow", SlowCall(clock: simulation.clock), parallel: parallel).sink("end") { settled.append($0) }
        return ledger
      }
      try await blueprint.run(options) { live in
        let ledger = try live[live.handles]
        while !live.isEnded {
          let prefix = ledger.settledPrefix
          try simulation.require(Set(0..<Int(prefix)).isSubset(of: settled.all), "\(prefix): \(settled.all)")
          try? await simulation.clock.sleep(for: .milliseconds(3))
        }
        try simulation.require(ledger.counts == [.stored: 20], "\(ledger.counts)")
      }
    }
  }

  @Test func `keyed lanes, routes and merges settle everything`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options) { graph, outlet in
        let out = outlet.lanes("lanes", 3, by: { "\($0 % 7)" }) { lane, outlet in
          outlet.via("work \(lane)", SlowCall(clock: simulation.clock))
        }
        out.route("route", [0, 1], by: { $0 % 3 }) { key, leg in leg.ignore("leg \(key)") }
      }
      let unmatched = (0..<20).count { $0 % 3 == 2 }
      try simulation.require(
        ledger.counts == [.stored: UInt64(20 - unmatched), .dropped(.unmatched): UInt64(unmatched)], "\(ledger.counts)")
    }
  }

  @Test func `a pair settles both of its elements, and what finds no partner is abandoned`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options, endsEarly: true) { graph, outlet in
        graph.zip("zip", outlet, graph.source("others", 0..<12)).ignore("end")
      }
      try simulation.require(ledger.counts[.stored] == 12, "\(ledger.counts)")
      let rest = ledger.counts[.abandoned] ?? 0
      try simulation.require(rest == ledger.issued - 12, "\(ledger.counts)")
    }
  }

  @Test func `batches, splits, processes and chunks settle each element once`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options) { graph, outlet in
        outlet.via("pairs", Pairs()).via("copies", Twice()).via("forward", Forward()).via("chunks", ChunkEcho())
          .via("delay", Hold(time: .seconds(1))).boundary("hop", limit: .elements(2)).ignore("end")
      }
      try simulation.require(ledger.counts == [.stored: 20], "\(ledger.counts)")
    }
  }

  @Test func `elements dropped by a link say so`() throws {
    try runInSimulation { simulation, options in
      let ledger = try await run(simulation, options) { graph, outlet in
        outlet.boundary("narrow", limit: .elements(2), policy: .dropOldest)
          .via("slow", Sleepy(clock: simulation.clock, time: .seconds(1))).ignore("end")
      }
      let (stored, dropped) = (ledger.counts[.stored] ?? 0, ledger.counts[.dropped(.overflow)] ?? 0)
      try simulation.require(stored + dropped == 20 && dropped > 0, "\(ledger.counts)")
    }
  }

  @Test func `followed and unfollowed elements in one stage keep their tokens apart`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("mixed") { graph in
        let ledger = graph.ledger()
        let followed = graph.source("followed", 0..<10).tracked("tracker", by: ledger)
        let merged = graph.merge("merge", followed, graph.source("others", 100..<110))
        merged.via("hold", HoldBack(3)).via("low", Keep { $0 < 100 }).ignore("end")
        return ledger
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        // Every followed element is low and stored; one filtered outcome would be that of another element.
        let counts = try live[live.handles].counts
        try simulation.require(counts == [.stored: 10], "\(counts)")
      }
    }
  }

  @Test func `the ledger's window is a prefix whatever the order`() {
    for seed in 1...50 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let ledger = SettlementLedger()
      let tokens = (0..<30).map { _ in ledger.issue() }
      var settled: Set<Int> = []
      for index in random.shuffled(0..<30) {
        tokens[index].settle(.stored)
        tokens[index].settle(.filtered)
        settled.insert(index)
        let expected = (0..<30).first { !settled.contains($0) } ?? 30
        #expect(ledger.settledPrefix == UInt64(expected))
        #expect(
          ledger.unsettled() == (0..<30).filter { !settled.contains($0) }.map(UInt64.init).filter { $0 >= expected })
      }
      #expect(ledger.counts == [.stored: 30])
    }
  }

  @Test func `what is not done with stops the prefix for good, and only what is under way is remembered`() {
    for stopper in [Outcome.failed, .abandoned, .lost] {
      var advances: [UInt64] = []
      let noted = RunLog<UInt64>()
      let ledger = SettlementLedger { noted.append($0) }
      let tokens = (0..<10).map { _ in ledger.issue() }
      for index in [0, 1, 4, 7] { tokens[index].settle(.stored) }
      tokens[2].settle(stopper)
      #expect(ledger.unsettled() == [3, 5, 6, 8, 9])
      for index in [3, 5, 6, 8] { tokens[index].settle(.stored) }
      let late = ledger.issue()
      #expect(ledger.unsettled() == [9, 10])
      late.settle(.stored)
      tokens[9].settle(.stored)
      advances = noted.all
      #expect(ledger.settledPrefix == 2 && advances == [1, 2])
      #expect(ledger.unsettled().isEmpty)
      #expect(ledger.counts == [.stored: 10, stopper: 1])
    }
  }

  /// How a run is brought to its end too soon.
  enum Ending: CaseIterable {
    case abort, cancel, lateDrain, bodyThrows, sinkThrows, retryWaits
  }

  @Test(arguments: Ending.allCases)
  func `a cursor moved by the prefix never passes an element that was not stored`(ending: Ending) throws {
    try runInSimulation(seeds: 100) { simulation, options in
      let stored = RunLog<Int>()
      let cursor = RunLog<UInt64>()
      let clock = GraphClock(simulation.clock)
      let blueprint = try Blueprint("cursor") { graph in
        let ledger = graph.ledger()
        let retry = Supervision.retry(Backoff(initial: .seconds(1), attempts: nil), then: .fail)
        graph.source("numbers", 0..<300).tracked("tracker", by: ledger) { cursor.append($0) }
          .boundary("hop", limit: .elements(20))
          .via("slow", SlowCall(clock: simulation.clock), parallel: .unordered(3))
          .via(
            "refuse", RefusingOne(number: ending == .retryWaits ? 40 : -1),
            supervision: ending == .retryWaits ? retry : .fail
          )
          .sink("store") { number in
            if ending == .sinkThrows, number == 40 { throw Refused() }
            stored.append(number)
          }
        return ledger
      }
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await blueprint.run(options) { live in
              try await clock.sleep(for: .milliseconds(Int(simulation.seed % 7) * 40 + 100))
              switch ending {
              case .abort: live.abort()
              case .lateDrain, .retryWaits: _ = await live.drain(deadline: .milliseconds(30))
              case .bodyThrows: throw Refused()
              case .cancel, .sinkThrows: await live.waitUntilEnded()
              }
            }
          }
          if ending == .cancel {
            try await clock.sleep(for: .milliseconds(Int(simulation.seed % 7) * 40 + 100))
            group.cancelAll()
          }
          try await group.waitForAll()
        }
      } catch {}
      let all = Set(stored.all)
      let firstMissing = (0..<301).first { !all.contains($0) } ?? 0
      let told = cursor.all.max() ?? 0
      try simulation.require(told <= UInt64(firstMissing), "cursor \(told), first not stored \(firstMissing)")
      try simulation.require(firstMissing < 300, "the run ended too late to tell")
    }
  }

  @Test func `a forgotten token is lost, and the worst of its copies wins`() {
    let ledger = SettlementLedger()
    do { _ = ledger.issue() }
    let token = ledger.issue()
    token.fork(2)
    token.settle(.stored)
    token.settle(.expired)
    token.settle(.filtered)
    #expect(ledger.counts == [.lost: 1, .expired: 1])
    #expect(ledger.settledPrefix == 0, "a lost element has to come again")
  }
}

struct Twice: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    emit(element)
    emit(element)
  }
}

private struct Refused: Error {}

private struct RefusingOne: Stage {
  let number: Int

  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Refused) {
    if element == number { throw Refused() }
    emit(element)
  }
}
