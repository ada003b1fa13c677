import Weir

/// R08, R09 and R15: what runs leave behind, what they share, how long they may be.
extension Rig {
  func checkR08() async throws {
    let leaks = witness.leaks
    let held = try await runHolding(leaks)
    try Violation.unless(
      leaks.survivors.isEmpty, expected: "nothing of a finished run is alive", seen: "\(leaks.survivors)")
    // The blueprint itself lives until here: it, not the run, may keep what its closures hold.
    withExtendedLifetime(held) {}
  }

  private func runHolding(_ leaks: LeakCheck) async throws -> Blueprint<Handle<RunResult<[Output]>>> {
    let inputs = subject.inputs
    let blueprint = try Blueprint("verification") { graph in
      let source = graph.source("source") { TrackedSequence(elements: inputs, leaks: leaks) }
      return wire(graph, source).collect("sink")
    }
    let aborts = simulation.seed % 2 == 0
    try await blueprint.run(options) { live in
      if aborts {
        await pause("abort", atMost: 40)
        live.abort()
      }
      await live.waitUntilEnded()
    }
    return blueprint
  }

  func checkR09() async throws {
    let inputs = subject.inputs
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source") { PausingSequence(elements: inputs, yielded: Counter()) }).collect("sink")
    }
    let outputs = try await withThrowingTaskGroup(of: [Output].self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await blueprint.run(options) { live in
            await live.waitUntilEnded()
            return try live[live.handles].value
          }
        }
      }
      var all: [[Output]] = []
      for try await one in group { all.append(one) }
      return all
    }
    guard let reference else { return }
    for one in outputs { try subject.compare(one, with: reference, "outputs of each of two runs at once") }
  }

  func checkR15() async throws {
    let inputs = subject.repeatedInputs(subject.options.longRun)
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source", inputs)).fold("sink", 0) { count, _ in count += 1 }
    }
    try await blueprint.run(options)
  }
}
