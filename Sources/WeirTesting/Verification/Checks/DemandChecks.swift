import Weir

/// R01 and R12: consumers that do not take, and consumers that leave.
extension Rig {
  func checkR01() async throws {
    let count = 4_096
    let inputs = subject.repeatedInputs(count)
    let blueprint = try Blueprint("verification") { graph in
      let ledger = graph.ledger()
      let source = graph.source("source", inputs).tracked("tracker", by: ledger)
      return (ledger: ledger, sink: wire(graph, source).sequence("sink", limit: .elements(2)))
    }
    let bound = blueprint.memoryBound(chunkSize: chunkSize).elements
    let (inside, links) = try await blueprint.run(options) { live in
      let ledger = try live[live.handles.ledger]
      await simulation.settle()
      let inside = ledger.unsettled(limit: count).count
      let links = live.snapshot().links
      live.abort()
      return (inside, links)
    }
    if let bound {
      try Violation.unless(
        inside <= bound, expected: "at most \(bound) elements inside while nobody takes any", seen: "\(inside)")
    }
    for link in links {
      guard let limit = link.limit.elements else { continue }
      try Violation.unless(
        link.counters.highWater <= limit, expected: "link \"\(link.name)\" holds at most \(limit)",
        seen: "\(link.counters.highWater)")
    }
  }

  func checkR12() async throws {
    let inputs = subject.repeatedInputs(subject.inputs.count * 20)
    var generator = simulation.generator("leave")
    let wanted = generator.index(below: 4)
    let waits = generator.oneIn(2)
    let probe = SourceProbe<Input>()
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source", probe, limit: .elements(1))).sequence("sink", limit: .elements(1))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await probe.send(contentsOf: inputs)
        probe.finish()
      }
      try await blueprint.run(options) { live in
        let sequence = try live[live.handles]
        if waits { await simulation.settle() }
        var taken = 0
        if wanted > 0 {
          for try await _ in sequence {
            taken += 1
            if taken == wanted { break }
          }
        }
        sequence.close()
      }
      group.cancelAll()
    }
    try requireReleased(probe)
  }

  func requireReleased(_ probe: SourceProbe<Input>) throws {
    try Violation.unless(
      probe.iteratorsMade == probe.iteratorsDestroyed, expected: "the source's iterator is gone when the run returns",
      seen: "\(probe.iteratorsMade) made, \(probe.iteratorsDestroyed) destroyed")
  }
}
