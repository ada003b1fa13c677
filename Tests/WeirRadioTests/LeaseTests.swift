import Synchronization
import Testing
import Weir
import WeirRadio
import WeirTesting

/// The radio for one owner alone (radio study, C8 to C15 as far as the lease goes).
@Suite struct LeaseTests {
  private func frame(_ frameClass: FrameClass, flow: String = "other") -> RadioFrame {
    RadioFrame(frameClass, flow: flow, payload: [UInt8](repeating: 1, count: 60))
  }

  @Test func `while a lease lasts only its owner sends, and what waits is sent after it`() throws {
    try SchedulerRunTests.simulated { simulation, scheduler, radio in
      let lease = try await scheduler.lease(for: "peer", hold: .seconds(60))
      async let chat = scheduler.send(frame(.chat))
      for _ in 0..<5 { try await lease.send([2, 2, 2]) }
      try simulation.require(radio.log.sent.allSatisfy { $0.payload == [2, 2, 2] }, "another's frame")
      try simulation.require(lease.end(.restored), "the first end counts")
      try simulation.require(!lease.end(.quarantined(reason: "late")), "and no other")
      let fate = await chat.fate.kind
      try simulation.require(fate == .sent)
      try simulation.require(scheduler.leaseCounts.given == 1 && scheduler.leaseCounts.restored == 1)
    }
  }

  @Test func `urgent frames for others ask the lease to yield, those for its own peer do not`() throws {
    try SchedulerRunTests.simulated { simulation, scheduler, _ in
      let clock = GraphClock(simulation.clock)
      let lease = try await scheduler.lease(for: "peer", hold: .seconds(60))
      async let own = scheduler.send(frame(.chat, flow: "peer"))
      async let file = scheduler.send(frame(.file, flow: "other"))
      try await clock.sleep(for: .seconds(5))
      try simulation.require(!lease.isYieldRequested, "its own peer")
      async let other = scheduler.send(frame(.chat, flow: "other"))
      try await clock.sleep(for: .milliseconds(1_900))
      try simulation.require(!lease.isYieldRequested, "too early")
      try await clock.sleep(for: .milliseconds(200))
      try simulation.require(lease.isYieldRequested && lease.isYieldRequested)
      try simulation.require(scheduler.leaseCounts.yields == 1, "counted once")
      lease.end(.restored)
      let fates = await [own, file, other].map(\.fate.kind)
      try simulation.require(fates == [.sent, .sent, .sent])
    }
  }

  @Test func `leases are given in the order of asking, and a wait that is cancelled gets none`() throws {
    try SchedulerRunTests.simulated { simulation, scheduler, radio in
      let first = try await scheduler.lease(for: "a", hold: .seconds(60))
      let order = Order()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<4 {
          group.addTask {
            let lease = try await scheduler.lease(for: "\(index)", hold: .seconds(60))
            order.append(index)
            try await lease.send([UInt8(index)])
            lease.end(.restored)
          }
          await simulation.settle()
        }
        let gaveUp = await withTaskGroup(of: Bool.self) { group in
          group.addTask { (try? await scheduler.lease(for: "cancelled", hold: .seconds(60))) == nil }
          group.cancelAll()
          return await group.next() ?? false
        }
        try simulation.require(gaveUp)
        first.end(.notRequired)
        try await group.waitForAll()
      }
      try simulation.require(order.all == [0, 1, 2, 3])
      try simulation.require(radio.log.sent.map(\.payload) == [[0], [1], [2], [3]])
    }
  }

  @Test func `a radio that somebody holds is busy for those who do not wait`() throws {
    try SchedulerRunTests.simulated(seeds: 5) { simulation, scheduler, _ in
      let lease = try await scheduler.lease(for: "a", hold: .seconds(60))
      do {
        _ = try await scheduler.lease(for: "b", hold: .seconds(60), mayWait: false)
        throw RequirementFailed()
      } catch let error as RadioError {
        try simulation.require(error.kind == .busy)
      }
      lease.end(.restored)
    }
  }

  @Test func `a lease that is dropped, or held too long, counts as quarantined`() throws {
    try SchedulerRunTests.simulated { simulation, scheduler, radio in
      do { _ = try await scheduler.lease(for: "a", hold: .seconds(60)) }
      try simulation.require(scheduler.quarantineReason?.contains("dropped") == true)
      try await scheduler.reinitialise {}
      let held = try await scheduler.lease(for: "a", hold: .seconds(60))
      try await GraphClock(simulation.clock).sleep(for: .seconds(61))
      await simulation.settle()
      try simulation.require(scheduler.quarantineReason?.contains("in time") == true)
      try simulation.require(!held.isHeld)
      do {
        try await held.send([1])
        throw RequirementFailed()
      } catch let error as RadioError {
        try simulation.require(error.kind == .leaseEnded, "\(error)")
      }
      try simulation.require(radio.log.sent.isEmpty)
      do {
        try await scheduler.reinitialise { throw RequirementFailed() }
      } catch is RequirementFailed {}
      try simulation.require(scheduler.quarantineReason != nil, "it stays quarantined")
    }
  }

  @Test func `two frames of a lease are never on the air at once`() throws {
    try SchedulerRunTests.simulated { simulation, scheduler, radio in
      let lease = try await scheduler.lease(for: "a", hold: .seconds(600))
      let fates = await withTaskGroup(of: RadioError.Kind?.self) { group in
        for index in 0..<4 {
          group.addTask {
            do throws(RadioError) {
              try await lease.send([UInt8(index)])
              return nil
            } catch {
              return error.kind
            }
          }
        }
        return await group.reduce(into: [RadioError.Kind?]()) { $0.append($1) }
      }
      try simulation.require(fates.contains(nil) && fates.allSatisfy { $0 == nil || $0 == .busy }, "\(fates)")
      try simulation.require(fates.filter { $0 == nil }.count == radio.log.sent.count)
      lease.end(.restored)
    }
  }

  @Test func `what a lease sends counts in the window`() throws {
    try SchedulerRunTests.simulated(seeds: 3, region: .us915SingleChannel) { simulation, scheduler, radio in
      let lease = try await scheduler.lease(for: "a", hold: .seconds(10_000))
      for _ in 0..<10 { try await lease.send([UInt8](repeating: 1, count: 100)) }
      let sent = radio.log.sent
      let window = Duration.seconds(20)
      for last in sent {
        let used = sent.reduce(Duration.zero) { sum, one in
          sum + max(.zero, min(one.end, last.end) - max(one.start, last.end - window))
        }
        try simulation.require(used <= .milliseconds(400), "\(used)")
      }
      lease.end(.restored)
    }
  }
}

private final class Order: Sendable {
  private let state = Mutex<[Int]>([])
  var all: [Int] { state.withLock { $0 } }
  func append(_ index: Int) { state.withLock { $0.append(index) } }
}
