import Testing
import WeirTesting

@testable import Weir

/// Parked readers and writers of a link: who is woken when.
@Suite struct LinkWaitingTests {
  @Test func `a writer waiting at a link full of expired elements is woken when they are discarded`() throws {
    try forEachSeed(count: 30) { simulation in
      let clock = simulation.clock
      let link = Link<Int>(
        limit: LinkLimit(elements: 2, age: .seconds(1)), policy: .expire,
        clock: TraceClock { UInt64(clamping: clock.now.offset.attoseconds / 1_000_000_000) + 1 })
      try await withThrowingTaskGroup(of: [Int].self) { group in
        group.addTask {
          for element in 0..<3 { await link.send(element) }
          link.finish()
          return []
        }
        group.addTask {
          try await clock.sleep(for: .seconds(5))
          return try await Self.readAll(link)
        }
        let received = try await group.reduce(into: []) { $0 += $1 }
        try simulation.require(received == [2], "\(received)")
        try simulation.require(link.counters.expired == 2)
      }
    }
  }

  @Test func `a link that fails wakes every reader`() throws {
    try forEachSeed(count: 30) { simulation in
      let link = Link<Int>(limit: .elements(1), policy: .fail, readers: 3)
      let failures = RunCounter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            var chunk = Chunk<Int>()
            do throws(PortInterruption) {
              while try await link.receive(into: &chunk) { chunk.removeAll() }
            } catch {
              if case .failed = error { failures.next() }
            }
          }
        }
        await simulation.settle()
        var chunk = Chunk([1, 2, 3])
        _ = link.offer(&chunk)
      }
      try simulation.require(failures.value == 3, "\(failures.value) of 3 readers saw the failure")
    }
  }

  @Test func `an element that overflows a failing link is counted and its token settled`() {
    let link = Link<Int>(limit: .elements(1), policy: .fail)
    let ledger = SettlementLedger()
    for element in 0..<2 { _ = link.offer(element, token: ledger.issue()) }
    link.closeReader()
    let counts = ledger.counts
    #expect(counts == [.dropped(.overflow): 1, .abandoned: 1])
    let counters = link.counters
    #expect(counters.accepted == 2)
    #expect(counters.overflowed == 1 && counters.abandoned == 1)
  }

  @Test func `a wake-up of a reader that is being cancelled goes to another`() throws {
    try forEachSeed(count: 200) { simulation in
      let link = Link<Int>(limit: .elements(4), readers: 2)
      let taken = RunLog<Int>()
      await withTaskGroup(of: Void.self) { group in
        await withTaskGroup(of: Void.self) { victim in
          victim.addTask { await Self.takeOne(link, taken) }
          await simulation.settle()
          group.addTask { await Self.takeOne(link, taken) }
          await simulation.settle()
          // The first reader is picked for the wake-up, and cancelled before it runs. It does not close.
          _ = link.offer(7)
          victim.cancelAll()
        }
        await simulation.settle()
        link.finish()
      }
      try simulation.require(taken.all == [7], "\(taken.all), still waiting: \(link.depth)")
    }
  }

  private static func takeOne(_ link: Link<Int>, _ taken: RunLog<Int>) async {
    var chunk = Chunk<Int>()
    guard (try? await link.receive(into: &chunk, limit: 1)) == true, let element = chunk.popFirst() else { return }
    taken.append(element)
  }

  @Test func `conflating weighs the combination anew`() async {
    let link = Link<String>(
      limit: LinkLimit(elements: 1, bytes: 100), policy: .conflate { $0 + $1 }, weigh: { $0.utf8.count })
    await link.send("aaa")
    await link.send("bbbb")
    #expect(link.depth == 1)
    let bytes = link.snapshot(name: "", now: 0).bytes
    #expect(bytes == 7)
  }

  @Test func `limits change while elements move`() throws {
    try forEachSeed(count: 50) { simulation in
      let link = Link<Int>(limit: .elements(1))
      try await withThrowingTaskGroup(of: [Int].self) { group in
        group.addTask {
          for element in 0..<50 { await link.send(element) }
          link.finish()
          return []
        }
        group.addTask {
          var random = simulation.generator("limits")
          for _ in 0..<20 {
            link.setLimit(.elements(random.number(in: 1...9)))
            await Task.yield()
          }
          link.setLimit(.elements(0))
          return []
        }
        group.addTask { try await Self.readAll(link) }
        let received = try await group.reduce(into: []) { $0 += $1 }
        try simulation.require(received == Array(0..<50), "\(received)")
        try simulation.require(link.limit.fault == nil)
      }
    }
  }

  static func readAll(_ link: Link<Int>) async throws -> [Int] {
    var received: [Int] = []
    var chunk = Chunk<Int>()
    while try await link.receive(into: &chunk) {
      received += chunk.array()
      chunk.removeAll()
    }
    return received
  }
}
