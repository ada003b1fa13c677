import Synchronization
import Testing

@testable import WeirTesting

/// Suspends for ever, deaf to cancellation. The continuation is unsafe because losing it is the point.
@Sendable private func hang() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

/// Holds a continuation beyond the run it belongs to.
private final class Kept: Sendable {
  private let continuation = Mutex<UnsafeContinuation<Void, Never>?>(nil)

  func set(_ newContinuation: UnsafeContinuation<Void, Never>) {
    continuation.withLock { $0 = newContinuation }
  }

  func resume() {
    continuation.withLock { $0.take() }?.resume()
  }
}

@Suite struct SimulationFailureTests {
  private func failure(
    seed: UInt64 = 7, options: SimulationOptions = .quiet, _ body: @escaping @Sendable (Simulation) async throws -> Void
  ) -> SimulationError? {
    #expect(throws: SimulationError.self) { try simulate(seed: seed, options: options, body) }
  }

  @Test func aLostContinuationIsAStall() throws {
    guard case .stalled(let stall) = failure({ _ in await hang() }) else {
      Issue.record("expected a stall")
      return
    }
    #expect(stall.seed == 7)
    #expect(stall.hungTasks == 1)
    #expect(!stall.endedWhenCancelled)
    #expect(stall.description.contains("seed 7"))
  }

  @Test func aContinuationResumedAfterTheRunDoesNoHarm() throws {
    let leaks = LeakCheck()
    let kept = Kept()
    _ = failure { simulation in
      leaks.track(simulation.executor, "executor")
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in kept.set(continuation) }
    }
    // The hanging task holds its executor, so a late job still has a queue to go to.
    #expect(leaks.survivors == ["executor"])
    kept.resume()
    #expect(leaks.survivors == ["executor"])
  }

  @Test func requirementsStopTheRunAndTellWhereAndWhen() throws {
    let error = #expect(throws: RequirementFailure.self) {
      try simulate(seed: 1, options: .quiet) { simulation in
        try simulation.require(true)
        try await simulation.clock.sleep(for: .seconds(2))
        try simulation.require(1 > 2, "numbers", line: 42)
      }
    }
    #expect(error?.line == 42)
    #expect(error?.now == .seconds(2))
    #expect(error?.description.hasSuffix("numbers") == true)
  }

  @Test func aStallCountsTheTasksThatHang() throws {
    let source = SourceProbe<Int>()
    let error = failure { simulation in
      try await simulation.clock.sleep(for: .seconds(3))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await source.send(1) } }
        for _ in 0..<2 { group.addTask { await Task.yield() } }
        try await group.waitForAll()
      }
    }
    guard case .stalled(let stall) = error else {
      Issue.record("expected a stall")
      return
    }
    // The four senders and the root; the two that yielded had ended.
    #expect(stall.hungTasks == 5)
    #expect(stall.endedWhenCancelled)
    #expect(stall.now == .seconds(3))
    #expect(stall.sleepers == 0)
  }

  @Test func manualTimeStallsWithItsSleepers() throws {
    var options = SimulationOptions.manualTime
    options.report = { _ in }
    let error = failure(options: options) { try await $0.clock.sleep(for: .seconds(1)) }
    guard case .stalled(let stall) = error else {
      Issue.record("expected a stall")
      return
    }
    #expect(stall.sleepers == 1)
    #expect(stall.now == .zero)
    #expect(stall.description.contains("manual"))
  }

  @Test func livelocksHitTheStepLimit() {
    var options = SimulationOptions.quiet
    options.stepLimit = 500
    let yielding = failure(options: options) { _ in while !Task.isCancelled { await Task.yield() } }
    #expect(yielding == .stepLimitReached(seed: 7, limit: 500, now: .zero))
    let ticking = failure(options: options) { simulation in
      while true { try await simulation.clock.sleep(for: .zero) }
    }
    #expect(ticking == .stepLimitReached(seed: 7, limit: 500, now: .zero))
    let deaf = failure(options: options) { _ in while true { await Task.yield() } }
    #expect(deaf == .stepLimitReached(seed: 7, limit: 500, now: .zero))
  }

  @Test func tasksLeftAsleepAreAnError() async throws {
    @Sendable func leave(_ simulation: Simulation) -> Task<Void, any Error> {
      Task(executorPreference: simulation.executor) { try await simulation.clock.sleep(for: .seconds(60)) }
    }
    let error = failure { simulation in
      _ = leave(simulation)
      await simulation.settle()
    }
    #expect(error == .leftBehind(seed: 7, sleepers: 1, pending: []))

    var options = SimulationOptions()
    options.allowsLeftovers = true
    let (task, report) = try simulateReporting(seed: 7, options: options) { simulation in
      let task = leave(simulation)
      await simulation.settle()
      return task
    }
    #expect(report.leftoverSleepers == 1)
    // Cancelled rather than left hanging, so whoever waits for it goes on.
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func failuresPrintTheLineThatReplaysThem() throws {
    let printed = EventLog()
    var options = SimulationOptions()
    options.report = { printed.add($0) }
    #expect(throws: SimulationError.self) { try simulate(seed: 12345, options: options) { _ in await hang() } }
    let text = printed.all.joined()
    #expect(printed.all.count == 1)
    #expect(
      text.contains("WEIR_SEED=12345 swift test --filter 'WeirTestingTests.*failuresPrintTheLineThatReplaysThem'"))
    #expect(text.contains("try simulate(seed: 12345)"))
  }

  @Test func sweepsStopAtTheFirstFailingSeedAndNameIt() throws {
    struct Odd: Error {}
    let ran = EventLog()
    let printed = EventLog()
    var options = SimulationOptions()
    options.report = { printed.add($0) }
    let failure = #expect(throws: SeedFailure.self) {
      try forEachSeed(in: .range(10...20), options: options) { simulation in
        ran.add("\(simulation.seed)")
        if simulation.seed == 13 { throw Odd() }
      }
    }
    #expect(ran.all == ["10", "11", "12", "13"])
    #expect(failure?.seed == 13)
    #expect(failure?.error is Odd)
    let command = "WEIR_SEED=13 swift test --filter 'WeirTestingTests.*sweepsStopAtTheFirstFailingSeedAndNameIt'"
    #expect(failure?.replay.command == command)
    #expect(printed.all.count == 1)
    #expect(printed.all.first?.contains(command) == true)
    #expect(failure.map { "\($0)".contains(command) } == true)
  }

  @Test func failingSeedsAreReplayedExactly() throws {
    struct Lost: Error {}
    @Sendable func race(_ simulation: Simulation) async throws {
      let arrivals = EventLog()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<3 { group.addTask { arrivals.add("\(number)") } }
      }
      if arrivals.all.first == "2" { throw Lost() }
    }
    let failures = try failingSeeds(in: .range(1...60), race)
    #expect(failures.count > 5)
    #expect(failures.count < 40)
    for failure in failures {
      #expect(try failingSeeds(in: .only(failure.seed), race).map(\.seed) == [failure.seed])
    }
  }
}
