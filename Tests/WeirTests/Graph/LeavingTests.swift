import Foundation
import Testing
import WeirTesting

@testable import Weir

/// What those get who have left, and other promises that a second look found broken.
@Suite(.timeLimit(.minutes(15))) struct LeavingTests {
  @Test func `a cancelled subscription ends, whether it is read before or after`() async throws {
    let hub = BroadcastHub<Int>()
    let before = hub.subscribe()
    before.cancel()
    for try await _ in before { Issue.record("nothing was published") }
    let parked = hub.subscribe()
    let reading = Task {
      var count = 0
      for try await _ in parked { count += 1 }
      return count
    }
    await hub.publish(1)
    for _ in 0..<100 { await Task.yield() }
    parked.cancel()
    #expect(try await reading.value <= 1)
  }

  @Test func `a closed tap ends the loop over it`() async throws {
    let blueprint = try Blueprint("tapped") { graph in
      graph.source("numbers", 0...).map("same") { $0 }.ignore("end")
    }
    try await blueprint.run { live in
      let tap = try live.tap("same")
      let reading = Task { for try await _ in tap {} }
      for _ in 0..<100 { await Task.yield() }
      tap.close()
      _ = try await reading.value
      live.abort()
    }
  }

  @Test func `a reader parks while the last element of a link is being combined`() async throws {
    let reference = TestMutex<Link<Int>?>(nil)
    let entered = TestMutex(false)
    let parked = TestMutex(false)
    let link = Link<Int>(
      limit: .elements(1),
      policy: .conflate { waiting, new in
        entered.withLock { $0 = true }
        // Ten seconds at the most: it holds up a thread.
        for _ in 0..<10_000 {
          let waits = reference.withLock { $0?.state.withLock { !$0.waitingReaders.isEmpty } } ?? true
          if waits {
            parked.withLock { $0 = true }
            break
          }
          usleep(1_000)
        }
        return waiting + new
      })
    reference.withLock { $0 = link }
    #expect(await link.send(1))
    let writing = Task.detached { await link.send(2) }
    while !entered.withLock({ $0 }) { await Task.yield() }
    var chunk = Chunk<Int>()
    #expect(try await link.receive(into: &chunk))
    #expect(chunk.array() == [3])
    #expect(await writing.value)
    #expect(parked.withLock { $0 })
  }

  @Test func `a copy that was dropped does not spoil what is combined with it later`() async throws {
    let link = Link<Int>(limit: .elements(1), policy: .conflate { $0 + $1 })
    let ledger = SettlementLedger(onAdvance: nil)
    let both = Settlement.merging([ledger.issue(), ledger.issue()])
    both?.fork(1)
    both?.settle(.dropped(.overflow))
    _ = link.offer(1, token: both)
    let late = Settlement.merging([ledger.issue(), ledger.issue()])
    _ = link.offer(2, token: late)
    var chunk = Chunk<Int>()
    #expect(try await link.receive(into: &chunk))
    chunk.settleAll(.stored)
    #expect(ledger.counts[.stored] == 2 && ledger.counts[.dropped(.overflow)] == 2)
  }

  @Test func `links that combine tracked elements have no bound, and say so`() throws {
    let tracked = try Blueprint("tracked") { graph in
      let ledger = graph.ledger()
      graph.source("numbers", 0..<5).tracked("tracker", by: ledger).conflate("newest") { $1 }.ignore("end")
    }
    #expect(tracked.memoryBound().unbounded == ["newest"])
    let plain = try Blueprint("plain") { graph in
      graph.source("numbers", 0..<5).conflate("newest") { $1 }.ignore("end")
    }
    #expect(plain.memoryBound().unbounded == [])
  }

  @Test func `a handle of another blueprint is refused`() async throws {
    let (one, other) = try (
      Blueprint("one") { graph in graph.source("numbers", [1]).collect("all") },
      Blueprint("other") { graph in graph.source("numbers", [2]).collect("all") }
    )
    try await one.run { live in
      #expect(throws: RunError.unknownHandle) { try live[other.handles].value }
      await live.waitUntilEnded()
      let all = try live[live.handles].value
      #expect(all == [1])
    }
  }

  /// Says that it holds less than nothing.
  private struct Liar: Stage {
    typealias Input = Int
    typealias Output = Int
    var held: Int { -3 }
    var holds: Int { 2 }
    mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(element) }
  }

  @Test func `a stage that says it holds less than nothing does not trap`() async throws {
    let blueprint = try Blueprint("liar") { graph in
      let ledger = graph.ledger()
      graph.source("numbers", 0..<5).tracked("tracker", by: ledger).via("liar", Liar()).ignore("end")
    }
    _ = try? await blueprint.run()
  }

  /// Says that one comes out for each in, and lets only even numbers through.
  private struct Evens: Stage {
    typealias Input = Int
    typealias Output = Int
    var isOneToOne: Bool { true }
    mutating func process(_ element: Int, _ emit: (Int) -> Void) { if element.isMultiple(of: 2) { emit(element) } }
  }

  @Test func `a stage that is not as one-to-one as it says fails the verification`() {
    #expect(throws: VerificationFailure.self) {
      try verify("evens", seeds: .sweep(1), stage: { Evens() }, inputs: { [1, 2, 3] })
    }
  }

  @Test func `a link that discards what is too old needs an age`() {
    #expect(throws: GraphFaults.self) {
      try Blueprint("ageless") { graph in
        graph.source("numbers", 0..<5).boundary("old", limit: .elements(4), policy: .expire).ignore("end")
      }
    }
  }
}
