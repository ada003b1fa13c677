import Synchronization
import Testing
import Weir
import WeirTesting

/// R06, R08 and R09: what a run releases, leaves behind, and shares.
@Suite struct RuleReleaseTests {
  @Test func `required_R06 sources are released before the run returns, however it ends`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let everything = EverythingGraph(simulation)
      let blueprint = try everything.blueprint()
      let ending = simulation.seed % 4
      try await everything.run(blueprint, options) { live in
        switch ending {
        case 0: await live.waitUntilEnded()
        case 1: live.abort()
        case 2: await live.drain(deadline: .seconds(100))
        default: try live[live.handles.stop].shutdown()
        }
      }
      let probe = everything.probe
      try simulation.require(probe.iteratorsMade == probe.iteratorsDestroyed, "\(probe.iteratorsMade)")
      try simulation.require(everything.leaks.survivors.isEmpty, "\(everything.leaks.survivors)")
    }
  }

  @Test func `required_R08 a finished run keeps no stage, closure or message alive`() throws {
    try runInSimulation(seeds: 60) { simulation, options in
      let leaks = LeakCheck()
      try await Self.runWithTrackedParts(simulation, options, leaks)
      try leaks.verify()
    }
  }

  private final class Message: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private static func runWithTrackedParts(
    _ simulation: Simulation, _ options: RunOptions, _ leaks: LeakCheck
  ) async throws {
    let closure = leaks.track(Message(-1), "a closure of the blueprint")
    let blueprint = try Blueprint("tracked") { graph in
      let messages = graph.source("messages", of: Message.self, limit: .elements(2)) { output in
        for number in 0..<20 {
          let message = leaks.track(Message(number), "message \(number)")
          if !(await output.send(message)) { return }
          await Task.yield()
        }
      }
      let fork = messages.via("keep", Keep<Message> { $0.number >= closure.number }).broadcast("fan")
      fork.first.boundary("hop", limit: .elements(2)).sink("slow", async: { _ in await Task.yield() })
      let held = fork.second.via("refuse", Keep<Message> { _ in true }, supervision: .skip)
      return held.sequence("out", limit: .elements(1))
    }
    try await blueprint.run(options) { live in
      switch simulation.seed % 3 {
      case 0:
        for try await _ in try live[live.handles] {}
      case 1:
        for try await message in try live[live.handles] where message.number == 3 { break }
      default:
        await simulation.pause("abort", atMost: 50)
        live.abort()
      }
    }
  }

  @Test func `required_R09 two runs at once share nothing`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let everything = EverythingGraph(simulation)
      everything.probe.finish()
      let blueprint = try everything.blueprint()
      let results = try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<2 {
          group.addTask {
            try await blueprint.run(options) { live in
              await live.waitUntilEnded()
              let ledger = try live[live.handles.ledger]
              try simulation.require(ledger.issued == 24 && ledger.settledPrefix == 24)
              return try live[live.handles.all].value.sorted()
            }
          }
        }
        return try await group.reduce(into: [[Int]]()) { $0.append($1) }
      }
      let expected = (Array(0..<12) + Array(0..<12)).filter { $0 % 2 == 0 }.sorted()
      try simulation.require(results == [expected, expected], "\(results)")
    }
  }

  @Test func `required_R09 a single-pass source refuses a second run with a clear error`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let (stream, input) = AsyncStream<Int>.makeStream()
      for element in 0..<5 { input.yield(element) }
      input.finish()
      let blueprint = try Blueprint("once") { graph in graph.source("stream", stream).collect("all") }
      try await blueprint.run(options)
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the second run did not fail")
      } catch let failure as StageFailure {
        try simulation.require(failure.code == "source-exhausted" && failure.node == "stream", "\(failure)")
      }
    }
  }

  @Test func `required_R09 what is made of a single-pass source is one`() throws {
    let (stream, input) = AsyncStream<Int>.makeStream()
    input.finish()
    let mapped = stream.map { $0 + 1 }.filter { $0 > 0 }.prefix(3)
    #expect(mapped as Any is any SinglePassSequence)
    let staged = try stream.via(Take(3))
    #expect(staged as Any is any SinglePassSequence)
  }
}
