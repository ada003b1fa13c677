import Testing

@testable import Weir

/// What a link does that combines elements.
@Suite(.timeLimit(.minutes(15))) struct LinkConflationTests {
  /// Keeps the link that is looked at out of a closure that is made before it.
  private final class Reference: Sendable {
    let link = TestMutex<Link<Int>?>(nil)
  }

  @Test func `elements are combined with the newest waiting one, in its place`() async throws {
    let link = Link<Int>(limit: .elements(2), policy: .conflate { $0 * 10 + $1 })
    for element in 1...4 { #expect(await link.send(element)) }
    #expect(link.depth == 2)
    link.finish()
    var chunk = Chunk<Int>()
    var received: [Int] = []
    while try await link.receive(into: &chunk) { while let element = chunk.popFirst() { received.append(element) } }
    #expect(received == [1, 234])
    #expect(link.counters.conflated == 2 && link.counters.accepted == 4 && link.counters.delivered == 2)
  }

  @Test func `the closure may look at its link, change its limits and take from it`() async throws {
    let reference = Reference()
    let link = Link<Int>(
      limit: .elements(1),
      policy: .conflate { waiting, new in
        guard let link = reference.link.withLock({ $0 }) else { return -1 }
        link.setLimit(.elements(1))
        var none = Chunk<Int>()
        guard case .empty = link.take(into: &none, limit: .max) else { return -2 }
        let counters = link.counters
        let gone = counters.delivered + counters.conflated
        return Int(counters.accepted) == Int(gone) + link.depth ? waiting + new : -3
      })
    reference.link.withLock { $0 = link }
    for element in 1...4 { #expect(await link.send(element)) }
    var chunk = Chunk<Int>()
    #expect(try await link.receive(into: &chunk))
    #expect(chunk.array() == [10])
  }

  @Test func `a node's closure may take a snapshot of its graph`() async throws {
    let seen = RunLog<Int>()
    let graph = TestMutex<LiveGraph<Void>?>(nil)
    let blueprint = try Blueprint("looks at itself") { builder in
      builder.source("numbers", 0..<1_000)
        .conflate("newest") { waiting, new in
          if let live = graph.withLock({ $0 }) { seen.append(live.snapshot()[link: "newest"]?.depth ?? -1) }
          return Swift.max(waiting, new)
        }
        .sink(
          "slow",
          async: { _ in
            while graph.withLock({ $0 == nil }) { await Task.yield() }
            for _ in 0..<20 { await Task.yield() }
          })
    }
    try await blueprint.run { live in
      graph.withLock { $0 = live }
      await live.waitUntilEnded()
    }
    graph.withLock { $0 = nil }
    #expect(seen.all.allSatisfy { $0 == 1 })
  }

  @Test(arguments: [true, false])
  func `a link that ends while an element is combined delivers it, one that nobody reads abandons it`(ends: Bool)
    async throws
  {
    let reference = Reference()
    let link = Link<Int>(
      limit: .elements(1),
      policy: .conflate { waiting, new in
        reference.link.withLock { ends ? $0?.shutdown() : $0?.closeReader() }
        return waiting + new
      })
    reference.link.withLock { $0 = link }
    let ledger = SettlementLedger(onAdvance: nil)
    for element in 1...2 { _ = link.offer(element, token: ledger.issue()) }
    var chunk = Chunk<Int>()
    if ends {
      #expect(try await link.receive(into: &chunk))
      #expect(chunk.array() == [3] && ledger.settledPrefix == 0)
      chunk.settleAll(.stored)
      #expect(try await link.receive(into: &chunk) == false)
    }
    let counters = link.counters
    #expect(counters.accepted == 2 && counters.conflated == 1)
    #expect(counters.delivered == (ends ? 1 : 0) && counters.abandoned == (ends ? 0 : 1))
    #expect(link.depth == 0)
    #expect(ledger.unsettled().isEmpty)
    #expect(ledger.settledPrefix == (ends ? 2 : 0), "what was abandoned has to come again")
  }

  @Test func `four writers and a reader at once lose nothing, and each writer's elements stay in order`() async throws {
    /// The newest number of each writer, and how many elements went in.
    struct Newest: Sendable {
      var of: [Int]
      var count: Int
    }
    let link = Link<Newest>(
      limit: .elements(3),
      policy: .conflate { waiting, new in
        Newest(of: zip(waiting.of, new.of).map { Swift.max($0, $1) }, count: waiting.count + new.count)
      }, writers: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<5_000 {
            var newest = Newest(of: [-1, -1, -1, -1], count: 1)
            newest.of[writer] = number
            #expect(await link.send(newest))
          }
          link.finish()
        }
      }
      var latest = [-1, -1, -1, -1]
      var count = 0
      var chunk = Chunk<Newest>()
      while try await link.receive(into: &chunk) {
        while let element = chunk.popFirst() {
          count += element.count
          for writer in 0..<4 where element.of[writer] >= 0 {
            #expect(element.of[writer] > latest[writer])
            latest[writer] = element.of[writer]
          }
        }
      }
      #expect(count == 20_000)
      #expect(latest == [4_999, 4_999, 4_999, 4_999])
    }
  }
}
