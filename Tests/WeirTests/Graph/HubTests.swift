import Testing
import Weir
import WeirTesting

/// Subscribers and producers that come and go.
@Suite struct HubTests {
  @Test func `a subscriber that leaves before the first element costs the others nothing`() throws {
    try runInSimulation { simulation, options in
      let hub = BroadcastHub<Int>()
      let blueprint = try Blueprint("hub") { graph in graph.source("numbers", 0..<50).sink("hub", hub) }
      let stays = try hub.subscribe(limit: .elements(3))
      let leaves = try hub.subscribe(limit: .elements(1))
      leaves.cancel()
      leaves.cancel()
      let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
        group.addTask {
          var seen: [Int] = []
          for try await element in stays { seen.append(element) }
          return seen
        }
        try await blueprint.run(options)
        hub.close()
        return try await group.next() ?? []
      }
      try simulation.require(seen == Array(0..<50), "\(seen)")
      try simulation.require(hub.subscribers == 0)
    }
  }

  @Test func `a subscriber that joins in the middle gets everything from then on`() throws {
    try runInSimulation { simulation, options in
      let hub = BroadcastHub<Int>()
      let blueprint = try Blueprint("hub") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).sink("hub", hub)
      }
      try await blueprint.run(options) { live in
        try await simulation.clock.sleep(for: .milliseconds(2_500))
        let late = hub.subscribe()
        try await simulation.clock.sleep(for: .seconds(3))
        await live.drain(deadline: .seconds(1))
        hub.close()
        var seen: [Int] = []
        for try await element in late { seen.append(element) }
        try simulation.require(seen == [3, 4, 5], "\(seen)")
      }
    }
  }

  @Test func `a stuck subscriber that drops loses alone, and knows how much`() throws {
    try runInSimulation { simulation, options in
      let hub = BroadcastHub<Int>()
      let blueprint = try Blueprint("hub") { graph in graph.source("numbers", 0..<50).sink("hub", hub) }
      let stuck = try hub.subscribe(limit: .elements(4), policy: .dropOldest)
      try await blueprint.run(options)
      hub.close()
      try simulation.require(stuck.dropped == 46 && stuck.depth == 4, "\(stuck.dropped)")
      var seen: [Int] = []
      for try await element in stuck { seen.append(element) }
      try simulation.require(seen == [46, 47, 48, 49], "\(seen)")
    }
  }

  @Test func `a stuck subscriber that waits gates the hub until it leaves, or the run is aborted`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let hub = BroadcastHub<Int>()
      let blueprint = try Blueprint("hub") { graph in
        let ledger = graph.ledger()
        graph.source("numbers", 0..<50).tracked("tracker", by: ledger).sink("hub", hub)
        return ledger
      }
      let stuck = try hub.subscribe(limit: .elements(4))
      let leaves = simulation.seed % 2 == 0
      let ledger = try await blueprint.run(options) { live in
        await simulation.settle()
        try simulation.require(!live.isEnded && stuck.depth == 4)
        if leaves { stuck.cancel() } else { live.abort() }
        await live.waitUntilEnded()
        return try live[live.handles]
      }
      let stored = ledger.counts[.stored] ?? 0
      try simulation.require(leaves ? stored == 50 : stored < 50, "\(ledger.counts)")
      try simulation.require(ledger.unsettled().isEmpty && ledger.counts[.lost] == nil)
    }
  }

  @Test func `letting a subscription go leaves the hub`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let hub = BroadcastHub<Int>()
      func subscribeAndForget() { _ = hub.subscribe() }
      subscribeAndForget()
      try simulation.require(hub.subscribers == 0)
      let early = hub.subscribe()
      let blueprint = try Blueprint("hub") { graph in graph.source("numbers", 0..<50).sink("hub", hub) }
      for _ in 0..<2 { try await blueprint.run(options) }
      hub.close()
      var count = 0
      for try await _ in early { count += 1 }
      try simulation.require(count == 100, "two runs give \(count)")
      let refused = hub.subscribe()
      for try await _ in refused { count += 1 }
      try simulation.require(count == 100, "a closed hub gave something")
    }
  }

  @Test func `a merge hub ends when it is closed and its producers have gone`() throws {
    try runInSimulation { simulation, options in
      let hub = MergeHub<Int>(limit: .elements(2))
      let blueprint = try Blueprint("hub") { graph in graph.source("hub", hub).collect("all") }
      let first = hub.producer()
      let second = hub.producer()
      try await blueprint.run(options) { live in
        await first.send(1)
        hub.close()
        let refused = hub.producer()
        let sent = await refused.send(100)
        try simulation.require(!sent, "a producer of a closed hub could send")
        await second.send(2)
        second.finish()
        second.finish()
        let after = await second.send(200)
        try simulation.require(!after)
        await simulation.settle()
        try simulation.require(!live.isEnded, "ended while a producer was there")
        await first.send(3)
        first.finish()
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == [1, 2, 3], "\(all)")
      }
    }
  }

  @Test func `a merge hub feeds one run only`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let hub = MergeHub<Int>()
      let blueprint = try Blueprint("hub") { graph in graph.source("hub", hub).collect("all") }
      hub.close()
      try await blueprint.run(options)
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the second run did not fail")
      } catch let failure as StageFailure {
        try simulation.require(failure.code == "hub-in-use")
      }
    }
  }

  @Test func `what a merge hub has accepted survives a drain`() throws {
    try runInSimulation(seeds: 100) { simulation, options in
      let hub = MergeHub<Int>(limit: .elements(3))
      let blueprint = try Blueprint("hub") { graph in
        graph.source("hub", hub).via("slow", Sleepy(clock: simulation.clock, time: .milliseconds(1))).collect("all")
      }
      let accepted = RunLog<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<3 {
          let producer = hub.producer()
          group.addTask {
            for step in 0..<10 {
              guard await producer.send(index * 100 + step) else { return }
              accepted.append(index * 100 + step)
            }
          }
        }
        try await blueprint.run(options) { live in
          await simulation.pause("drain", atMost: 40)
          let report = await live.drain(deadline: .seconds(10))
          try simulation.require(report.endedInTime)
          let all = try live[live.handles].value
          try simulation.require(all.sorted() == accepted.all.sorted(), "\(all) of \(accepted.all)")
        }
      }
    }
  }

  @Test func `a merge hub that overflows fails the run`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let hub = MergeHub<Int>(limit: .elements(1), policy: .fail)
      let blueprint = try Blueprint("hub") { graph in graph.source("hub", hub).ignore("end") }
      let producer = hub.producer()
      for element in 0..<3 { await producer.send(element) }
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the run ended normally")
      } catch let failure as StageFailure {
        try simulation.require(failure.code == "link-overflow", "\(failure)")
      }
    }
  }
}
