import Testing

@testable import WeirBenchmarks

@Suite struct HarnessTests {
  @Test func `a speed-up is better when it is more, a cost when it is less`() {
    let speedup = Comparison.speedup("ours", over: "theirs", goal: 10)
    #expect(speedup.value(subject: 2, reference: 30) == 15)
    #expect(ComparisonReport(speedup, value: 15).reachesGoal == true)
    #expect(ComparisonReport(speedup, value: 9).reachesGoal == false)

    let cost = Comparison.cost("ours", of: "loop", goal: 5)
    #expect(cost.value(subject: 12, reference: 3) == 4)
    #expect(ComparisonReport(cost, value: 4).reachesGoal == true)
    #expect(ComparisonReport(cost, value: 6).reachesGoal == false)

    #expect(Comparison.added("traced", to: "untraced", parts: 8).value(subject: 20, reference: 12) == 1)
  }

  @Test func `a figure worse than its stored threshold is told from one within it`() throws {
    let comparisons = Program.families.flatMap(\.comparisons)
    for comparison in comparisons {
      let threshold = try #require(Thresholds.table[comparison.name], "\(comparison.name) has no threshold")
      let (better, worse) = comparison.wantsMore ? (threshold * 2, threshold / 2) : (threshold / 2, threshold * 2)
      #expect(ComparisonReport(comparison, value: better).withinThreshold == true)
      #expect(ComparisonReport(comparison, value: worse).withinThreshold == false)
    }
    #expect(Thresholds.orphans(among: Program.families).isEmpty)
  }

  @Test func `every comparison is between cases of its family`() {
    for family in Program.families {
      let names = Set(family.cases.map(\.name))
      #expect(names.count == family.cases.count)
      for comparison in family.comparisons {
        #expect(names.contains(comparison.subject))
        if let reference = comparison.reference { #expect(names.contains(reference)) }
      }
    }
  }

  @Test func `a filtered case brings along what it is compared to`() throws {
    let runner = Runner(options: try Options(["--filter", "Fused twelve in a graph"]))
    let families = try runner.selected(Program.families)
    #expect(families.map(\.name) == ["fused"])
    #expect(Set(families.flatMap(\.cases).map(\.name)) == ["Fused twelve in a graph", "Fused in a graph"])
    #expect(throws: BenchmarkError.self) {
      try Runner(options: Options(["--filter", "no such thing"])).selected(Program.families)
    }
  }

  @Test func `work that gives a wrong result is not measured`() async throws {
    let honest = Case.timed("honest", count: 10, expecting: Arithmetic.sum) { (0..<$0).reduce(0, +) }
    #expect(try await honest.measure(10) >= 0)
    let lazy = Case.timed("lazy", count: 10, expecting: Arithmetic.sum) { _ in 0 }
    await #expect(throws: BenchmarkError.self) { try await lazy.measure(10) }
  }

  @Test(arguments: [["--rounds"], ["--rounds", "0"], ["--rounds", "x"], ["--filter"], ["--fast"]])
  func `options that make no sense are refused`(arguments: [String]) {
    #expect(throws: BenchmarkError.self) { try Options(arguments) }
  }
}
