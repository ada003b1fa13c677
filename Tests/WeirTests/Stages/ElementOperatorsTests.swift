import Testing
import Weir

private struct Message: Sendable, Equatable {
  let key: String
  let size: Int
}

@Suite struct ElementOperatorsTests {
  @Test func `closures and key paths need no annotations`() async throws {
    let log = Log<String>()
    let blueprint = try Blueprint("inference") { graph in
      graph.source("messages", (0..<20).map { Message(key: "k\($0 % 7)", size: $0) })
        .filter("even") { $0.size % 2 == 0 }
        .inspect("log") { log.add($0.key) }
        .dedupe("once", by: \.key, remembering: 100)
        .map("key", \.key)
        .compactMap("number") { $0.last?.wholeNumberValue }
        .expand("repeat") { [$0, $0] }
        .scan("sum", 0) { $0 += $1 }
        .dropWhile("small") { $0 < 5 }
        .takeWhile("bounded") { $0 < 1_000 }
        .batch("pairs", count: 2)
        .unbatch("singles")
        .drop("first", 1)
        .take("some", 9)
        .collect("all")
    }
    let keys = (0..<20).filter { $0 % 2 == 0 }.map { $0 % 7 }
    var seen = Set<Int>()
    let once = keys.filter { seen.insert($0).inserted }
    var sum = 0
    let sums = once.flatMap { [$0, $0] }.map { number -> Int in
      sum += number
      return sum
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == Array(sums.drop { $0 < 5 }.prefix { $0 < 1_000 }.dropFirst().prefix(9)))
    // What is not wanted any more is not asked for.
    #expect(keys.map { "k\($0)" }.starts(with: log.all))
    #expect(Set(log.all) == Set(once.map { "k\($0)" }))
  }

  @Test func `a closure that throws fails with its own error type`() {
    let map = Map { (value: Int) throws(Odd) -> Int in
      if value % 2 == 1 { throw Odd(value: value) }
      return value
    }
    do throws(Odd) {
      let all = try outputs(of: map, from: [2, 4, 5])
      Issue.record("no error, but \(all)")
    } catch {
      #expect(error == Odd(value: 5))
    }
  }

  @Test func `a failing closure can be supervised`() async throws {
    let blueprint = try Blueprint("skip") { graph in
      graph.source("numbers", 0..<10).map("even", supervision: .skip) { (value: Int) throws -> Int in
        if value % 2 == 1 { throw Odd(value: value) }
        return value
      }.collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == [0, 2, 4, 6, 8])
  }

  @Test(arguments: [0, 1, 3, 10, 11])
  func `take and drop split a sequence without loss`(count: Int) throws {
    let all = Array(0..<10)
    let taken = outputs(of: Take(count), from: all)
    let dropped = outputs(of: Drop(count), from: all)
    #expect(taken == Array(all.prefix(count)))
    #expect(dropped == Array(all.dropFirst(count)))
  }

  @Test func `take wants no more than is left and then nothing`() {
    var take = Take<Int>(2)
    #expect(take.demand == 2)
    take.process(1) { _ in }
    #expect(take.demand == 1)
    take.process(2) { _ in }
    #expect(take.demand == 0)
    var emitted: [Int] = []
    take.process(3) { emitted.append($0) }
    #expect(emitted.isEmpty)
  }

  @Test func `taking from a source that waits for ever ends the run`() async throws {
    let blueprint = try Blueprint("ends") { graph in
      graph.source("endless", of: Int.self) { output in
        var next = 0
        while await output.send(next) {
          next += 1
          if next == 3 { try await Task.sleep(for: .seconds(3_600)) }
        }
      }.take("three", 3).collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == [0, 1, 2])
  }

  @Test func `take while leaves the failing element out and ends`() {
    let log = Log<Int>()
    let stage = TakeWhile { (value: Int) -> Bool in
      log.add(value)
      return value < 3
    }
    let taken = outputs(of: stage, from: 0..<10)
    #expect(taken == [0, 1, 2])
    #expect(log.all == [0, 1, 2, 3])
  }

  @Test func `drop while looks no further once it has failed`() {
    let dropped = outputs(of: DropWhile { $0 < 3 }, from: [0, 1, 5, 2, 0])
    #expect(dropped == [5, 2, 0])
  }

  @Test func `negative counts are faults`() {
    #expect(Take<Int>(-1).faults.count == 1)
    #expect(Drop<Int>(-1).faults.count == 1)
    #expect(Take<Int>(0).faults.isEmpty && Drop<Int>(0).faults.isEmpty)
    #expect(Take<Int>(-1).demand == 0)
    #expect(throws: GraphFaults.self) {
      try Blueprint("faulty") { graph in
        graph.source("numbers", 0..<3).take("some", -1).ignore("end")
      }
    }
  }

  @Test func `expanding to nothing and to much keeps the counters balanced`() async throws {
    let blueprint = try Blueprint("expand") { graph in
      graph.source("numbers", 0..<500).expand("copies") { Array(repeating: $0, count: $0 % 5) }
        .fold("count", 0) { count, _ in count += 1 }
    }
    let (total, snapshot) = try await blueprint.run { live in
      await live.waitUntilEnded()
      return (try live[live.handles].value, live.snapshot())
    }
    #expect(total == (0..<500).reduce(0) { $0 + $1 % 5 })
    let node = try #require(snapshot[node: "copies"])
    #expect(node.elementsIn + node.created == node.elementsOut + node.filtered + node.merged)
    #expect(node.filtered == 100)
  }
}
