import Testing
import WeirTesting

@testable import Weir

/// Faults of blueprints: all at once, each with its place.
@Suite struct FaultTests {
  private func faults(_ build: (GraphBuilder) throws -> Void) -> [GraphFault] {
    do {
      _ = try Blueprint("faulty", build)
      return []
    } catch {
      return error.faults
    }
  }

  @Test func `required_R18 every fault is listed at once with file and line`() {
    let line = #line + 2
    let found = faults { graph in
      let out = graph.source("numbers", 0..<5).boundary("narrow", limit: .elements(0))
      let called = out.via("called", SlowEcho(), parallel: .unordered(0))
      called.via("called", SlowEcho(), limit: .bytes(-1), supervision: .restart(Backoff(factor: 0.5))).ignore("end")
      _ = graph.source("forgotten", 0..<5)
      graph.source("other", 0..<5).balance("share", legs: 0) { _, leg in leg.ignore("never") }
    }
    let expected: [(GraphFault.Kind, String, Int)] = [
      (.badLimit, "narrow", 0), (.badStage, "called", 1), (.badStage, "called", 2), (.badLimit, "called", 2),
      (.badStage, "share", 4), (.duplicateName, "called", 2), (.openPort, "forgotten", 3),
    ]
    #expect(found.map(\.kind) == expected.map(\.0))
    #expect(found.map(\.node) == expected.map(\.1))
    #expect(found.map { $0.location?.line ?? 0 } == expected.map { UInt(line + $0.2) })
    #expect(found.allSatisfy { $0.location?.file.hasSuffix("FaultTests.swift") == true })
    let text = GraphFaults(graph: "faulty", faults: found).description
    #expect(text.hasPrefix("blueprint \"faulty\" has 7 faults:\n"))
    #expect(text.split(separator: "\n").count == 8)
  }

  @Test func `a node without a name is a fault`() {
    let line = #line + 2
    let found = faults { graph in
      graph.source("", 0..<5).map("") { $0 + 1 }.ignore("end")
    }
    #expect(found.map(\.kind) == [.emptyName, .emptyName])
    #expect(found.map { $0.location?.line } == [UInt(line), UInt(line)])
  }

  @Test func `required_R18 impossible numbers are faults and never traps`() {
    for number in [Int.min, -1, 0] {
      let found = faults { graph in
        graph.source("a", 0..<5).via("async", SlowEcho(), parallel: .ordered(number)).ignore("end a")
        graph.source("b", 0..<5).lanes("lanes", number, by: { "\($0)" }) { _, lane in lane }.ignore("end b")
        graph.prioritizedMerge("merge", 1, share: number) { _ in graph.source("c", 0..<5) }.ignore("end c")
        graph.merge("none", number) { _ in graph.source("d", 0..<5) }.ignore("end d")
        graph.source("e", 0..<5).balance("share", legs: 1, atOnce: number) { _, leg in leg.ignore("end e") }
        graph.source("f", 0..<5).boundary("age", limit: LinkLimit(age: .nanoseconds(Int64(clamping: number))))
          .ignore("end f")
      }
      #expect(Set(found.map(\.node)) == ["async", "lanes", "merge", "none", "share", "age"])
    }
    let huge = faults { graph in
      graph.source("a", 0..<5).via("async", SlowEcho(), parallel: .ordered(.max)).ignore("end a")
    }
    #expect(huge.map(\.kind) == [.badStage])
  }

  @Test func `required_R18 a hub, a chunk stage and a run that could carry nothing are refused`() throws {
    let line = #line + 2
    let found = faults { graph in
      graph.source("hub", MergeHub<Int>(limit: .elements(0))).ignore("end")
      graph.source("a", 0..<5).via("at most 0", ChunkStage(maximum: 0)).ignore("end a")
      graph.source("b", 0..<5).sink("at most -1", ChunkSink(maximum: -1))
      graph.source("good hub", MergeHub<Int>(limit: .elements(1))).ignore("good end")
      graph.source("c", 0..<5).via("at most 1", ChunkStage(maximum: 1)).ignore("end c")
    }
    #expect(found.map(\.node) == ["hub", "at most 0", "at most -1"])
    #expect(found.map(\.kind) == [.badLimit, .badStage, .badStage])
    #expect(found.map { $0.location?.line ?? 0 } == [0, 1, 2].map { UInt(line + $0) })
    #expect(throws: StageFaults.self) { _ = try [1].async.via(ChunkStage(maximum: .min)) }
  }

