import Testing
import Weir
import WeirTesting

/// Kill switches, drains with a deadline, cancelled callers, throwing bodies.
@Suite struct StopTests {
  @Test func `a kill switch without places stops the intake`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("stop") { graph in
        let stop = graph.killSwitch("stop")
        return (stop, graph.source("ticks", Ticks(clock: simulation.clock)).via("hold", HoldBack(2)).collect("all"))
      }
      try await blueprint.run(options) { live in
        let stop = try live[live.handles.0]
        try await simulation.clock.sleep(for: .milliseconds(4_500))
        stop.shutdown()
        stop.shutdown()
        await live.waitUntilEnded()
        stop.shutdown()
        let all = try live[live.handles.1].value
        try simulation.require(all == [0, 1, 2, 3, 4] && stop.isUsed, "\(all)")
      }
    }
  }

  @Test func `a kill switch ends the flow at its place and nowhere else`() throws {
    try runInSimulation { simulation, options in
      let probe = SourceProbe<Int>()
      let blueprint = try Blueprint("place") { graph in
        let stop = graph.killSwitch("stop")
        let killed = graph.source("probe", probe).killable("place", by: stop).via("hold", HoldBack(1)).collect("killed")
        let other = graph.source("ticks", 0..<5).via("slow", Sleepy(clock: simulation.clock, time: .seconds(1)))
        return (stop, killed, other.collect("other"))
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try? await probe.send(contentsOf: 0..<100) }
        try await blueprint.run(options) { live in
          try await probe.waitForDemand()
          await simulation.pause("stop", atMost: 30)
          try live[live.handles.0].shutdown()
          try await probe.waitForRelease()
          await live.waitUntilEnded()
          let (killed, other) = (try live[live.handles.1].value, try live[live.handles.2].value)
          try simulation.require(killed == Array(0..<killed.count), "\(killed)")
          try simulation.require(other == Array(0..<5), "\(other)")
        }
        group.cancelAll()
      }
    }
  }

  @Test func `a kill switch of one run leaves another run alone`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("two runs") { graph in
        let stop = graph.killSwitch("stop")
        let slow = graph.source("numbers", 0..<5).killable("place", by: stop)
          .via("slow", Sleepy(clock: simulation.clock, time: .seconds(1)))
        return (stop, slow.collect("all"))
      }
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for kills in [true, false] {
          group.addTask {
            try await blueprint.run(options) { live in
              if kills { try live[live.handles.0].shutdown() }
              await live.waitUntilEnded()
              return try live[live.handles.1].value.count
            }
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      try simulation.require(counts.contains(5), "\(counts)")
    }
  }

  @Test func `a drain that meets a stuck sink aborts at the deadline and reports what is unsettled`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("stuck") { graph in
        let ledger = graph.ledger()
        graph.source("stubborn", of: Int.self) { output in
          // Goes on whatever it is told.
          for element in 0..<100 where !(await output.send(element)) { return }
        }.tracked("tracker", by: ledger).boundary("hop", limit: .elements(4))
          .sink("stuck", async: { _ in try await simulation.clock.sleep(for: .seconds(3_600)) })
        return ledger
      }
      try await blueprint.run(options) { live in
        await simulation.settle()
        let before = simulation.clock.now
        let report = await live.drain(deadline: .seconds(10))
        let ledger = try live[live.handles]
        try simulation.require(!report.endedInTime && !report.unsettled.isEmpty, "\(report)")
        try simulation.require(report.unsettled == Array(0..<UInt64(report.unsettled.count)), "\(report)")
        try simulation.require(before.duration(to: simulation.clock.now) == .seconds(10))
        try simulation.require(ledger.unsettled().isEmpty && ledger.counts[.lost] == nil, "\(ledger.counts)")
        try simulation.require(live.isEnded)
      }
    }
  }

  @Test func `a drain interrupts a source in backoff without failing the run`() throws {
    try runInSimulation { simulation, options in
      let backoff = Backoff(initial: .seconds(100), attempts: nil)
      let blueprint = try Blueprint("backoff") { graph in
        graph.source("broken", supervision: .restart(backoff), making: { Broken(after: 3) }).collect("all")
      }
      try await blueprint.run(options) { live in
        try await simulation.clock.sleep(for: .seconds(5))
        let report = await live.drain(deadline: .seconds(1))
        let all = try live[live.handles].value
        try simulation.require(report.endedInTime && all == [0, 1, 2], "\(report) \(all)")
      }
    }
  }

  @Test func `a drain survives a source that turns its cancellation into another error`() throws {
    let late = RunLog<String>()
    let runs = RunCounter()
    try runInSimulation(seeds: 20, late: late) { simulation, options in
      runs.next()
      let blueprint = try Blueprint("grumpy") { graph in
        graph.source("grumpy", of: Int.self) { output in
          await output.send(1)
          do { try await simulation.clock.sleep(for: .seconds(100)) } catch { throw Odd(value: 1) }
        }.collect("all")
      }
      try await blueprint.run(options) { live in
        await simulation.settle()
        let report = await live.drain(deadline: .seconds(1))
        try simulation.require(report.endedInTime)
      }
    }
    #expect(late.all == Array(repeating: "grumpy", count: runs.value))
  }

  @Test func `required_R16 cancelling the caller ends everything and throws CancellationError`() throws {
    try runInSimulation(seeds: 100) { simulation, options in
      let blueprint = try Blueprint("cancelled") { graph in
        let fork = graph.source("ticks", Ticks(clock: simulation.clock)).broadcast("fan")
        fork.first.via("slow", Sleepy(clock: simulation.clock, time: .seconds(2)), parallel: .ordered(2)).ignore("end")
        fork.second.via("delay", Hold(time: .seconds(3))).via("forward", Forward()).ignore("other end")
      }
      await withTaskGroup(of: Void.self) { group in
        let outcome = RunLog<String>()
        group.addTask {
          do {
            try await blueprint.run(options) { live in
              await live.waitUntilEnded()
            }
            outcome.append("ended")
          } catch is CancellationError {
            outcome.append("cancelled")
          } catch {
            outcome.append("\(error)")
          }
        }
        await simulation.pause("cancel", atMost: 100)
        try? await simulation.clock.sleep(for: .seconds(Int(simulation.seed % 7)))
        group.cancelAll()
        await group.waitForAll()
        #expect(outcome.all == ["cancelled"])
      }
    }
  }

  @Test func `a body that throws aborts the run and its error comes out`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("throws") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).collect("all")
      }
      do {
        try await blueprint.run(options) { _ in
          try await simulation.clock.sleep(for: .seconds(2))
          throw Odd(value: 1)
        }
        try simulation.require(false, "nothing was thrown")
      } catch let error as Odd {
        try simulation.require(error == Odd(value: 1))
      }
      try simulation.require(simulation.clock.now.offset == .seconds(2))
    }
  }

  @Test func `a body that returns without iterating a sequence does not hang the run`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("unread") { graph in graph.source("numbers", 0..<1_000).sequence("out") }
      try await blueprint.run(options)
      try await blueprint.run(options) { live in
        for try await _ in try live[live.handles] { break }
      }
    }
  }
}

/// Some numbers, then an error, every time.
struct Broken: AsyncSequence, Sendable {
  let after: Int
  func makeAsyncIterator() -> Iterator { Iterator(after: after) }

  struct Iterator: AsyncIteratorProtocol {
    let after: Int
    var next = 0
    mutating func next(isolation actor: isolated (any Actor)?) async throws(Odd) -> Int? {
      if next == after { throw Odd(value: next) }
      next += 1
      return next - 1
    }
  }
}
