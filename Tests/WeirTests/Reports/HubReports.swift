import Testing
import Weir
import WeirTesting

/// Failures that users of other systems reported about hubs and fan-outs; each test names the thread it comes from.
@Suite struct HubReports {
  @Test func `pekko 1836: a hub consumer that leaves before its first element harms nobody`() throws {
    try runInSimulation { simulation, options in
      let hub = BroadcastHub<Int>()
      let stays = hub.subscribe()
      let leaves = hub.subscribe()
      let blueprint = try Blueprint("hub") { graph in graph.source("numbers", 0..<500).sink("hub", hub) }
      let seen = RunLog<Int>()
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          await simulation.pause("leave", atMost: 20)
          leaves.cancel()
        }
        group.addTask { for try await number in stays { seen.append(number) } }
        try await blueprint.run(options)
        hub.close()
      }
      try simulation.require(seen.all == Array(0..<500), "the other consumer saw \(seen.all.count) of 500")
      try simulation.require(hub.subscribers == 0, "a subscriber is left")
    }
  }

  @Test func `dotnet 36522: elements a drop-oldest link discards are released and counted`() async throws {
    final class Buffer: Sendable {
      let live: RunCounter
      init(_ live: RunCounter) { self.live = live }
      deinit { live.next() }
    }
    let released = RunCounter()
    let hub = BroadcastHub<Buffer>()
    let slow = try hub.subscribe(limit: .elements(8), policy: .dropOldest)
    for _ in 0..<100 { await hub.publish(Buffer(released)) }
    #expect(slow.dropped == 92)
    #expect(released.value == 92)
    #expect(slow.depth == 8)
  }

  @Test func `meshtastic 1819: seventeen frames into sixteen slots: the sender waits or the loss is counted`() async {
    let waiting = Link<Int>(limit: .elements(16))
    for frame in 0..<16 { await waiting.send(frame) }
    #expect(waiting.depth == 16)
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await waiting.send(16) }
      var chunk = Chunk<Int>()
      _ = try? await waiting.receive(into: &chunk, limit: 1)
      #expect(await group.next() == true)
    }
    let dropping = Link<Int>(limit: .elements(16), policy: .dropNewest)
    for frame in 0..<17 { await dropping.send(frame) }
    #expect(dropping.counters.overflowed == 1)
    #expect(dropping.depth == 16)
  }

  @Test func `swift 66541: every broadcast leg gets every element and the end`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("all") { graph in
        var handles: [Handle<RunResult<Int>>] = []
        graph.source("numbers", 0..<1_000).broadcast("fan", legs: [Leg("a"), Leg("b"), Leg("c")]) { leg, outlet in
          handles.append(outlet.fold("count \(leg)", 0) { count, _ in count += 1 })
        }
        return handles
      }
      let counts = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return try live.handles.map { try live[$0].value }
      }
      try simulation.require(counts == [1_000, 1_000, 1_000], "legs got \(counts)")
    }
  }

  @Test func `async-algorithms 110: a hub says what early, late and slow subscribers get`() async throws {
    let hub = BroadcastHub<Int>()
    let early = hub.subscribe()
    let slow = try hub.subscribe(limit: .elements(2), policy: .dropOldest)
    for number in 0..<50 { await hub.publish(number) }
    let late = hub.subscribe()
    for number in 50..<100 { await hub.publish(number) }
    hub.close()
    let afterwards = hub.subscribe()
    let expected = [(early, Array(0..<100)), (slow, [98, 99]), (late, Array(50..<100)), (afterwards, [])]
    for (subscription, numbers) in expected {
      var seen: [Int] = []
      for try await number in subscription { seen.append(number) }
      #expect(seen == numbers)
    }
    #expect(slow.dropped == 98 && early.dropped == 0)
  }

  @Test func `async-algorithms 383: twenty subscribers with the smallest buffer lose nothing`() throws {
    try runInSimulation { simulation, options in
      let hub = BroadcastHub<Int>()
      let blueprint = try Blueprint("share") { graph in graph.source("numbers", 0..<30).sink("hub", hub) }
      let subscriptions = try (0..<20).map { _ in try hub.subscribe(limit: .elements(1)) }
      try await withThrowingTaskGroup(of: [Int].self) { group in
        for subscription in subscriptions {
          group.addTask {
            var seen: [Int] = []
            for try await number in subscription { seen.append(number) }
            return seen
          }
        }
        try await blueprint.run(options)
        hub.close()
        for try await seen in group { try simulation.require(seen == Array(0..<30), "\(seen)") }
      }
    }
  }

  @Test func `AsyncExtensions 48: a merge of no ports is a fault, not a graph that never ends`() {
    #expect(throws: GraphFaults.self) {
      try Blueprint("none") { graph in
        graph.merge("merge", 0) { _ in graph.source("never", [1]) }.ignore("end")
      }
    }
  }

  @Test func `swift 71412: a second consumer of one sequence is refused, not given half the elements`() async throws {
    let hub = BroadcastHub<Int>()
    let subscription = hub.subscribe()
    for number in 0..<4 { await hub.publish(number) }
    hub.close()
    var first = subscription.makeAsyncIterator()
    var second = subscription.makeAsyncIterator()
    do {
      _ = try await second.next()
      Issue.record("the second consumer was not refused")
    } catch .failed(let failure) {
      #expect(failure.code == "sequence-in-use")
    } catch {
      Issue.record("\(error)")
    }
    #expect(try await second.next() == nil)
    var seen: [Int] = []
    while let number = try await first.next() { seen.append(number) }
    #expect(seen == [0, 1, 2, 3])
  }
}