  @Test(arguments: [0, -1, Int.min]) func `required_R18 a run with empty chunks does not begin`(size: Int) async throws
  {
    let blueprint = try Blueprint("chunks") { graph in graph.source("numbers", 0..<5).collect("all") }
    let refused = await #expect(throws: RunError.self) {
      try await blueprint.run(RunOptions(chunkSize: size)) { _ in Issue.record("the run has begun") }
    }
    #expect(refused?.code == "bad-limit")
    let all = try await blueprint.result(RunOptions(chunkSize: 1))
    #expect(all == Array(0..<5))
  }

  @Test func `a ledger follows one tracker of its own blueprint`() throws {
    let line = #line + 4
    let found = faults { graph in
      let ledger = graph.ledger()
      graph.source("a", 0..<5).tracked("first", by: ledger).ignore("end a")
      graph.source("b", 0..<5).tracked("second", by: ledger).ignore("end b")
      _ = try Blueprint("inner") { inner in
        inner.source("c", 0..<5).tracked("fine", by: inner.ledger()).ignore("end c")
      }
    }
    #expect(found.map(\.node) == ["second"] && found.first?.location?.line == UInt(line))
    #expect(found.first?.message.contains("\"first\"") == true)
    let other = try Blueprint("other") { graph in
      let ledger = graph.ledger()
      graph.source("a", 0..<5).tracked("own", by: ledger).ignore("end")
      return ledger
    }
    let foreign = faults { graph in graph.source("a", 0..<5).tracked("foreign", by: other.handles).ignore("end") }
    #expect(foreign.map(\.kind) == [.foreignPort])
  }

  @Test func `an empty blueprint and a throwing builder are faults`() {
    #expect(faults { _ in }.map(\.kind) == [.empty])
    let thrown = faults { graph in
      graph.source("numbers", 0..<5).ignore("end")
      throw Odd(value: 3)
    }
    #expect(thrown.count == 1 && thrown.first?.message.contains("Odd(value: 3)") == true)
  }

  @Test func `a port of another blueprint is a fault of the one it is wired into`() {
    let found = faults { graph in
      _ = try Blueprint("inner") { inner in
        graph.merge("merge", graph.source("own", 0..<5), inner.source("foreign", 0..<5)).ignore("end")
        inner.source("fine", 0..<5).ignore("inner end")
      }
    }
    #expect(found.contains { $0.kind == .foreignPort && $0.message.contains("\"inner\"") })
  }

  @Test func `joins that can starve are found, harmless ones are not`() {
    let starving = faults { graph in
      let fork = graph.source("numbers", 0..<5).broadcast("fan")
      graph.zip("zip", fork.first.via("even", Keep { $0 % 2 == 0 }), fork.second).ignore("end")
    }
    #expect(starving.map(\.kind) == [.starvingJoin])
    #expect(starving.first?.message.contains("\"fan\"") == true)
    let dropping = faults { graph in
      let fork = graph.source("numbers", 0..<5).broadcast("fan", second: Leg("second", policy: .dropOldest))
      graph.zip("zip", fork.first, fork.second).ignore("end")
    }
    #expect(dropping.map(\.kind) == [.starvingJoin])
    let concat = faults { graph in
      let fork = graph.source("numbers", 0..<5).broadcast("fan")
      graph.concat("concat", fork.first, fork.second).ignore("end")
    }
    #expect(concat.map(\.kind) == [.starvingJoin])
    let harmless = faults { graph in
      let fork = graph.source("numbers", 0..<5).broadcast("fan")
      graph.zip("zip", fork.first.via("one", Apply { $0 + 1 }).boundary("hop"), fork.second).ignore("end")
      graph.zip("two", graph.source("a", 0..<5), graph.source("b", 0..<5)).ignore("end two")
    }
    #expect(harmless.isEmpty)
  }

  @Test func `a zip of harmless legs does not hang`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("zip") { graph in
        let fork = graph.source("numbers", 0..<25).via("many", Many(20)).broadcast(
          "fan", first: Leg("first", limit: .elements(1)), second: Leg("second", limit: .elements(3)))
        return graph.zip(
          "zip", fork.first.via("one", Apply { $0 + 1 }).boundary("hop", limit: .elements(2)), fork.second
        )
        .via("difference", Apply { $0.0 - $0.1 }).collect("all")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == Array(repeating: 1, count: 500))
      }
    }
  }
}

/// Works on up to so many at once.
struct ChunkStage: AsyncChunkStage {
  let maximum: Int
  mutating func process(_ elements: [Int], _ emit: (Int) -> Void) async { for element in elements { emit(element) } }
}

/// Takes up to so many at once.
struct ChunkSink: AsyncChunkStage {
  let maximum: Int
  mutating func process(_ elements: [Int], _ emit: (Never) -> Void) async {}
}

/// Many of one.
struct Many: Stage {
  let count: Int
  init(_ count: Int) { self.count = count }
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { for _ in 0..<count { emit(element) } }
}
