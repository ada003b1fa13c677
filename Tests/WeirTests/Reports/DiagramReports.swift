import Testing
import Weir
import WeirTesting

/// Failures that users of other systems reported about time and joins, as diagrams of whole graphs: one character is one
/// tick, and every diagram holds under many interleavings.
@Suite struct DiagramReports {
  /// Runs a graph between the inputs and a consumer that pulls as the expectation says.
  private func check(
    _ inputs: [String], _ expected: String, function: String = #function,
    _ build: @escaping @Sendable (GraphBuilder, [MarbleInput]) -> Outlet<String>
  ) throws {
    try Marble.check(inputs: inputs, expected: expected, function: function) { inputs, simulation, consumer in
      let blueprint = try Blueprint("diagram") { graph in build(graph, inputs).sequence("out", limit: .elements(1)) }
      try await blueprint.run(simulation.runOptions()) { live in
        await consumer.consume(try live[live.handles])
      }
    }
  }

  @Test func `async-algorithms 299: debounce emits nothing inside a burst, and an arrival on the deadline restarts it`()
    throws
  {
    try check(["ab--cd-e-f---gh|"], "------------f--[h|]") { graph, inputs in
      graph.source("in", inputs[0]).debounce("quiet", for: Marble.ticks(3))
    }
  }

  @Test func `async-algorithms 450: an error that reaches debounce while nobody waits is what the next pull gets`()
    throws
  {
    // The consumer first pulls on tick 7, long after the failure.
    try check(["a-^"], ",,,,,,^") { graph, inputs in
      graph.source("in", inputs[0]).debounce("quiet", for: Marble.ticks(3))
    }
  }

  @Test(arguments: ["ab------", "ab------c|"])
  func `async-algorithms 266, 413: throttle lets its last element out by itself on a quiet source`(input: String) throws
  {
    try check([input], input.hasSuffix("|") ? "a-b-----c|" : "a-b-----") { graph, inputs in
      graph.source("in", inputs[0]).throttle("slow", for: Marble.ticks(2))
    }
  }

  @Test func `akka 20232: a batch of one with a time limit gives its last element at the end`() throws {
    for (input, expected) in [("a|", "a|"), ("a-b|", "a-b|"), ("[ab]|", "[ab]|")] {
      try check([input], expected) { graph, inputs in
        graph.source("in", inputs[0]).batch("one", count: 1, within: Marble.ticks(10)).map("join") { $0.joined() }
      }
    }
    try check(["a-b-|"], "----['ab'|]") { graph, inputs in
      graph.source("in", inputs[0]).batch("some", count: 5, within: Marble.ticks(10)).map("join") { $0.joined() }
    }
  }

  @Test func `async-algorithms 268, 312: batches of one are exact, empty ones come only when asked for`() throws {
    try check(["[abc]-d|"], "[abc]-d|") { graph, inputs in
      graph.source("in", inputs[0]).batch("one", count: 1).map("join") { $0.joined() }
    }
    try check(["---a----|"], "-----'<a>'--|") { graph, inputs in
      graph.source("in", inputs[0]).batch("full", within: Marble.ticks(2)).map("join") { "<\($0.joined())>" }
    }
    try check(["---a----|"], "-'<>'---'<a>'-'<>'|") { graph, inputs in
      graph.source("in", inputs[0]).batch("all", within: Marble.ticks(2), includingEmpty: true)
        .map("join") { "<\($0.joined())>" }
    }
  }

  @Test func `OpenCombine 1: merge and combineLatest are in the core`() throws {
    try check(["a-c-|", "-b-d-|"], "abcd-|") { graph, inputs in
      graph.merge("merge", graph.source("one", inputs[0]), graph.source("two", inputs[1]))
    }
    try check(["a-^", "-b-----"], "ab^") { graph, inputs in
      graph.merge("merge", graph.source("one", inputs[0]), graph.source("two", inputs[1]))
    }
    try check(["a-c-|", "-b-d-|"], "-'ab''cb''cd'-|") { graph, inputs in
      graph.combineLatest("latest", graph.source("one", inputs[0]), graph.source("two", inputs[1])).map("pair") {
        $0.0 + $0.1
      }
    }
  }

  @Test func `reactor 1557, 2839: a timed batch that nobody asks for waits and grows to its limit, without an error`()
    throws
  {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("unasked") { graph in
        graph.source("ticks", of: Int.self) { output in
          for number in 0..<20 {
            await output.send(number)
            try await simulation.clock.sleep(for: .seconds(1))
          }
        }.batch("batch", count: 4, within: .milliseconds(1_500)).sequence("out", limit: .elements(1))
      }
      let batches = try await blueprint.run(options) { live in
        try await simulation.clock.sleep(for: .seconds(3_600))
        await simulation.settle()
        try simulation.require(live.snapshot()[link: "out"]?.depth == 1, "downstream was not full")
        var batches: [[Int]] = []
        for try await batch in try live[live.handles] { batches.append(batch) }
        return batches
      }
      try simulation.require(batches.flatMap { $0 } == Array(0..<20), "\(batches)")
      try simulation.require(batches.allSatisfy { (1...4).contains($0.count) }, "\(batches)")
      // By time alone no batch would hold more than two.
      try simulation.require(batches.contains { $0.count == 4 }, "nothing grew: \(batches)")
    }
  }

  @Test func `turbine 268: awaiting an item that only time can bring is an error, where the test moves time`() throws {
    var options = SimulationOptions.manualTime
    options.report = SimulationOptions.quiet.report
    do {
      try simulate(options: options) { simulation in
        try await withSinkProbe(over: Ticks(clock: simulation.clock)) { _ = try await $0.request(2) }
      }
      Issue.record("time has moved by itself")
    } catch SimulationError.stalled(let stall) {
      #expect(stall.now == .zero)
    }
  }

  @Test func `turbine 268: awaiting an item moves no time unless the test says so`() throws {
    try forEachSeed(count: 20, options: .manualTime) { simulation in
      let blueprint = try Blueprint("ticks") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).sequence("out")
      }
      try await blueprint.run(simulation.runOptions()) { live in
        let items = try live[live.handles]
        try await withSinkProbe(over: items) { sink in
          let first = try await sink.next()
          try simulation.require(first == 0 && simulation.clock.now.offset == .zero)
          sink.demand(1)
          await simulation.settle()
          try simulation.require(sink.received == [0] && simulation.clock.now.offset == .zero, "time has jumped")
          await simulation.advance(by: .milliseconds(999))
          await simulation.settle()
          try simulation.require(sink.received == [0], "too early")
          await simulation.advance(by: .milliseconds(1))
          await simulation.settle()
          try simulation.require(sink.received == [0, 1], "\(sink.received)")
        }
        live.abort()
      }
    }
  }
}
