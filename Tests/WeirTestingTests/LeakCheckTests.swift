import Testing

@testable import WeirTesting

@Suite struct LeakCheckTests {
  private final class Node {
    var next: Node?
  }

  @Test func aCycleIsNamedAndAFreedObjectIsNot() throws {
    let leaks = LeakCheck()
    let cycle = leaks.track(Node(), "cycle")
    cycle.next = cycle
    _ = leaks.track(Node(), "freed")
    #expect(leaks.survivors == ["cycle"])
    let error = #expect(throws: LeakError.self) { try leaks.verify() }
    #expect(error?.survivors == ["cycle"])
    #expect(error?.code == "leak-survivors")
    cycle.next = nil
  }

  @Test func aFinishedRunKeepsNothing() throws {
    let leaks = LeakCheck()
    try simulate(seed: 3) { simulation in
      let source = leaks.track(SourceProbe<Int>(), "source")
      try await withSinkProbe(over: source) { sink in
        leaks.track(sink, "sink")
        async let sent: Void = source.send(1)
        try await sink.request(1)
        try await sent
      }
      leaks.track(simulation.executor, "executor")
    }
    try leaks.verify()
    #expect(leaks.trackedCount == 3)
  }

  @Test func aHungRunIsFoundOut() throws {
    let leaks = LeakCheck()
    #expect(throws: SimulationError.self) {
      try simulate(seed: 3, options: .quiet) { _ in
        let node = leaks.track(Node(), "held by a hanging task")
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        withExtendedLifetime(node) {}
      }
    }
    #expect(leaks.survivors == ["held by a hanging task"])
  }

  @Test func checkingNothingIsAnError() {
    let error = #expect(throws: LeakError.self) { try LeakCheck().verify() }
    #expect(error?.code == "leak-nothing-tracked")
  }
}
