import Testing
import Weir
import WeirRadio
import WeirTesting

/// The scheduler at work, under many interleavings and with virtual time.
@Suite struct SchedulerRunTests {
  /// Runs a body beside a scheduler that drives a scripted radio.
  static func simulated(
    seeds: Int = 30, region: RadioRegion = .cn470, listening: ChannelAccess.Options? = nil,
    _ body: @escaping @Sendable (Simulation, RadioFrameScheduler, ScriptedRadio) async throws -> Void
  ) throws {
    try forEachSeed(count: seeds) { simulation in
      let clock = GraphClock(simulation.clock)
      let radio = ScriptedRadio(clock: clock)
      let scheduler = try RadioFrameScheduler(
        SchedulerOrderTests.options(region: region), radio: radio, clock: clock, listening: listening)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await scheduler.run() }
        try await body(simulation, scheduler, radio)
        group.cancelAll()
        try await group.waitForAll()
      }
      for (flow, account) in scheduler.metrics.flows {
        try simulation.require(account.isBalanced && account.queued == 0, "\(flow): \(account)")
      }
      for (frameClass, metrics) in scheduler.metrics.classes {
        try simulation.require(metrics.isBalanced && metrics.queued == 0, "\(frameClass): \(metrics)")
      }
      try simulation.require(radio.log.overlaps == 0, "one frame at a time")
    }
  }

  private static func frame(_ frameClass: FrameClass, _ mark: UInt8, _ bytes: Int = 100, flow: String = "")
    -> RadioFrame
  {
    RadioFrame(frameClass, flow: flow, payload: [UInt8](repeating: mark, count: bytes))
  }

  @Test func `many producers each hear of each of their frames once`() throws {
    try Self.simulated { simulation, scheduler, radio in
      let sent = try await withThrowingTaskGroup(of: Int.self) { group in
        for producer in 0..<5 {
          group.addTask {
            var sent = 0
            for index in 0..<10 {
              let frameClass: FrameClass = index % 2 == 0 ? .chat : .file
              let report = await scheduler.send(Self.frame(frameClass, UInt8(producer), 200, flow: "\(producer)"))
              try simulation.require(report.flow == "\(producer)")
              if report.fate.kind == .sent { sent += 1 }
            }
            return sent
          }
        }
        return try await group.reduce(0, +)
      }
      try simulation.require(sent == 50, "\(sent)")
      try simulation.require(radio.log.sent.count == 50)
    }
  }

  /// meshtastic/firmware#1819: the seventeenth message was dropped in silence.
  @Test func `report 2 an offer faster than the air is held back, and nothing is dropped`() throws {
    try Self.simulated(seeds: 10) { simulation, scheduler, radio in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<60 {
          group.addTask { await scheduler.send(Self.frame(.chat, UInt8(index), 250)).fate.kind == .sent }
        }
        for try await isSent in group { try simulation.require(isSent) }
      }
      try simulation.require(radio.log.sent.count == 60)
      // An offer that does not wait is refused with the reason.
      for _ in 0..<40 { _ = scheduler.offer(Self.frame(.chat, 1, 250)) }
      guard case .rejected(_, .queueFull(let wait?)) = scheduler.offer(Self.frame(.chat, 1, 250)) else {
        throw RequirementFailed()
      }
      try simulation.require(wait > .zero)
    }
  }

  @Test func `a snapshot adds up, names the window, and bounds the flows it counts`() throws {
    try Self.simulated(seeds: 3, region: .us915SingleChannel) { simulation, scheduler, radio in
      for index in 0..<300 { _ = await scheduler.send(Self.frame(.control, 1, 10, flow: "\(index)")) }
      let snapshot = scheduler.snapshot()
      let airtime = radio.log.sent.reduce(Duration.zero) { $0 + ($1.end - $1.start) }
      try simulation.require(snapshot.metrics.classes[.control]?.airtime == airtime, "\(airtime)")
      try simulation.require(snapshot.metrics.flows.count == SchedulerMetrics.mostFlows + 1)
      let flows = snapshot.metrics.flows.values.reduce(UInt64(0)) { $0 + $1.offered }
      try simulation.require(flows == 300, "\(flows)")
      let window = snapshot.windows.first
      try simulation.require(
        window.map { $0.used > .zero && $0.used <= $0.limit } ?? false, "\(String(describing: window))")
      try simulation.require(snapshot.ownUse > 0 && snapshot.ownUse <= 2.1, "\(snapshot.ownUse)")
      let offered = snapshot.samples.filter { $0.name == "radio.class.offered" }.reduce(0) { $0 + $1.value }
      try simulation.require(offered == 300, "\(offered)")
      let units = Set(snapshot.samples.map(\.unit))
      try simulation.require(units == ["1", "ms"], "\(units)")
    }
  }

  /// meshtastic/firmware#4576: chat lost against telemetry.
  @Test func `report 4 chat goes next however much telemetry waits`() throws {
    try Self.simulated(seeds: 10) { simulation, scheduler, radio in
      for index in 0..<20 { _ = scheduler.offer(Self.frame(.background, 9, 60, flow: "\(index)")) }
      try await GraphClock(simulation.clock).sleep(for: .milliseconds(150))
      let before = radio.log.count
      _ = await scheduler.send(Self.frame(.chat, 1))
      let position = radio.log.sent.firstIndex { $0.payload.first == 1 }
      try simulation.require(position.map { $0 <= before } ?? false, "\(String(describing: position)) after \(before)")
    }
  }

  @Test func `a task that is cancelled takes its frame back, also one that waits for room`() throws {
    try Self.simulated { simulation, scheduler, radio in
      _ = scheduler.offer(Self.frame(.chat, 200, 255))
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<40 { group.addTask { _ = await scheduler.send(Self.frame(.chat, UInt8(index), 250)) } }
        var generator = simulation.generator("cancel")
        for _ in 0..<generator.index(below: 200) { await Task.yield() }
        group.cancelAll()
      }
      let metrics = scheduler.metrics.classes[.chat]
      try simulation.require(metrics?.offered == 41, "\(String(describing: metrics?.offered))")
    }
  }

  /// meshtastic/firmware#860: a missed end of sending kept the radio busy for ever.
  @Test func `report 10 a modem that says nothing is recovered, and the next frame is sent`() throws {
    try Self.simulated { simulation, scheduler, radio in
      radio.script { $0.faults = [0: .saysNothing, 2: .refuses] }
      var fates: [FrameFate.Kind] = []
      for index in 0..<4 { fates.append(await scheduler.send(Self.frame(.chat, UInt8(index))).fate.kind) }
      try simulation.require(fates == [.failed, .sent, .failed, .sent], "\(fates)")
      try simulation.require(radio.log.recoveries == 1)
      try simulation.require(scheduler.metrics.timeouts == 1)
    }
  }

  @Test func `a modem that cannot be recovered is quarantined until it is set up anew`() throws {
    try Self.simulated { simulation, scheduler, radio in
      radio.script {
        $0.faults = [0: .saysNothing]
        $0.isBroken = true
      }
      let first = await scheduler.send(Self.frame(.chat, 0))
      try simulation.require(first.fate.kind == .failed)
      await simulation.settle()
      try simulation.require(scheduler.quarantineReason != nil)
      let presence = await scheduler.send(Self.frame(.presence, 1))
      try simulation.require(presence.fate == .rejected(.quarantined), "\(presence)")
      async let chat = scheduler.send(Self.frame(.chat, 2))
      try await GraphClock(simulation.clock).sleep(for: .seconds(20))
      try simulation.require(radio.log.sent.isEmpty)
      do {
        _ = try await scheduler.lease(for: "a", hold: .seconds(1))
        throw RequirementFailed()
      } catch let error as RadioError {
        try simulation.require(error.kind == .quarantined)
      }
      try await scheduler.reinitialise { radio.script { $0.isBroken = false } }
      let fate = await chat.fate.kind
      try simulation.require(fate == .sent)
    }
  }

  @Test func `a channel that is busy is never sent into, and the radio is looked after when it stays so`() throws {
    let listening = ChannelAccess.Options()
    try Self.simulated(seeds: 20, listening: listening) { simulation, scheduler, radio in
      var generator = simulation.generator("others")
      var busy: [Range<Duration>] = []
      var time = Duration.zero
      for _ in 0..<20 {
        let start = time + .milliseconds(generator.index(below: 2_000))
        time = start + .milliseconds(200 + generator.index(below: 4_000))
        busy.append(start..<time)
      }
      radio.script { [busy] in $0.busy = busy }
      for index in 0..<8 {
        let report = await scheduler.send(Self.frame(.chat, UInt8(index), 20))
        try simulation.require(report.fate.kind == .sent, "\(report)")
      }
      // What begins in between listening and sending cannot be heard.
      try simulation.require(radio.log.sentWhileBusy <= 1, "\(radio.log.sentWhileBusy)")
      radio.script { $0.busy = [.zero..<Duration.seconds(100_000)] }
      let late = await scheduler.send(RadioFrame(.chat, payload: [1], timeToLive: .seconds(600)))
      try simulation.require(late.fate == .expired, "\(late)")
      try simulation.require(radio.log.recoveries > 0)
      try simulation.require(scheduler.metrics.busyChannel > 0)
    }
  }

  @Test func `a scheduler that is stopped ends everything that waits`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = GraphClock(simulation.clock)
      let radio = ScriptedRadio(clock: clock)
      let scheduler = try RadioFrameScheduler(SchedulerOrderTests.options(), radio: radio, clock: clock)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await scheduler.run() }
        for index in 0..<40 { group.addTask { _ = await scheduler.send(Self.frame(.chat, UInt8(index), 250)) } }
        group.addTask { _ = try? await scheduler.lease(for: "a", hold: .seconds(9)) }
        var generator = simulation.generator("stop")
        for _ in 0..<generator.index(below: 100) { await Task.yield() }
        group.cancelAll()
      }
      let late = await scheduler.send(Self.frame(.chat, 1))
      try simulation.require(late.fate == .cancelled, "\(late)")
    }
  }
}

struct RequirementFailed: Error {}
