import Testing
import WeirTesting

@testable import Weir

/// What users do to graphs that run for long: cancel them, let elements fail now and then, let one consumer hang.
@Suite struct EnduranceTests {
  struct Flaky: Error {}

  /// Fails the first time it sees an element.
  struct FailsOnce: Stage {
    var failed = -1
    mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Flaky) {
      if failed != element {
        failed = element
        throw Flaky()
      }
      emit(element)
    }
  }

  /// Wants a number of elements and then less than none, as a stage does that counts bytes.
  struct Overshoots: Stage {
    var budget = 5
    var demand: Int { budget }
    mutating func process(_ element: Int, _ emit: (Int) -> Void) {
      budget -= 3
      emit(element)
    }
  }

  @Test func `a cancelled run says that it was cancelled, whatever its tasks wait for`() async throws {
    let blueprint = try Blueprint("many sources") { graph in
      for index in 0..<20 {
        graph.source("source \(index)") { AsyncStream<Int> { _ in } }.boundary("hop \(index)").ignore("end \(index)")
      }
    }
    for round in 0..<60 {
      let run = Task { try await blueprint.run() }
      for _ in 0..<(round * 3) { await Task.yield() }
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.value }
    }
  }

  @Test func `attempts are counted for each element, followed or not`() throws {
    try runInSimulation(seeds: 10, chunkSizes: [1, 4]) { simulation, options in
      for isTracked in [false, true] {
        let supervision = Supervision.retry(Backoff(initial: .milliseconds(1), attempts: 3), then: .fail)
        let blueprint = try Blueprint("flaky") { graph in
          let ledger = graph.ledger()
          let numbers = graph.source("numbers", 0..<20)
          let fed = isTracked ? numbers.tracked("followed", by: ledger) : numbers.map("plain") { $0 }
          return fed.via("flaky", FailsOnce(), supervision: supervision).collect("all")
        }
        let all = try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          return try live[live.handles].value
        }
        try simulation.require(all == Array(0..<20), "\(all)")
      }
    }
  }

  @Test func `what was emitted before a failure does not wait for the next attempt`() throws {
    try runInSimulation(seeds: 10, chunkSizes: [8]) { simulation, options in
      let seen = RunLog<Duration>()
      let clock = options.clock
      let attempts = RunCounter()
      let blueprint = try Blueprint("late") { graph in
        graph.source("numbers", 0..<8)
          .map("fails at five", supervision: .retry(Backoff(initial: .seconds(60)), then: .fail)) { number throws in
            if number == 5, attempts.next() == 1 { throw Flaky() }
            return number
          }
          .map("next") { $0 }
          .sink("seen") { _ in seen.append(clock.now) }
      }
      let start = clock.now
      try await blueprint.run(options)
      let early = seen.all.prefix { $0 - start < .seconds(1) }.count
      try simulation.require(early == 5 && seen.all.count == 8, "\(seen.all)")
    }
  }

  @Test func `elements that replace one another keep their tokens in one list`() async throws {
    let count = 200_000
    let link = Link<Int>(limit: .elements(1), policy: .conflate { $1 })
    let ledger = SettlementLedger(onAdvance: nil)
    for number in 0..<count { _ = link.offer(number, token: ledger.issue()) }
    var chunk = Chunk<Int>()
    #expect(try await link.receive(into: &chunk))
    #expect(chunk.count == 1 && ledger.settledPrefix == 0)
    chunk.settleAll(.stored)
    #expect(ledger.settledPrefix == UInt64(count))
  }

  @Test func `a limit in bytes for a link that weighs nothing is refused, and the old one stays`() async throws {
    let hub = MergeHub<Int>(limit: .elements(16))
    let blueprint = try Blueprint("limits") { graph in
      graph.source("numbers", 0...).boundary("narrow", limit: .elements(16))
        .sink("stuck", async: { _ in try await Task.sleep(for: .seconds(600)) })
      graph.source("hub", hub).ignore("end")
    }
    try await blueprint.run { live in
      for name in ["narrow", "hub"] {
        #expect(throws: RunError.self) { try live.setLimit(.bytes(64), of: name) }
        #expect(live.snapshot()[link: name]?.limit == .elements(16))
      }
      live.abort()
    }
  }

  @Test func `a run without a single pause can be stopped`() async throws {
    for isDropping in [false, true] {
      let blueprint = try Blueprint("endless") { graph in
        for index in 0..<3 {
          let numbers = graph.source("numbers \(index)", 0...).map("map \(index)") { $0 }
          let fed =
            isDropping
            ? numbers.boundary("drops \(index)", limit: .elements(4), policy: .dropNewest)
            : numbers.filter("all \(index)") { _ in true }
          fed.ignore("end \(index)")
        }
      }
      let options = RunOptions(executor: SingleThreadExecutor())
      let report = try await blueprint.run(options) { live in
        while live.snapshot()[node: "end 2"]?.elementsIn == 0 { await Task.yield() }
        return await live.drain(deadline: .seconds(60))
      }
      #expect(report.endedInTime)
    }
  }

  @Test func `a leg that hangs does not keep from the others what came with its elements`() async throws {
    let seen = RunCounter()
    let blueprint = try Blueprint("hangs") { graph in
      graph.source("numbers", 0..<64).route("parity", [0, 1], by: { $0 % 2 }, limit: .elements(4)) { key, leg in
        if key == 0 {
          leg.sink("hangs", async: { _ in try await Task.sleep(for: .seconds(600)) })
        } else {
          leg.sink("goes on") { _ in seen.next() }
        }
      }
    }
    try await blueprint.run(RunOptions(chunkSize: 8)) { live in
      // The first chunk brings four to each leg; later ones wait behind the leg that hangs.
      while seen.value < 4 { try await Task.sleep(for: .milliseconds(1)) }
      live.abort()
    }
  }

  @Test func `a stage that wants less than nothing has had enough`() async throws {
    let blueprint = try Blueprint("budget") { graph in
      graph.source("numbers", 0...).via("budget", Overshoots()).map("next") { $0 }.collect("all")
    }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(all == [0, 1])
  }

  @Test func `a hub that already feeds a run fails a second one at once, under the name of the node`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let hub = MergeHub<Int>()
      let stream = AsyncStream<Int> { _ in }
      let first = try Blueprint("first") { graph in graph.source("in", hub).ignore("end") }
      let second = try Blueprint("second") { graph in
        graph.source("again", hub).ignore("end")
        graph.source("waits") { stream }.ignore("other end")
      }
      try await first.run(options) { live in
        let start = options.clock.now
        do {
          try await second.run(options)
          try simulation.require(false, "two runs share a hub")
        } catch let failure as StageFailure {
          try simulation.require(failure.node == "again" && failure.code == "hub-in-use", "\(failure)")
        }
        try simulation.require(options.clock.now == start, "the second run waited")
        hub.close()
      }
    }
  }
}
