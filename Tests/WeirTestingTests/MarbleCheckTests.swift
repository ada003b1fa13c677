import Testing

@testable import WeirTesting

@Suite struct MarbleCheckTests {
  @Test(arguments: [
    ("a-b-|", "a-b-|"), ("[abc]de|", "[abc]de|"), ("a--^", "a--^"), ("a-b", "a-b--"), ("", ""), ("|", "|"),
    ("'two words'-|", "'two words'-|"),
  ])
  func anInputPlaysItself(input: String, expected: String) throws {
    try Marble.check(inputs: [input], expected: expected) { inputs, _ in inputs[0] }
  }

  @Test func standardOperatorsKeepTheTick() throws {
    try Marble.check(inputs: ["a-bc-|"], expected: "A-BC-|") { inputs, _ in inputs[0].map { $0.uppercased() } }
    try Marble.check(inputs: ["abab-|"], expected: "a-a--|") { inputs, _ in inputs[0].filter { $0 != "b" } }
    try Marble.check(inputs: ["a-b-c|"], expected: "a-[b|]") { inputs, _ in inputs[0].prefix(2) }
    try Marble.check(inputs: ["ab-^"], expected: "ab-^") { inputs, _ in inputs[0].dropFirst(0) }
  }

  @Test func ownOperatorsKeepTheTick() throws {
    try Marble.check(inputs: ["a-b-^"], expected: "A-B-^") { inputs, _ in
      Mapped(base: inputs[0]) { $0.uppercased() }
    }
    try Marble.check(inputs: ["ab---|"], expected: "--a-b|") { inputs, clock in
      Delayed(base: inputs[0], delay: Marble.ticks(2), clock: clock)
    }
  }

  // These three expectations are facts of the async operators spec §4, restated.
  @Test func aSlowConsumerIsWrittenWithCommas() throws {
    try Marble.check(inputs: ["xxx---|"], expected: "x,,,,[xx]|") { inputs, _ in inputs[0] }
    try Marble.check(inputs: ["xxx|"], expected: ",,,[x,][x,][x,]|") { inputs, _ in inputs[0] }
    try Marble.check(inputs: ["xx|"], expected: ",,,---x--[x|]") { inputs, clock in
      Delayed(base: inputs[0], delay: Marble.ticks(3), clock: clock)
    }
  }

  @Test func cancellingComesBeforeTheEventsOfItsTick() throws {
    try Marble.check(inputs: ["a--b--c--|"], expected: "a--b-[;|]") { inputs, _ in inputs[0] }
    try Marble.check(inputs: ["a--b--c--|"], expected: "a--[;|]") { inputs, _ in inputs[0] }
    try Marble.check(inputs: ["a--b"], expected: "--[;^]") { inputs, clock in
      Delayed(base: inputs[0], delay: Marble.ticks(9), clock: clock)
    }
  }

  @Test func scopesMayPushIntoTheConsumer() throws {
    try Marble.check(inputs: ["ab-cd-e-f---gh|"], expected: "-----------f--[h|]", seeds: .range(1...50)) {
      inputs, simulation, consumer in
      try await debounceNaively(inputs[0], quiet: Marble.ticks(3), clock: simulation.clock, into: consumer)
    }
  }

  // The diagram of the async operators spec §5 row 2: c arrives exactly when the wait for b would end.
  @Test func anArrivalOnTheDeadlineShowsTheNaiveDebounce() throws {
    let failure = #expect(throws: SeedFailure.self) {
      try Marble.check(
        inputs: ["ab--cd-e-f---gh|"], expected: "------------f--[h|]", seeds: .range(1...50), options: .quiet
      ) { inputs, simulation, consumer in
        try await debounceNaively(inputs[0], quiet: Marble.ticks(3), clock: simulation.clock, into: consumer)
      }
    }
    let mismatch = failure?.error as? MarbleMismatch
    #expect(mismatch?.differences == ["tick 5: expected nothing, received b"])
  }

  @Test func anErrorLeavingTheScopeIsAFailureUnlessTheEndWasSeen() throws {
    struct Broken: Error {}
    try Marble.check(inputs: ["--|"], expected: "--^") { inputs, _, _ in
      for try await _ in inputs[0] {}
      throw Broken()
    }
    try Marble.check(inputs: ["-a|"], expected: "-a|") { inputs, _, consumer in
      await consumer.consume(inputs[0])
      throw Broken()
    }
  }

  @Test func aMismatchShowsBothDiagramsAligned() throws {
    let failure = #expect(throws: SeedFailure.self) {
      try Marble.check(inputs: ["a-b-|"], expected: "a-'bee'|", seeds: .only(7), options: .quiet) { inputs, _ in
        inputs[0].map { $0 == "b" ? "bee" : $0 }
      }
    }
    #expect(failure?.seed == 7)
    let mismatch = failure?.error as? MarbleMismatch
    #expect(
      mismatch?.description == """
        the sequence differs from its diagram
          input 1  : a-b    -|
          expected : a-'bee'|
          received : a-'bee'-|
          tick 4: expected |, received nothing
          tick 5: expected nothing, received |
        """)
    #expect(failure?.replay.command.contains("WEIR_SEED=7") == true)
  }

  @Test func valuesAfterTheEndAreAMismatch() throws {
    let failure = #expect(throws: SeedFailure.self) {
      try Marble.check(inputs: [], expected: "", seeds: .only(1), options: .quiet) { _, _ in Undead() }
    }
    let mismatch = failure?.error as? MarbleMismatch
    #expect(mismatch?.differences.last == "tick 0: received x after the end")
  }

  @Test func syntaxErrorsComeBeforeAnyRun() {
    #expect(throws: MarbleSyntaxError.self) {
      try Marble.check(inputs: ["a,"], expected: "a") { inputs, _ in inputs[0] }
    }
    #expect(throws: MarbleSyntaxError.self) {
      try Marble.check(inputs: ["a"], expected: "[a") { inputs, _ in inputs[0] }
    }
  }

  @Test func recordingReturnsWhatWasSeen() throws {
    let diagram = try Marble.record(inputs: ["a-[bc]-|"]) { inputs, _ in inputs[0].map { $0 + $0 } }
    #expect(diagram.description == "'aa'-['bb''cc']-|")
  }
}
