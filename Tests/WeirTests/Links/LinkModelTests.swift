import Testing
import WeirTesting

@testable import Weir

/// The link state against a model that keeps its elements in an array.
@Suite struct LinkModelTests {
  private struct Model {
    let limit: LinkLimit
    let policy: String
    var waiting: [(element: Int, weight: Int, stamp: UInt64)] = []
    var discarded: [Int] = []
    var accepted = 0

    var weight: Int { waiting.reduce(0) { $0 + $1.weight } }

    func hasRoom(_ extra: Int, _ now: UInt64) -> Bool {
      guard let oldest = waiting.first else { return true }
      if let elements = limit.elements, waiting.count >= elements { return false }
      if let bytes = limit.bytes, weight + extra > bytes { return false }
      if let age = limit.age, .nanoseconds(Int64(now - oldest.stamp)) > age { return false }
      return true
    }

    mutating func expire(_ now: UInt64) {
      guard policy == "expire", let age = limit.age else { return }
      while let oldest = waiting.first, .nanoseconds(Int64(now - oldest.stamp)) > age { discard() }
    }

    mutating func discard() { discarded.append(waiting.removeFirst().element) }

    mutating func add(_ element: Int, _ weight: Int, _ now: UInt64) -> OfferResult {
      if !hasRoom(weight, now) {
        switch policy {
        case "drop oldest": while !hasRoom(weight, now) { discard() }
        case "drop newest":
          discarded.append(element)
          accepted += 1
          return .accepted
        case "expire":
          expire(now)
          if !hasRoom(weight, now) { return .full }
        default: return .full
        }
      }
      accepted += 1
      waiting.append((element, weight, now))
      return .accepted
    }

    mutating func take(_ limit: Int, _ now: UInt64) -> [Int] {
      expire(now)
      let taken = waiting.prefix(limit).map(\.element)
      waiting.removeFirst(taken.count)
      return taken
    }
  }

  private static let limits: [LinkLimit] = [
    .elements(1), .elements(5), .bytes(20), LinkLimit(elements: 4, bytes: 12),
    LinkLimit(elements: 6, bytes: 30, age: .nanoseconds(20)), LinkLimit(age: .nanoseconds(15)), .unbounded,
  ]

  @Test(arguments: limits)
  func `random offers and takes agree with the model for every policy`(limit: LinkLimit) {
    for policy in [OverflowPolicy<Int>.wait, .dropOldest, .dropNewest, .expire] {
      for seed in 1...20 as ClosedRange<UInt64> { compare(limit, policy, seed) }
    }
  }

  private func compare(_ limit: LinkLimit, _ policy: OverflowPolicy<Int>, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let weighs = limit.bytes != nil
    let bench = LinkBench(
      LinkState(limit: limit, policy: policy, weighs: weighs, chunkSize: 3, writers: 1, readers: 1))
    var model = Model(limit: limit, policy: policy.name)
    var now: UInt64 = 1
    for element in 0..<200 {
      now += UInt64(random.index(below: 6))
      if random.oneIn(3) {
        // One take gives one chunk: the model takes as many.
        let most = random.number(in: 1...6)
        let taken = bench.takeAll(most, at: now)
        let modelled = model.take(taken.count, now)
        #expect(taken == modelled && taken.count <= most)
        if taken.isEmpty { #expect(model.waiting.isEmpty) }
      } else {
        let weight = weighs ? random.number(in: 0...25) : 0
        let result = bench.add(element, weight: weight, at: now)
        let modelled = model.add(element, weight, now)
        #expect(result == modelled)
      }
      #expect(bench.count == model.waiting.count)
      #expect(bench.weight == model.weight)
      #expect(bench.isBalanced)
    }
    #expect(bench.discarded == model.discarded)
    #expect(bench.counters.accepted == UInt64(model.accepted))
    let rest = model.take(.max, now)
    let drained = bench.drain(at: now)
    #expect(drained == rest)
  }

  @Test func `a chunk fills the room there is and keeps the rest`() {
    var random = SeededGenerator(seed: 7)
    let bench = LinkBench(
      LinkState(limit: .elements(7), policy: .wait, weighs: false, chunkSize: 3, writers: 1, readers: 1))
    var pending = Array(0..<500)
    var received: [Int] = []
    while received.count < 500 {
      let part = Array(pending.prefix(random.number(in: 0...9)))
      let rest = bench.add(contentsOf: part)
      #expect(bench.count <= 7)
      pending.removeFirst(part.count - rest.count)
      received += bench.takeAll(random.number(in: 1...5))
      #expect(bench.isBalanced)
    }
    #expect(received == Array(0..<500))
  }
}
