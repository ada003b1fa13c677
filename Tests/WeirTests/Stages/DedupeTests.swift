import Testing
import Weir

@Suite struct DedupeTests {
  /// The specification, written the slow way.
  private func reference(_ keys: [Int], remembering limit: Int) -> [Int] {
    var remembered: [Int] = []
    var passed: [Int] = []
    for key in keys where !remembered.contains(key) {
      passed.append(key)
      remembered.append(key)
      if remembered.count > limit { remembered.removeFirst() }
    }
    return passed
  }

  @Test(arguments: [1, 2, 7, 16, 17, 40, 100])
  func `the count bound forgets the oldest key and nothing else`(limit: Int) {
    var random = SystemRandomNumberGenerator()
    let keys = (0..<5_000).map { _ in Int.random(in: 0..<50, using: &random) }
    let passed = outputs(of: Dedupe(by: { (key: Int) in key }, remembering: limit), from: keys)
    #expect(passed == reference(keys, remembering: limit), "keys: \(keys.prefix(50))…")
  }

  @Test func `a first occurrence always passes and memory stays bounded`() {
    let memory = DedupeMemory<Int>(remembering: 1_000)
    let passed = outputs(of: Dedupe(by: { (key: Int) in key }, in: memory), from: 0..<200_000)
    #expect(passed.count == 200_000)
    #expect(memory.count == 1_000)
  }

  @Test func `a forgotten key passes again, and its old place does not evict it early`() {
    let memory = DedupeMemory<String>(remembering: 3)
    let stage = Dedupe(by: { (key: String) in key }, in: memory)
    #expect(outputs(of: stage, from: ["a", "b", "a"]) == ["a", "b"])
    #expect(memory.forget("a"))
    #expect(!memory.forget("a"))
    #expect(outputs(of: stage, from: ["a", "c", "a", "b"]) == ["a", "c"])
    #expect(memory.contains("a") && memory.contains("c"))
  }

  /// A key of which many look alike at first.
  private struct Lookalike: Hashable {
    let number: Int
    func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
  }

  @Test(arguments: [1, 5, 16, 33, 64])
  func `keys that hash alike are found, forgotten and seen again as any others`(limit: Int) {
    let memory = DedupeMemory<Lookalike>(remembering: limit)
    // The specification: a forgotten key keeps its place in the order until it is the oldest.
    var order: [Lookalike?] = []
    for step in 0..<20_000 {
      let key = Lookalike(number: .random(in: 0..<(limit * 2 + 3)))
      if step % 3 == 0 {
        let place = order.firstIndex(of: key)
        #expect(memory.forget(key) == (place != nil))
        if let place { order[place] = nil }
      } else {
        let isNew = !order.contains(key)
        #expect(memory.insert(key) == isNew)
        if isNew {
          order.append(key)
          if order.count > limit { order.removeFirst() }
        }
      }
      let other = Lookalike(number: .random(in: 0..<(limit * 2 + 3)))
      #expect(memory.contains(other) == order.contains(other))
      #expect(memory.count == order.count { $0 != nil })
    }
  }

  @Test func `a shared memory spans stages and runs, an own one does not`() async throws {
    let memory = DedupeMemory<Int>(remembering: 100)
    let shared = try Blueprint("shared") { graph in
      graph.source("numbers", 0..<10).dedupe("once", by: { $0 % 5 }, in: memory).collect("all")
    }
    let own = try Blueprint("own") { graph in
      graph.source("numbers", 0..<10).dedupe("once", by: { $0 % 5 }, remembering: 100).collect("all")
    }
    for round in 0..<2 {
      let once: [Int] = try await shared.result()
      let again: [Int] = try await own.result()
      #expect(once == (round == 0 ? Array(0..<5) : []))
      #expect(again == Array(0..<5))
    }
  }

  @Test func `a key is forgotten exactly when its age is reached, and not renewed by repetitions`() throws {
    let stage = TimedDedupe(by: { (key: String) in key }, remembering: 10, forgetting: .seconds(10))
    let arrivals = [0, 4, 9, 10, 19, 20].map { Arrival<String>(.seconds($0), "a") } + [Arrival(.seconds(21), "b")]
    let out = departures(of: stage, from: arrivals, end: .seconds(30))
    #expect(out == [0, 10, 20].map { Departure<String>(.seconds($0), "a") } + [Departure(.seconds(21), "b")])
  }

  @Test func `a timed memory stays bounded by count and by age`() {
    // Two thousand keys a second for two hours, one new every half millisecond.
    var stage = TimedDedupe(by: { (key: Int) in key }, remembering: 5_000, forgetting: .seconds(600))
    var passed = 0
    for key in 0..<200_000 {
      let now = Duration.microseconds(500) * key
      stage.process(key, at: now) { _ in passed += 1 }
      stage.process(key, at: now) { _ in passed += 1 }
    }
    #expect(passed == 200_000)
  }

  @Test func `counts and ages of zero are faults`() {
    #expect(Dedupe(by: { (key: Int) in key }, remembering: 0).faults.count == 1)
    #expect(TimedDedupe(by: { (key: Int) in key }, remembering: -1, forgetting: .zero).faults.count == 2)
    #expect(
      TimedDedupe(by: { (key: Int) in key }, remembering: 1, forgetting: .seconds(Int64.max)).faults.count == 1)
    #expect(outputs(of: Dedupe(by: { (key: Int) in key }, remembering: -7), from: [1, 1, 2]) == [1, 2])
  }

  @Test func `a timed dedupe works in a graph`() async throws {
    let blueprint = try Blueprint("timed") { graph in
      graph.source("numbers", 0..<1_000)
        .dedupe("once", by: { $0 % 10 }, remembering: 100, forgetting: .seconds(600)).collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == Array(0..<10))
  }
}
