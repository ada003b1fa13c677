import Dispatch
import Testing

@testable import WeirTesting

/// A thread of its own that answers requests, as a database writer would.
private final class Writer: Sendable {
  private let queue = DispatchQueue(label: "writer")
  private let release = DispatchSemaphore(value: 0)

  /// Answers once `open` has been called often enough.
  func write(_ value: Int) async -> Int {
    await withCheckedContinuation { continuation in
      queue.async { [release] in
        release.wait()
        continuation.resume(returning: value * 2)
      }
    }
  }

  func open(after delay: DispatchTimeInterval = .milliseconds(0)) {
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [release] in _ = release.signal() }
  }
}

@Suite struct ExternalWorkTests {
  @Test func aRunWaitsForAnnouncedWork() throws {
    let writer = Writer()
    let (value, report) = try simulateReporting(seed: 2) { simulation in
      async let timer: Void = simulation.clock.sleep(for: .seconds(5))
      await simulation.settle()
      writer.open(after: .milliseconds(20))
      let written = await simulation.externalWork("writer") { await writer.write(21) }
      // Time stood still for the writer although somebody slept.
      #expect(simulation.clock.now.offset == .zero)
      try await timer
      return written
    }
    #expect(value == 42)
    #expect(report.foreignEnqueues == 1)
    #expect(report.elapsed == .seconds(5))
  }

  @Test func patienceCoversWorkThatCannotAnnounceItself() throws {
    let writer = Writer()
    var options = SimulationOptions()
    options.stallPatience = .seconds(20)
    let value = try simulate(seed: 2, options: options) { _ in
      writer.open(after: .milliseconds(20))
      return await writer.write(4)
    }
    #expect(value == 8)
  }

  @Test func workThatNeverEndsIsNamed() throws {
    var options = SimulationOptions.quiet
    options.externalTimeout = .milliseconds(20)
    let error = #expect(throws: SimulationError.self) {
      try simulate(seed: 6, options: options) { simulation in
        let token = simulation.beginExternalWork("disk")
        defer { token.finish() }
        try await SourceProbe<Int>().send(1)
      }
    }
    #expect(error == .externalWorkTimedOut(seed: 6, pending: ["disk"], waited: .milliseconds(20)))
  }

  @Test func aFailedRunDoesNotWaitAgainForWorkThatNeverEnds() throws {
    var options = SimulationOptions.quiet
    options.stepLimit = 100
    // Unwinding this run meets pending work, and waiting for it would take the whole default of ten seconds.
    let started = ContinuousClock.now
    #expect(throws: SimulationError.self) {
      try simulate(seed: 6, options: options) { simulation in
        let never = simulation.beginExternalWork("never")
        while !Task.isCancelled { await Task.yield() }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        never.finish()
      }
    }
    #expect(started.duration(to: .now) < .seconds(9))
  }

  @Test func aTokenThatIsReleasedOrFinishedTwiceEndsOnce() throws {
    let error = #expect(throws: SimulationError.self) {
      try simulate(seed: 6, options: .quiet) { simulation in
        let kept = simulation.beginExternalWork("kept")
        do {
          let released = simulation.beginExternalWork("released")
          _ = released
        }
        kept.finish()
        kept.finish()
        // With nothing pending this is a stall at once, not a time-out.
        try await SourceProbe<Int>().send(1)
      }
    }
    #expect(error?.code == "simulation-stalled")
  }

  @Test func aTokenFinishedElsewhereWakesTheDriver() throws {
    let report = try simulateReporting(seed: 6) { simulation in
      let token = simulation.beginExternalWork("elsewhere")
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { token.finish() }
      // No job comes with the end of the work; time may move only then.
      try await simulation.clock.sleep(for: .seconds(1))
    }.report
    #expect(report.elapsed == .seconds(1))
    #expect(report.foreignEnqueues == 0)
  }

  @Test func tokensLeftPendingAreReported() throws {
    let error = #expect(throws: SimulationError.self) {
      try simulate(seed: 6, options: .quiet) { $0.beginExternalWork("forgotten") }
    }
    #expect(error == .leftBehind(seed: 6, sleepers: 0, pending: ["forgotten"]))
  }

  @Test func manyThreadsMayResumeAtOnce() throws {
    try forEachSeed(count: 20) { simulation in
      let sum = await withTaskGroup(of: Int.self) { group in
        for number in 1...20 {
          group.addTask {
            await simulation.externalWork("thread \(number)") {
              await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: number) }
              }
            }
          }
        }
        return await group.reduce(0, +)
      }
      try #require(sum == 210)
    }
  }
}
