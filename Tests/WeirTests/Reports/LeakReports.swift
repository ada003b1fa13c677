import Testing
import WeirTesting

@testable import Weir

/// Failures that users of other systems reported about what stays behind, and about memory that grows.
@Suite struct LeakReports {
  private final class Life: Sendable {}

  /// Numbers without end; each iterator holds something that is watched.
  private struct Endless: AsyncSequence, Sendable {
    let leaks: LeakCheck
    func makeAsyncIterator() -> Iterator { Iterator(life: leaks.track(Life(), "iterator")) }

    struct Iterator: AsyncIteratorProtocol {
      let life: Life
      var next = 0
      mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
        defer { next += 1 }
        return next
      }
    }
  }

  @Test func `async-algorithms 352: leaving a loop over a buffered sequence ends the pump and releases the base`()
    throws
  {
    try runInSimulation { simulation, _ in
      let leaks = LeakCheck()
      for round in 1...3 {
        for try await number in try Endless(leaks: leaks).via(SlowEcho(), limit: .elements(round)) where number >= round
        { break }
        await simulation.settle()
        try simulation.require(leaks.trackedCount == round)
        try leaks.verify()
      }
    }
  }

  @Test func `swift-service-lifecycle 188: a merge made anew in every turn of a loop leaves nothing behind`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let leaks = LeakCheck()
      for turn in 1...20 {
        let blueprint = try Blueprint("turn") { graph in
          graph.merge(
            "merge", graph.source("a", Endless(leaks: leaks), limit: .elements(2)),
            graph.source("b", Endless(leaks: leaks), limit: .elements(2)), limit: .elements(2)
          ).sequence("out", limit: .elements(2))
        }
        try await blueprint.run(options) { live in
          for try await number in try live[live.handles] where number >= 1 { break }
        }
        // A source whose task had not begun when the loop was left made no iterator.
        try simulation.require((turn...2 * turn).contains(leaks.trackedCount))
        try leaks.verify()
      }
    }
  }

  @Test func `a run of every node keeps nothing of itself alive, and its last counters are still to be had`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let leaks = LeakCheck()
      let aborts = simulation.seed % 2 == 0
      do {
        let live = try await blueprint.run(options) { live in
          leaks.track(live.context, "run")
          for segment in live.context.segments { leaks.track(segment, "segment") }
          try await simulation.clock.sleep(for: .milliseconds(50))
          if aborts { live.abort() } else { await live.drain(deadline: .seconds(100)) }
          return live
        }
        let times = live.snapshot().nodes.map { $0.busy + $0.idle + $0.blocked }
        try simulation.require(times.contains { $0 > .zero }, "the clocks of the run are gone with its tasks")
      } catch is StageFailure {}
      try leaks.verify()
    }
  }

  @Test func `AsyncExtensions 43: cancelling everyone who waits at a link frees them all`() throws {
    try runInSimulation { simulation, _ in
      let leaks = LeakCheck()
      let full = Link<Int>(limit: .elements(1))
      let empty = Link<Int>(limit: .elements(1))
      await full.send(0)
      await withTaskGroup(of: Void.self) { group in
        for number in 1...30 {
          let (writing, reading) = (leaks.track(Life(), "writer"), leaks.track(Life(), "reader"))
          group.addTask {
            await full.send(number)
            withExtendedLifetime(writing) {}
          }
          group.addTask {
            var chunk = Chunk<Int>()
            _ = try? await empty.receive(into: &chunk)
            withExtendedLifetime(reading) {}
          }
        }
        await simulation.settle()
        let waiting = full.state.withLock { $0.waitingWriters.count } + empty.state.withLock { $0.waitingReaders.count }
        #expect(waiting == 60)
        group.cancelAll()
      }
      let left = full.state.withLock { $0.waitingWriters.count } + empty.state.withLock { $0.waitingReaders.count }
      try simulation.require(left == 0, "\(left) still wait")
      try simulation.require(full.depth == 1 && empty.depth == 0, "a cancelled call has moved an element")
      try leaks.verify()
    }
  }

  @Test func `console 639, 184: what is traced while nobody looks takes no memory that grows`() throws {
    final class Message: Sendable {
      let living: AskCounter
      init(_ living: AskCounter) {
        self.living = living
        living.add()
      }
      deinit { living.remove() }
    }
    try runInSimulation(seeds: 3) { simulation, options in
      let living = AskCounter()
      let count = 5_000
      let blueprint = try Blueprint("days") { graph in
        graph.source("messages", of: Message.self, limit: .elements(16)) { output in
          for _ in 0..<count {
            await output.send(Message(living))
            // A message every two minutes: a week of load.
            try await simulation.clock.sleep(for: .seconds(120))
          }
        }.map("same") { $0 }.boundary("hop", limit: .elements(16)).ignore("end")
      }
      try await blueprint.run(options) { live in
        // Opened and never read.
        let forgotten = try live.tap("*", capacity: 8)
        func size() -> [Int] {
          [live.context.meters.count, live.context.links.count, live.context.segments.count]
        }
        let atFirst = size()
        var most = 0
        while !live.isEnded {
          most = max(most, living.count)
          try simulation.require(size() == atFirst, "\(size()), at first \(atFirst)")
          try await simulation.clock.sleep(for: .seconds(3_000))
        }
        try simulation.require(most <= 8 + 2 * 16 + 3 * 256, "\(most) messages at once")
        try simulation.require(forgotten.skipped == UInt64(count * 3 - 8), "\(forgotten.skipped) samples unseen")
        let node = live.snapshot()[node: "same"]
        try simulation.require(node?.elementsOut == UInt64(count) && (node?.elapsed ?? .zero) > .seconds(500_000))
      }
    }
  }

  @Test func `console 639: a tap that was closed is gone while the run goes on`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let blueprint = try Blueprint("tapped") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).collect("all")
      }
      try await blueprint.run(options) { live in
        let leaks = LeakCheck()
        for _ in 0..<100 {
          let tap = try live.tap("ticks")
          leaks.track(tap.link, "tap")
          tap.close()
        }
        try leaks.verify()
        try simulation.require(!live.isEnded)
        live.abort()
      }
    }
  }

  @Test func `connect 2404: the keys of a dedupe stay bounded by count and by age, for as long as messages come`() {
    let perSecond = 2_000
    let seconds = LinkStressTests.isSoak ? 2 * 3_600 : 100
    for (most, age) in [(4_000, 10), (1_000_000, 5)] {
      var stage = TimedDedupe(by: { (key: Int) in key }, remembering: most, forgetting: .seconds(age))
      var passed = 0
      var keys = 0
      var slots = 0
      for key in 0..<(perSecond * seconds) {
        let now = Duration.microseconds(1_000_000 / perSecond) * key
        stage.process(key, at: now) { _ in passed += 1 }
        keys = max(keys, stage.seen.count)
        slots = max(slots, stage.seen.keys.count)
      }
      #expect(passed == perSecond * seconds)
      let bound = min(most, perSecond * age)
      #expect(keys == bound, "\(keys) keys")
      #expect(slots <= 2 * bound, "\(slots) slots")
    }
  }
}
