import Weir

/// Runs the checks of all rules that apply to a subject over all seeds.
struct Verifier<Input: Sendable, Output: Sendable & Equatable> {
  typealias Check = @Sendable (Rig<Input, Output>) async throws -> Void

  let subject: Subject<Input, Output>
  let seeds: Seeds
  let fileID: String
  let function: String

  /// Checks in the order in which they run: the plain run first, since the others build on it.
  private var checks: [(rule: Rule, seeds: Int, check: Check)] {
    [
      (.r03, .max, { try await $0.checkR03() }), (.r02, .max, { try await $0.checkR02() }),
      (.r05, .max, { try await $0.checkR05() }), (.r04, .max, { try await $0.checkR04() }),
      (.r17, 10, { try await $0.checkR17() }), (.r01, 5, { try await $0.checkR01() }),
      (.r06, .max, { try await $0.checkR06() }), (.r07, .max, { try await $0.checkR07() }),
      (.r08, .max, { try await $0.checkR08() }), (.r09, .max, { try await $0.checkR09() }),
      (.r12, .max, { try await $0.checkR12() }), (.r13, .max, { try await $0.checkR13() }),
      (.r14, .max, { try await $0.checkR14() }), (.r15, 1, { try await $0.checkR15() }),
      (.r16, .max, { try await $0.checkR16() }), (.r21, .max, { try await $0.checkR21() }),
      (.r22, .max, { try await $0.checkR22() }),
    ]
  }

  func report() throws -> VerificationReport {
    let seeds = try seeds.resolved()
    guard !subject.inputs.isEmpty else {
      let violation = Violation(
        expected: "a dozen elements that show what it does", seen: "none", finding: .noInputs, advice: nil)
      throw failure(violation, .r02, seeds.lowerBound)
    }
    var report = VerificationReport(name: subject.name, verdicts: [:])
    for rule in Rule.allCases {
      if let reason = subject.options.exceptions[rule] ?? rule.whyNotApplicable {
        report.verdicts[rule] = .notApplicable(reason)
      }
    }
    let reference = try self.reference(seed: seeds.lowerBound)
    for (rule, most, check) in checks where report.verdicts[rule] == nil {
      var runs = 0
      for seed in seeds.prefix(most) {
        try run(rule, seed: seed, reference: reference, check)
        runs += 1
      }
      report.verdicts[rule] = .held(runs: runs)
    }
    return report
  }

  /// What the inputs give: by the oracle, else by a first run with the chunks of one element.
  private func reference(seed: UInt64) throws -> [Output]? {
    if let outputs = subject.oracle?(subject.inputs) { return outputs }
    guard subject.options.isDeterministic else { return nil }
    let result = Recorder<[Output]>()
    try run(.r03, seed: seed, reference: nil) { rig in result.append(try await rig.run(subject.inputs).outputs) }
    return result.all.first
  }

  private func run(_ rule: Rule, seed: UInt64, reference: [Output]?, _ check: @escaping Check) throws {
    let subject = self.subject
    var options = SimulationOptions.quiet
    options.stepLimit = 10_000_000
    options.stallPatience = subject.options.stallPatience
    do {
      try simulate(seed: seed, options: options, fileID: fileID, function: function) { simulation in
        try await check(Rig(subject, simulation, reference: reference))
      }
    } catch let violation as Violation {
      throw failure(violation, rule, seed)
    } catch SimulationError.stalled(let stall) {
      let violation = Violation(
        expected: "the run ends", seen: "\(stall)", finding: .stalled,
        advice: """
          A stage that waits for a timer or a thread of its own is not seen by the simulation. Take both from the \
          Simulation that `verify` hands out, as in `async: { simulation in Slow(clock: simulation.clock) }`, or set \
          `stallPatience` of the options to wait in real time.
          """)
      throw failure(violation, rule, seed)
    } catch {
      throw failure(
        Violation(expected: "the run ends without an error", seen: "\(error)", finding: .threwError), rule, seed)
    }
  }

  private func failure(_ violation: Violation, _ rule: Rule, _ seed: UInt64) -> VerificationFailure {
    VerificationFailure(
      name: subject.name, rule: violation.rule ?? rule, finding: violation.finding, seed: seed,
      expected: violation.expected, seen: violation.seen, advice: violation.advice,
      replay: ReplayInstruction(seed: seed, fileID: fileID, function: function))
  }
}
