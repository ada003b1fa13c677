import Testing
import Weir

private struct Late: Error, Equatable {}

/// Emits what it holds at its end, and can then fail.
private struct Holding: Stage {
  var kept: [Int] = []
  var fails = false
  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Late) { kept.append(element) }
  mutating func finish(_ emit: (Int) -> Void) throws(Late) {
    for element in kept { emit(element) }
    kept = []
    if fails { throw Late() }
  }
  var held: Int { kept.count }
  var holds: Int? { nil }
}

/// Emits each element twice and then fails if it is odd.
private struct TwiceThenOdd: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
    emit(element)
    emit(element)
    if element % 2 == 1 { throw Odd(value: element) }
  }
}

@Suite struct FusedTests {
  @Test func `a fused chain gives what its stages give one after the other`() async throws {
    let fused = Fused {
      Map { (value: Int) in value * 3 }
      Filter { (value: Int) in value % 2 == 0 }
      Expand { (value: Int) in 0..<(value % 5) }
      Batch<Int>(count: 4)
      Unbatch<[Int]>()
      Drop<Int>(3)
      Scan(0) { (sum: inout Int, value: Int) in sum += value }
      Dedupe(by: { (value: Int) in value }, remembering: 50)
    }
    let blueprint = try Blueprint("parts") { graph in
      graph.source("numbers", 0..<200)
        .map("1") { $0 * 3 }.filter("2") { $0 % 2 == 0 }.expand("3") { 0..<($0 % 5) }.batch("4", count: 4)
        .unbatch("5").drop("6", 3).scan("7", 0) { $0 += $1 }.dedupe("8", by: { $0 }, remembering: 50).collect("all")
    }
    let parts: [Int] = try await blueprint.result()
    let whole = outputs(of: fused, from: 0..<200)
    #expect(whole == parts)
    #expect(!whole.isEmpty)
  }

  @Test func `stages that follow one another need no annotations`() {
    let stage = Map { (value: Int) in value + 1 }.then(Filter { $0 > 2 }).then(Take(2))
    #expect(outputs(of: stage, from: 0..<10) == [3, 4])
  }

  @Test func `a chain that cannot fail needs no try, one failing stage keeps its error type`() throws {
    let safe = Fused {
      Map { (value: Int) in value }
      Filter { (value: Int) in value > 0 }
    }
    let _: Never.Type = failure(of: safe)
    let first = Fused {
      RefusingOdd()
      Map { (value: Int) in value }
    }
    let _: Odd.Type = failure(of: first)
    let second = Fused {
      Map { (value: Int) in value }
      RefusingOdd()
    }
    let _: Odd.Type = failure(of: second)
    let both = Fused {
      RefusingOdd()
      Holding()
    }
    let _: (any Error).Type = failure(of: both)
    #expect(throws: Odd(value: 3)) { _ = try outputs(of: both, from: [2, 3]) }
  }

  private func failure<S: Stage>(of stage: S) -> S.Failure.Type { S.Failure.self }

  @Test func `everything emitted before an error is emitted, and the earlier error wins`() {
    var emitted: [Int] = []
    var stage = Fused {
      TwiceThenOdd()
      RefusingOdd()
    }
    #expect(throws: Odd(value: 3)) { try stage.process(3) { emitted.append($0) } }
    #expect(emitted.isEmpty)
    var other = Fused {
      TwiceThenOdd()
      Map { (value: Int) in value * 10 }
    }
    #expect(throws: Odd(value: 3)) { try other.process(3) { emitted.append($0) } }
    #expect(emitted == [30, 30])
  }

  @Test func `what a stage holds passes through the later ones at the end`() throws {
    let stage = Fused {
      Holding()
      Batch<Int>(count: 2)
    }
    let batches = try outputs(of: stage, from: 0..<5)
    #expect(batches == [[0, 1], [2, 3], [4]])
    let failing = Fused {
      Holding(fails: true)
      Batch<Int>(count: 2)
    }
    #expect(throws: Late()) { _ = try outputs(of: failing, from: 0..<5) }
  }

  @Test func `a satisfied later stage ends the chain and gets nothing more`() async throws {
    let asked = AskCounter()
    let stage = Fused {
      Inspect { (_: Int) in asked.add() }
      Expand { (value: Int) in Array(repeating: value, count: 10) }
      Take<Int>(15)
    }
    #expect(outputs(of: stage, from: 0..<100).count == 15)
    #expect(asked.count == 2)
    let blueprint = try Blueprint("ends") { graph in
      graph.source("numbers", 0..<1_000_000).via("fifteen", stage).collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == Array(repeating: 0, count: 10) + Array(repeating: 1, count: 5))
  }

  @Test func `faults, bounds and counts are those of all stages`() {
    let faulty = Fused {
      Take<Int>(-1)
      Batch<Int>(count: 0)
    }
    #expect(faulty.faults.count == 2)
    let bounded = Fused {
      Batch<Int>(count: 4)
      Unbatch<[Int]>()
      Batch<Int>(count: 3)
    }
    #expect(bounded.holds == 7)
    #expect(
      Fused {
        Holding()
        Batch<Int>(count: 3)
      }.holds == nil)
    #expect(
      Fused {
        Map { (value: Int) in value }
        Inspect { (_: Int) in }
      }.isOneToOne)
    #expect(!bounded.isOneToOne)
    var stage = bounded
    for value in 0..<7 { stage.process(value) { _ in } }
    #expect(stage.held == 3 + 1)
  }

  @Test func `the counters of a fused node balance`() async throws {
    let blueprint = try Blueprint("balance") { graph in
      graph.source("numbers", 0..<777).via(
        "fused",
        Fused {
          Expand { (value: Int) in 0..<(value % 4) }
          Batch<Int>(count: 10)
        }
      ).collect("all")
    }
    let snapshot = try await blueprint.run { live in
      await live.waitUntilEnded()
      return live.snapshot()
    }
    let node = try #require(snapshot[node: "fused"])
    #expect(node.elementsIn == 777)
    #expect(node.elementsIn + node.created == node.elementsOut + node.filtered + node.merged + node.inFlight)
    #expect(node.filtered < 777)
  }
}
