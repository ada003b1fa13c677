import Testing
import Weir
import WeirRadio

/// The scheduler on the real pool and the real clock, with a radio so fast that nothing waits for it.
@Suite struct RadioPoolTests {
  private func options() throws -> SchedulerOptions {
    let modulation = Modulation.bitRate(try BitRateModulation(rate: 100_000_000, maximumBytes: 1_000))
    var options = SchedulerOptions(
      channel: RadioChannel(frequency: 470_000_000, modulation: modulation), region: .cn470)
    options.turnAround = .zero
    return options
  }

  @Test(.timeLimit(.minutes(15)))
  func `producers, cancellations, leases and looks at once leave every frame with one fate`() async throws {
    let radio = ScriptedRadio(clock: .continuous)
    let scheduler = try RadioFrameScheduler(try options(), radio: radio)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await scheduler.run() }
      try await withThrowingTaskGroup(of: Void.self) { users in
        for producer in 0..<4 {
          users.addTask {
            for index in 0..<100 {
              let frameClass = FrameClass.allCases[(producer + index) % FrameClass.allCases.count]
              let frame = RadioFrame(
                frameClass, flow: "\(producer)", payload: [UInt8(producer)], coalescingKey: "\(index % 3)",
                token: UInt64(index % 7))
              if index % 5 == 0 { _ = scheduler.offer(frame) } else { _ = await scheduler.send(frame) }
            }
          }
        }
        users.addTask {
          for index in 0..<100 {
            scheduler.cancel(token: UInt64(index % 7))
            _ = scheduler.snapshot()
            await Task.yield()
          }
        }
        users.addTask {
          for _ in 0..<10 {
            let lease = try await scheduler.lease(for: "peer", hold: .seconds(600))
            try await lease.send([1])
            lease.end(.restored)
          }
        }
        try await users.waitForAll()
      }
      group.cancelAll()
      try await group.waitForAll()
    }
    for (frameClass, account) in scheduler.metrics.classes {
      #expect(account.isBalanced && account.queued == 0, "\(frameClass)")
    }
    let offered = scheduler.metrics.classes.values.reduce(UInt64(0)) { $0 + $1.offered }
    #expect(offered == 400)
    #expect(radio.log.overlaps == 0)
    #expect(scheduler.leaseCounts.restored == 10)
  }
}
