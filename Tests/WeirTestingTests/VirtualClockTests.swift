import Testing

@testable import WeirTesting

@Suite struct VirtualClockTests {
  @Test func sleepersWakeInTheOrderOfTheirDeadlines() throws {
    try forEachSeed(count: 30) { simulation in
      let log = EventLog()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seconds in [5, 1, 4, 2, 3] {
          group.addTask {
            try await simulation.clock.sleep(for: .seconds(seconds))
            log.add("\(seconds)@\(simulation.clock.now)")
          }
        }
        try await group.waitForAll()
      }
      try #require(log.all == (1...5).map { "\($0)@\($0).0 seconds" })
    }
  }

  @Test func aCancelledSleepThrowsAtOnceAndLeavesNothing() throws {
    try forEachSeed(count: 100) { simulation in
      let clock = simulation.clock
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do {
            try await clock.sleep(for: .seconds(100))
            throw SimulationError.invalidSeeds(name: "slept", value: "")
          } catch is CancellationError {
            try #require(clock.now.offset == .seconds(1))
          }
        }
        try await clock.sleep(for: .seconds(1))
        group.cancelAll()
        try await group.waitForAll()
      }
      try #require(clock.sleeperCount == 0)
      try #require(clock.now.offset == .seconds(1))
    }
  }

  @Test func aCancelledTaskCannotBeginToSleep() throws {
    try forEachSeed(count: 20) { simulation in
      let ended = await withTaskGroup(of: Bool.self) { group in
        group.cancelAll()
        group.addTask {
          do {
            try await simulation.clock.sleep(for: .seconds(1))
            return false
          } catch {
            return error is CancellationError
          }
        }
        return await group.next()
      }
      try #require(ended == true)
      try #require(simulation.clock.now.offset == .zero)
    }
  }

  @Test func sleepsThatAreOverLetOthersRunAndMoveNoTime() throws {
    try simulate(seed: 3) { simulation in
      try await simulation.clock.sleep(for: .seconds(2))
      try await simulation.clock.sleep(until: VirtualClock.Instant(offset: .seconds(1)))
      try await simulation.clock.sleep(for: .seconds(-5))
      #expect(simulation.clock.now.offset == .seconds(2))
    }
  }

  @Test func standardTimeLimitsWorkAgainstIt() throws {
    // Any code written against `Clock` works: here a timeout race.
    @Sendable func limited(_ limit: Duration, _ work: Duration, _ clock: any Clock<Duration>) async -> String {
      await withTaskGroup(of: String.self) { group in
        group.addTask { (try? await clock.sleep(for: work)) == nil ? "work cancelled" : "done" }
        group.addTask { (try? await clock.sleep(for: limit)) == nil ? "limit cancelled" : "timeout" }
        let first = await group.next() ?? ""
        group.cancelAll()
        return first
      }
    }
    let outcomes = try simulate(seed: 5) { simulation in
      [
        await limited(.seconds(30), .seconds(29), simulation.clock),
        await limited(.seconds(30), .seconds(31), simulation.clock),
      ]
    }
    #expect(outcomes == ["done", "timeout"])
  }

  @Test func manualTimeMovesOnlyWhenTold() throws {
    try forEachSeed(count: 30, options: .manualTime) { simulation in
      let log = EventLog()
      let clock = simulation.clock
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for _ in 1...3 {
            try await clock.sleep(for: .seconds(10))
            log.add("tick \(clock.now)")
          }
        }
        await simulation.settle()
        try #require(clock.now.offset == .zero)
        try #require(clock.sleeperCount == 1)
        await simulation.advance(by: .seconds(9))
        try #require(log.all.isEmpty)
        // Passes two deadlines, of which the second is set only at the first.
        await simulation.advance(by: .seconds(15))
        try #require(log.all == ["tick 10.0 seconds", "tick 20.0 seconds"])
        try #require(clock.now.offset == .seconds(24))
        try #require(clock.nextDeadline?.offset == .seconds(30))
        await simulation.advance(by: .seconds(-3))
        try #require(clock.now.offset == .seconds(24))
        await simulation.advance(by: .seconds(6))
        try await group.waitForAll()
      }
      try #require(log.all.count == 3)
    }
  }

  @Test func settlingDoesNotMoveAutomaticTime() throws {
    try forEachSeed(count: 30) { simulation in
      let log = EventLog()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for _ in 0..<5 { await Task.yield() }
          log.add("worked")
          try await simulation.clock.sleep(for: .seconds(1))
          log.add("slept")
        }
        await simulation.settle()
        try #require(log.all == ["worked"])
        try #require(simulation.clock.now.offset == .zero)
        try await group.waitForAll()
      }
    }
  }

  @Test func aClockOfItsOwnIsMovedByHand() async throws {
    let clock = VirtualClock(seed: 4)
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    while clock.sleeperCount == 0 { await Task.yield() }
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 0)
    try await sleeper.value
    #expect(clock.now.offset == .seconds(10))

    let cancelled = Task { try await clock.sleep(for: .seconds(10)) }
    while clock.sleeperCount == 0 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test(.timeLimit(.minutes(15))) func noCancellationIsLostOnThePool() async {
    let clock = VirtualClock()
    let source = SourceProbe<Int>()
    for round in 0..<4_000 {
      let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
      let sender = Task { try await source.send(1) }
      // Sometimes at once, sometimes when the wait may just be beginning.
      for _ in 0..<(round % 4) { await Task.yield() }
      sleeper.cancel()
      sender.cancel()
      _ = await (sleeper.result, sender.result)
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func instantsSaturateInsteadOfOverflowing() {
    let last = VirtualClock.Instant(offset: Duration(attoseconds: .max))
    let first = VirtualClock.Instant(offset: Duration(attoseconds: .min))
    #expect(last.advanced(by: .seconds(1)) == last)
    #expect(first.advanced(by: .seconds(-1)) == first)
    #expect(first.duration(to: last) == Duration(attoseconds: .max))
    #expect(last.duration(to: first) == Duration(attoseconds: .min))
    #expect(first < last)
  }
}
