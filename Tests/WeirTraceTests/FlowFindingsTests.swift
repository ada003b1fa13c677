import Testing
import Weir
import WeirTesting
import WeirTrace

/// Graphs that are held up in one known place: the findings name it.
@Suite struct FlowFindingsTests {
  /// Runs a graph for ten virtual seconds and says what was found about the second half.
  private func findings(
    _ build: @escaping @Sendable (GraphBuilder, Simulation) -> Void,
    check: @escaping @Sendable (FlowFindings) throws -> Void
  ) throws {
    try forEachSeed(count: 20) { simulation in
      let blueprint = try Blueprint("sick") { graph in build(graph, simulation) }
      try await blueprint.run(simulation.runOptions(chunkSize: 4)) { live in
        try await simulation.clock.sleep(for: .seconds(5))
        let earlier = live.snapshot()
        try await simulation.clock.sleep(for: .seconds(5))
        try check(FlowFindings(blueprint, from: earlier, to: live.snapshot()))
        live.abort()
      }
    }
  }

  @Test func `a slow sink is the culprit, not the nodes it makes wait`() throws {
    try findings { graph, simulation in
      graph.source("numbers", 0...).map("double") { $0 * 2 }.boundary("to-disk", limit: .elements(8))
        .map("encode") { $0 + 1 }.boundary("to-writer", limit: .elements(8))
        .sink("writer", async: { _ in try? await simulation.clock.sleep(for: .milliseconds(10)) })
    } check: { findings in
      #expect(findings.culprit?.node == "writer")
      #expect((findings.culprit?.busy ?? 0) > 0.9 && (findings.culprit?.blocked ?? 0) > 0.9)
      #expect(
        findings.sentences.first?.hasPrefix("\"writer\" holds the flow up: it is at work 100 % of the time") == true)
      #expect(findings.sentences.first?.contains(" of 8 elements wait in link \"to-writer\"") == true)
    }
  }

  @Test func `a slow stage in the middle is the culprit, while what follows it is idle`() throws {
    try findings { graph, simulation in
      graph.source("numbers", 0...).boundary("in", limit: .elements(8))
        .via(
          "hooks",
          AsyncMap { number in
            try? await simulation.clock.sleep(for: .milliseconds(10))
            return number
          }
        )
        .boundary("out", limit: .elements(8)).sink("fast") { _ in }
    } check: { findings in
      #expect(findings.culprit?.node == "hooks")
    }
  }

  @Test func `a starved source is named, and nobody is blamed`() throws {
    try findings { graph, simulation in
      graph.source("trickle", of: Int.self) { output in
        while await output.send(1) { try await simulation.clock.sleep(for: .seconds(1)) }
      }
      .boundary("hop", limit: .elements(8)).sink("end") { _ in }
    } check: { findings in
      #expect(findings.culprit == nil)
      #expect(findings.sentences == ["nothing holds the flow up: it waits for what \"trickle\" brings"])
    }
  }

  @Test func `what is lost is said, with the number and the place`() throws {
    struct Odd: Error {}
    try findings { graph, simulation in
      graph.source("ticks", of: Int.self) { output in
        var number = 0
        while await output.send(number) {
          number += 1
          try await simulation.clock.sleep(for: .milliseconds(100))
        }
      }
      .via("picky", Picky(), supervision: .skip)
      .boundary("lossy", limit: .elements(2), policy: .dropOldest)
      .sink("slow", async: { _ in try? await simulation.clock.sleep(for: .seconds(1)) })
    } check: { findings in
      #expect(findings.sentences.contains { $0.hasPrefix("\"picky\" has given up 2") })
      #expect(
        findings.sentences.contains { $0.contains("link \"lossy\" has dropped") && $0.hasSuffix("for want of room") })
    }
  }

  private struct Picky: Stage {
    struct Refused: Error {}
    func process(_ element: Int, _ emit: (Int) -> Void) throws(Refused) {
      if element % 2 == 1 { throw Refused() }
      emit(element)
    }
  }
}

/// An asynchronous map of a test.
struct AsyncMap: AsyncStage {
  let transform: @Sendable (Int) async -> Int
  init(_ transform: @escaping @Sendable (Int) async -> Int) { self.transform = transform }
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async { emit(await transform(element)) }
}
