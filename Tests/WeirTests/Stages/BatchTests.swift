import Testing
import Weir

@Suite struct BatchTests {
  @Test(arguments: [1, 2, 3, 10, 11])
  func `batches have exactly the size asked for, the last may be smaller`(count: Int) {
    let all = Array(0..<10)
    let batches = outputs(of: Batch(count: count), from: all)
    let expected = stride(from: 0, to: 10, by: count).map { Array(all[$0..<min($0 + count, 10)]) }
    #expect(batches == expected)
  }

  @Test func `no elements give no batch`() {
    #expect(outputs(of: Batch<Int>(count: 3), from: []).isEmpty)
  }

  @Test func `no batch exceeds its weight except for one too heavy element alone`() {
    let weights = [3, 4, 9, 50, 1, 1, 8, 2, 0, 0, 10, 5]
    let batches = outputs(of: Batch(weight: 10) { (weight: Int) in weight }, from: weights)
    #expect(batches.flatMap { $0 } == weights)
    for batch in batches {
      #expect(!batch.isEmpty)
      #expect(batch.reduce(0, +) <= 10 || batch.count == 1)
    }
    for (batch, next) in zip(batches, batches.dropFirst()) {
      let weight = batch.reduce(0, +)
      #expect(weight >= 10 || weight + (next.first ?? 0) > 10, "the batch could have been fuller")
    }
  }

  @Test func `count and weight act together`() {
    let batches = outputs(of: Batch(count: 3, weight: 10) { (weight: Int) in weight }, from: [1, 1, 1, 9, 9, 1])
    #expect(batches == [[1, 1, 1], [9], [9, 1]])
  }

  @Test func `absurd weights do not trap`() {
    let batches = outputs(of: Batch(weight: .max) { (weight: Int) in weight }, from: [.max - 1, .max - 1, -5, .min, 3])
    #expect(batches == [[.max - 1], [.max - 1, -5, .min], [3]])
  }

  @Test func `limits that hold nothing are faults, and do not trap`() {
    #expect(Batch<Int>(count: 0).faults.count == 1)
    #expect(Batch<Int>(count: -1, weight: 0) { _ in 1 }.faults.count == 2)
    #expect(outputs(of: Batch<Int>(count: -1), from: [1, 2]) == [[1], [2]])
  }

  @Test func `a graph flushes the partial batch at its end`() async throws {
    let blueprint = try Blueprint("flush") { graph in
      graph.source("numbers", 0..<1_000).batch("tens", count: 300).collect("all")
    }
    let (all, snapshot) = try await blueprint.run { live in
      await live.waitUntilEnded()
      return (try live[live.handles].value, live.snapshot())
    }
    #expect(all.map(\.count) == [300, 300, 300, 100])
    #expect(all.flatMap { $0 } == Array(0..<1_000))
    let node = try #require(snapshot[node: "tens"])
    #expect(node.inFlight == 0)
    #expect(node.elementsIn + node.created == node.elementsOut + node.merged)
  }
}
