import Weir

/// R02, R03, R05, R17: normal runs and their ends.
extension Rig {
  func checkR02() async throws {
    let (outputs, _) = try await run([])
    if let expected = expected([]) { try subject.compare(outputs, with: expected, "an empty input") }
  }

  func checkR03() async throws {
    let (outputs, _) = try await run(subject.inputs)
    try witness.require(.r03, "calls one after the other, each seeing the state of the last")
    try witness.require(.r01, "a stage holds no more than it says")
    if let reference { try subject.compare(outputs, with: reference, "outputs") }
  }

  func checkR05() async throws {
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source", subject.inputs)).sequence("sink", limit: .elements(1))
    }
    let (outputs, after) = try await blueprint.run(options) { live in
      var iterator = try live[live.handles].makeAsyncIterator()
      var outputs: [Output] = []
      while let element = try await iterator.next() { outputs.append(element) }
      var after = 0
      for _ in 0..<3 where try await iterator.next() != nil { after += 1 }
      return (outputs, after)
    }
    try Violation.unless(after == 0, expected: "nothing after the end", seen: "\(after) more elements")
    if let reference { try subject.compare(outputs, with: reference, "outputs, pulled one at a time") }
  }

  func checkR17() async throws {
    let blueprint = try Blueprint("verification") { graph in
      let stop = graph.killSwitch("stop")
      let all = wire(graph, graph.source("source", subject.inputs)).collect("sink")
      return (stop: stop, all: all)
    }
    let (report, outputs) = try await blueprint.run(options) { live in
      await live.waitUntilEnded()
      let report = await live.drain(deadline: .seconds(1))
      live.abort()
      try live[live.handles.stop].shutdown()
      live.abort()
      return (report, try live[live.handles.all].value)
    }
    try Violation.unless(
      report.endedInTime && report.unsettled.isEmpty, expected: "a drain after the end reports the end",
      seen: "\(report)")
    if let reference { try subject.compare(outputs, with: reference, "outputs") }
  }
}
