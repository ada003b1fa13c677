import Testing
import Weir
import WeirRadio
import WeirTesting

/// Listening before talking: where, and for whom.
@Suite struct ListeningTests {
  @Test func `a frame for another channel is listened for there and not on the scheduler's own`() throws {
    try SchedulerRunTests.simulated(seeds: 20, listening: ChannelAccess.Options()) { simulation, scheduler, radio in
      let own = try SchedulerOrderTests.options().channel
      let other = RadioChannel(frequency: own.frequency + 400_000, modulation: own.modulation)
      radio.script {
        $0.busy = [.zero..<Duration.seconds(3)]
        $0.busyFrequency = other.frequency
      }
      let report = await scheduler.send(RadioFrame(.chat, payload: [1], channel: other))
      try simulation.require(report.fate.kind == .sent)
      try simulation.require(simulation.clock.now.offset >= .seconds(3), "it was sent into a busy channel")
      try simulation.require(Set(radio.log.listened) == [other.frequency])
      try simulation.require(scheduler.snapshot().foreignUse == 0, "nobody was heard on its own channel")
      _ = await scheduler.send(RadioFrame(.chat, payload: [2]))
      try simulation.require(radio.log.listened.last == own.frequency)
    }
  }

  @Test func `a lease listens before its frames, save those that go on with a burst`() throws {
    try SchedulerRunTests.simulated(seeds: 20, listening: ChannelAccess.Options()) { simulation, scheduler, radio in
      radio.script { $0.busy = [.zero..<Duration.seconds(9)] }
      let lease = try await scheduler.lease(for: "peer", hold: .seconds(600))
      try await lease.send([1])
      try simulation.require(simulation.clock.now.offset >= .seconds(9), "it was sent into a busy channel")
      let before = radio.log.listened.count
      for _ in 0..<5 { try await lease.send([2], continuesBurst: true) }
      try simulation.require(radio.log.listened.count == before, "within a burst")
      try await lease.send([3])
      try simulation.require(radio.log.listened.count > before)
      try simulation.require(radio.log.sent.count == 7 && radio.log.sentWhileBusy == 0)
      lease.end(.restored)
    }
  }

  @Test func `a lease that waits for a free channel can be cancelled, and does not outlive its end`() throws {
    try SchedulerRunTests.simulated(seeds: 20, listening: ChannelAccess.Options()) { simulation, scheduler, radio in
      radio.script { $0.busy = [.zero..<Duration.seconds(100_000)] }
      let lease = try await scheduler.lease(for: "peer", hold: .seconds(60))
      let kinds = await withTaskGroup(of: RadioError.Kind?.self) { group in
        group.addTask {
          do throws(RadioError) {
            try await lease.send([1])
            return nil
          } catch {
            return error.kind
          }
        }
        if simulation.seed % 2 == 0 {
          try? await GraphClock(simulation.clock).sleep(for: .seconds(5))
          group.cancelAll()
        }
        return await group.reduce(into: [RadioError.Kind?]()) { $0.append($1) }
      }
      try simulation.require(kinds == [simulation.seed % 2 == 0 ? .stopped : .leaseEnded], "\(kinds)")
      try simulation.require(radio.log.sent.isEmpty)
      lease.end(.restored)
    }
  }
}
