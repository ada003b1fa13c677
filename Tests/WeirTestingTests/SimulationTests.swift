import Testing

@testable import WeirTesting

/// Three workers that yield and sleep, two of them with equal deadlines.
@Sendable private func workers(_ simulation: Simulation, _ log: EventLog) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for worker in 1...3 {
      group.addTask {
        for step in 1...3 {
          log.add("\(worker).\(step)")
          await Task.yield()
        }
        try await simulation.clock.sleep(for: .seconds(worker == 3 ? 2 : 1))
        log.add("\(worker) woke at \(simulation.clock.now)")
      }
    }
    try await group.waitForAll()
  }
}

@Suite struct SimulationTests {
  private func log(ofSeed seed: UInt64) throws -> ([String], SimulationReport) {
    let log = EventLog()
    let report = try simulateReporting(seed: seed) { try await workers($0, log) }.report
    return (log.all, report)
  }

  @Test func oneSeedIsOneInterleaving() throws {
    var distinct: Set<[String]> = []
    for seed in 1...50 as ClosedRange<UInt64> {
      let first = try log(ofSeed: seed)
      let second = try log(ofSeed: seed)
      #expect(first.0 == second.0)
      #expect(first.1 == second.1)
      distinct.insert(first.0)
    }
    #expect(distinct.count > 40)
  }

  @Test func tiesWakeInBothOrders() throws {
    var lastButOne: Set<String> = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let wakes = try log(ofSeed: seed).0.filter { $0.contains("woke") }
      #expect(wakes.last == "3 woke at 2.0 seconds")
      lastButOne.insert(wakes[0])
    }
    #expect(lastButOne == ["1 woke at 1.0 seconds", "2 woke at 1.0 seconds"])
  }

  @Test func everythingStructuredRunsOnTheCallingThread() throws {
    actor Counter {
      var count = 0
      func increment() -> ThreadIdentity {
        count += 1
        return .current
      }
    }
    let caller = ThreadIdentity.current
    let (threads, report) = try simulateReporting(seed: 4) { simulation in
      var threads: [ThreadIdentity] = [.current]
      await Task.yield()
      threads.append(.current)
      async let letThread = ThreadIdentity.current
      threads.append(await letThread)
      threads.append(await Counter().increment())
      threads += await withTaskGroup(of: ThreadIdentity.self) { group in
        for _ in 0..<4 { group.addTask { .current } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      try await simulation.clock.sleep(for: .seconds(1))
      threads.append(.current)
      threads.append(await Task(executorPreference: simulation.executor) { .current }.value)
      return threads
    }
    #expect(threads.count == 10)
    #expect(threads.allSatisfy { $0 == caller })
    #expect(report.foreignEnqueues == 0)
  }

  @Test func plainTasksDoNotInheritTheExecutor() throws {
    var options = SimulationOptions()
    // The thread pool may be busy with other tests for as long as they take.
    options.stallPatience = .seconds(900)
    let caller = ThreadIdentity.current
    let (thread, report) = try simulateReporting(seed: 4, options: options) { _ in
      await Task { ThreadIdentity.current }.value
    }
    #expect(thread != caller)
    #expect(report.foreignEnqueues == 1)
  }

  @Test func threeHoursTakeNoTime() throws {
    let started = ContinuousClock.now
    let elapsed = try simulate(seed: 1) { simulation in
      for _ in 0..<(3 * 60) { try await simulation.clock.sleep(for: .seconds(60)) }
      return simulation.clock.now.offset
    }
    #expect(elapsed == .seconds(3 * 3600))
    // Not a benchmark: real sleeping would take a thousand times this bound.
    #expect(started.duration(to: .now) < .seconds(10))
  }

  @Test func timeStandsStillWhileAnyJobIsReady() throws {
    try forEachSeed(count: 50) { simulation in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await simulation.clock.sleep(for: .nanoseconds(1)) }
        group.addTask {
          for _ in 0..<20 {
            await Task.yield()
            try #require(simulation.clock.now.offset == .zero)
          }
          try await simulation.clock.sleep(for: .nanoseconds(1))
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func valuesErrorsAndTaskLocalsPassThrough() throws {
    enum Request { @TaskLocal static var name = "none" }
    struct Refused: Error, Equatable {}
    let seen = try Request.$name.withValue("outer") { try simulate(seed: 1) { _ in Request.name } }
    #expect(seen == "outer")
    #expect(throws: Refused()) { try simulate(seed: 1, options: .quiet) { _ in throw Refused() } }
  }

  @Test func asynchronousTestsMayRunSimulations() async throws {
    let before = withUnsafeCurrentTask { $0?.hashValue }
    let value = try simulate(seed: 8) { simulation in
      // A simulation inside a simulation has its own queue and clock.
      try await simulation.clock.sleep(for: .seconds(5))
      let inner = try simulate(seed: 9) { inner in
        try await inner.clock.sleep(for: .seconds(1))
        return inner.clock.now.offset
      }
      return simulation.clock.now.offset + inner
    }
    #expect(value == .seconds(6))
    #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
    await Task.yield()
    #expect(withUnsafeCurrentTask { $0?.hashValue } == before)
  }

  @Test func generatorsDoNotDependOnTheInterleaving() throws {
    @Sendable func draws(_ simulation: Simulation, _ stream: String) async -> [UInt64] {
      var generator = simulation.generator(stream)
      var values: [UInt64] = []
      for _ in 0..<4 {
        values.append(generator.next())
        await Task.yield()
      }
      return values
    }
    let alone = try simulate(seed: 3) { await draws($0, "a") }
    let together = try simulate(seed: 3) { simulation in
      async let first = draws(simulation, "a")
      async let second = draws(simulation, "b")
      return (await first, await second)
    }
    #expect(together.0 == alone)
    #expect(together.1 != alone)
  }
}
