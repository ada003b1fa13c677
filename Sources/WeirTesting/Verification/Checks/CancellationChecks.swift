import Weir

/// R06, R07, R13, R16: aborts and drains at any moment.
extension Rig {
  func checkR06() async throws {
    let probe = SourceProbe<Input>()
    let inputs = subject.inputs
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source", probe)).collect("sink")
    }
    var generator = simulation.generator("ending")
    let ending = generator.index(below: 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await probe.send(contentsOf: inputs)
        if ending == 0 { probe.finish() }
      }
      try await blueprint.run(options) { live in
        switch ending {
        case 0: await live.waitUntilEnded()
        case 1:
          await pause("abort", atMost: 60)
          live.abort()
        default:
          await pause("drain", atMost: 60)
          await live.drain(deadline: .seconds(3_600))
        }
      }
      group.cancelAll()
    }
    try requireReleased(probe)
  }

  func checkR07() async throws {
    let yielded = Counter()
    let inputs = subject.inputs
    guard !inputs.isEmpty else { return }
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source") { EndlessSequence(elements: inputs, yielded: yielded) }).ignore("sink")
    }
    let atAbort = try await blueprint.run(options) { live in
      await pause("abort", atMost: 200)
      let count = yielded.value
      live.abort()
      return count
    }
    let more = yielded.value - atAbort
    try Violation.unless(
      more <= 1, expected: "the source stops with the element in hand", seen: "\(more) elements after the abort")
  }

  func checkR13() async throws {
    let inputs = subject.inputs
    var generator = simulation.generator("ending")
    let ending = generator.index(below: 3)
    let blueprint = try Blueprint("verification") { graph in
      let ledger = graph.ledger()
      let paused = graph.source("source") { PausingSequence(elements: inputs, yielded: Counter()) }
      let sink = wire(graph, paused.tracked("tracker", by: ledger)).collect("sink")
      return (ledger: ledger, sink: sink)
    }
    let (ledger, outputs) = try await blueprint.run(options) { live in
      switch ending {
      case 0: await live.waitUntilEnded()
      case 1:
        await pause("abort", atMost: 80)
        live.abort()
        await live.waitUntilEnded()
      default:
        await pause("drain", atMost: 80)
        let report = await live.drain(deadline: .seconds(3_600))
        try Violation.unless(report.endedInTime, expected: "a drain ends", seen: "\(report)")
      }
      return (try live[live.handles.ledger], try live[live.handles.sink].value)
    }
    try requireSettled(ledger, abandonedMayBe: ending == 1 || subject.options.mayFinishEarly)
    try witness.require(.r13, "finish emits all that is held")
    if ending == 0, let reference { try subject.compare(outputs, with: reference, "outputs") }
    if ending == 2, subject.oracle != nil, subject.options.isDeterministic, !subject.options.dependsOnTime {
      let fed = Array(inputs.prefix(Int(clamping: ledger.issued)))
      if let expected = expected(fed) { try subject.compare(outputs, with: expected, "outputs of a drained run") }
    }
  }

  private func requireSettled(_ ledger: SettlementLedger, abandonedMayBe: Bool) throws {
    let counts = ledger.counts
    let open = ledger.unsettled()
    try Violation.unless(open.isEmpty, expected: "every element is settled", seen: "still open: \(open)")
    let settled = counts.values.reduce(0, +)
    try Violation.unless(
      settled == ledger.issued, expected: "\(ledger.issued) outcomes, one for each element", seen: "\(counts)")
    try Violation.unless(counts[.lost] == nil, expected: "no element is lost", seen: "\(counts)")
    if !abandonedMayBe, counts[.abandoned] != nil {
      throw Violation(
        expected: "nothing is abandoned without an abort", seen: "\(counts)", advice: .mayFinishEarly)
    }
  }

  func checkR16() async throws {
    let inputs = subject.inputs
    guard !inputs.isEmpty else { return }
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source") { EndlessSequence(elements: inputs, yielded: Counter()) }).ignore("sink")
    }
    try await blueprint.run(options) { live in
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<3 {
          group.addTask {
            await pause("abort\(index)", atMost: 60)
            if index == 2 { await live.drain(deadline: .seconds(3_600)) } else { live.abort() }
            live.abort()
          }
        }
      }
    }
  }
}
