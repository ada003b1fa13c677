import Foundation
import Testing
import WeirTesting

@testable import Weir

/// Failures that users of other systems reported about queues, channels and cancellation.
@Suite struct LinkReports {
  @Test func `async-algorithms 131: cancelling one waiting sender affects that call only`() throws {
    try runInSimulation { simulation, _ in
      let link = Link<Int>(limit: .elements(1), writers: 2)
      await link.send(0)
      let results = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
        let cancelled = Task(executorPreference: simulation.executor) { await link.send(1) }
        group.addTask {
          await simulation.pause("cancel", atMost: 8)
          cancelled.cancel()
          return (1, await cancelled.value)
        }
        group.addTask { (2, await link.send(2)) }
        await simulation.pause("read", atMost: 8)
        var received: [Int] = []
        var chunk = Chunk<Int>()
        var results: [Int: Bool] = [:]
        while results.count < 2 || link.depth > 0 {
          if link.depth > 0, try await link.receive(into: &chunk) {
            while let element = chunk.popFirst() { received.append(element) }
          } else if results.count < 2, link.depth == 0, let (sender, sent) = try await group.next() {
            results[sender] = sent
          }
        }
        for (sender, sent) in results {
          try simulation.require(sent == received.contains(sender), "send of \(sender) said \(sent), got \(received)")
        }
        return results
      }
      try simulation.require(results[2] == true, "the other sender was affected")
    }
  }

  @Test func `async-algorithms 142: finish wakes every waiter`() throws {
    try runInSimulation { simulation, _ in
      let link = Link<Int>(readers: 3)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<3 {
          group.addTask {
            var chunk = Chunk<Int>()
            return try await link.receive(into: &chunk)
          }
        }
        await simulation.pause("finish", atMost: 8)
        link.finish()
        for try await more in group { try simulation.require(!more, "a reader got an element") }
      }
    }
  }

  @Test func `async-algorithms 304: send says that nobody reads any more`() async {
    let link = Link<Int>()
    link.closeReader()
    let sent = await link.send(1)
    #expect(!sent)
  }

  @Test func `async-algorithms 304: send says that its task was cancelled, and then nothing was sent`() throws {
    try runInSimulation { simulation, _ in
      let link = Link<Int>(limit: .elements(1))
      await link.send(0)
      let sender = Task(executorPreference: simulation.executor) { await link.send(1) }
      await simulation.pause("cancel", atMost: 6)
      sender.cancel()
      let sent = await sender.value
      try simulation.require(!sent, "said to be sent")
      link.finish()
      var received: [Int] = []
      var chunk = Chunk<Int>()
      while try await link.receive(into: &chunk) { while let element = chunk.popFirst() { received.append(element) } }
      try simulation.require(received == [0], "\(received)")
    }
  }

  @Test func `dotnet 37671: reads that are given up again and again lose no element`() throws {
    try runInSimulation { simulation, _ in
      let link = Link<Int>(limit: .elements(2))
      let received = RunLog<Int>()
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          for number in 0..<50 { await link.send(number) }
          link.finish()
        }
        var ended = false
        while !ended {
          let read = Task(executorPreference: simulation.executor) { () -> Bool in
            var chunk = Chunk<Int>()
            do {
              let more = try await link.receive(into: &chunk, limit: 1)
              while let element = chunk.popFirst() { received.append(element) }
              return !more
            } catch {
              return false
            }
          }
          await simulation.pause("give up", atMost: 4)
          read.cancel()
          ended = await read.value
        }
      }
      try simulation.require(received.all == Array(0..<50), "got \(received.all)")
    }
  }

  @Test func `swift-evolution 2077: a source without a reader is held at the limit`() async throws {
    let blueprint = try Blueprint("bounded") { graph in
      graph.source("endless", of: Int.self, limit: .elements(10)) { output in
        var next = 0
        while await output.send(next) { next += 1 }
      }.sequence("out", limit: .elements(10))
    }
    try await blueprint.run { live in
      while (live.snapshot()[link: "endless"]?.depth ?? 0) < 10 { await Task.yield() }
      for _ in 0..<100 { await Task.yield() }
      let sent = live.snapshot()[node: "endless"]?.elementsOut ?? 0
      #expect(sent <= 10 + 10 + 256 * 2)
      live.abort()
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `supabase-swift 1154: a producer that yields under a lock which its end handler needs does not deadlock`()
    async throws
  {
    for _ in 0..<50 {
      let own = TestMutex(false)
      let blueprint = try Blueprint("own lock") { graph in
        graph.callbackSource("callbacks", of: Int.self, limit: .elements(4)) { emitter in
          emitter.onEnd { _ in own.withLock { $0 = true } }
          // Held until after the end has come: the handler waits for it while this thread yields once more.
          Thread.detachNewThread {
            own.withLock { _ in
              while !emitter.isOver { emitter.yield(7) }
              #expect(emitter.yield(7) == .ended)
            }
          }
        }.take("three", 3).collect("all")
      }
      let all = try await blueprint.result()
      #expect(all == [7, 7, 7])
      #expect(own.withLock { $0 })
    }
  }

  @Test func `RxSwift 2711: hooks that call back into the running graph do not deadlock`() async throws {
    let blueprint = try Blueprint("hooks") { graph in
      let ledger = graph.ledger()
      let stop = graph.killSwitch("stop")
      let live = RunLog<@Sendable () -> Void>()
      graph.source("numbers", 0..<200)
        .tracked("track", by: ledger) { _ in for look in live.all { look() } }
        .boundary("hop", limit: .elements(4))
        .ignore("end")
      return (ledger, stop, live)
    }
    try await blueprint.run { live in
      live.handles.2.append { _ = live.snapshot() }
      await live.waitUntilEnded()
      let prefix = try live[live.handles.0].settledPrefix
      #expect(prefix == 200)
    }
  }
}
