import Weir

/// What the failing sources of the checks throw.
struct PlannedFailure: Error, Equatable {}

/// R04 and R14: failures on their way, and errors nobody waits for.
extension Rig {
  func checkR04() async throws {
    var generator = simulation.generator("failure")
    let inputs = Array(subject.inputs.prefix(generator.index(below: subject.inputs.count + 1)))
    let blueprint = try Blueprint("verification") { graph in
      let source = graph.source("source") { FailingSequence(elements: inputs) }
      return wire(graph, source).sequence("sink", limit: .elements(1))
    }
    let seen = Recorder<Output>()
    let ends = Recorder<String>()
    var thrown: (any Error)?
    do {
      try await blueprint.run(options) { live in
        var iterator = try live[live.handles].makeAsyncIterator()
        do {
          while let element = try await iterator.next() { seen.append(element) }
          ends.append("finished")
        } catch PortInterruption.failed(let failure) {
          ends.append("failed: \(failure)")
        }
        if try await iterator.next() != nil { ends.append("an element after the end") }
      }
    } catch {
      thrown = error
    }
    if subject.options.mayFinishEarly, thrown == nil { return }
    let failure = thrown as? StageFailure
    if failure?.node != "source" || !(failure?.cause is PlannedFailure) {
      throw Violation(
        expected: "the run throws the failure of \"source\"",
        seen: thrown.map { "\($0)" } ?? "the run ended normally", advice: thrown == nil ? .mayFinishEarly : nil)
    }
    let wanted = ["failed: \(failure.map { "\($0)" } ?? "")"]
    let early = subject.options.mayFinishEarly && ends.all == ["finished"]
    if ends.all != wanted, !early {
      throw Violation(
        expected: "the consumer gets the failure once", seen: "\(ends.all)",
        advice: ends.all == ["finished"] ? .mayFinishEarly : nil)
    }
    try await compareBeforeFailure(seen.all, inputs, early: early)
  }

  private func compareBeforeFailure(_ seen: [Output], _ inputs: [Input], early: Bool) async throws {
    if !early, let exact = await subject.oracleWithoutEnd?(inputs, simulation) {
      try subject.compare(seen, with: exact, "what was emitted before the failure")
    } else if let all = expected(inputs) {
      try subject.compare(seen, withBeginningOf: all, "what was emitted before the failure")
    }
  }

  func checkR14() async throws {
    let inputs = subject.inputs
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source") { PausingSequence(elements: inputs, yielded: Counter()) }).collect("sink")
    }
    let failure = await withTaskGroup(of: Void.self, returning: (any Error)?.self) { group in
      let failures = Recorder<any Error>()
      group.addTask {
        do { try await blueprint.run(options) } catch { failures.append(error) }
      }
      await pause("cancel", atMost: 60)
      group.cancelAll()
      await group.waitForAll()
      return failures.all.first
    }
    try Violation.unless(
      failure == nil || failure is CancellationError, expected: "a cancelled run throws CancellationError",
      seen: failure.map { "\($0)" } ?? "")
    try Violation.unless(late.all.isEmpty, expected: "no failure where nothing fails", seen: "\(late.all)")
  }
}
