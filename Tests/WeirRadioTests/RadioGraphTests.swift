import Testing
import Weir
import WeirRadio
import WeirTesting

/// The scheduler as a node of a graph.
@Suite struct RadioGraphTests {
  private static func frames(_ frameClass: FrameClass, _ count: Int, flow: String) -> [RadioFrame] {
    (0..<count).map {
      RadioFrame(frameClass, flow: flow, payload: [UInt8](repeating: UInt8($0), count: 120), token: UInt64($0))
    }
  }

  @Test func `two producers share a radio in one graph, and each hears of its own frames`() throws {
    try forEachSeed(count: 20) { simulation in
      let clock = GraphClock(simulation.clock)
      let radio = ScriptedRadio(clock: clock)
      let scheduler = try RadioFrameScheduler(SchedulerOrderTests.options(), radio: radio, clock: clock)
      let blueprint = try Blueprint("radio") { graph in
        let file = graph.source("file", Self.frames(.file, 60, flow: "file"))
          .via("radio", scheduler).collect("file reports")
        let chat = graph.source("chat", Self.frames(.chat, 10, flow: "chat"))
          .via("chat radio", FrameSender(through: scheduler)).collect("chat reports")
        return (file: file, chat: chat)
      }
      let (file, chat) = try await blueprint.run(simulation.runOptions()) { live in
        await live.waitUntilEnded()
        return (try live[live.handles.file].value, try live[live.handles.chat].value)
      }
      try simulation.require(file.count == 60 && file.allSatisfy { $0.flow == "file" }, "\(file.count)")
      try simulation.require(chat.count == 10 && chat.allSatisfy { $0.flow == "chat" }, "\(chat.count)")
      try simulation.require(file.compactMap(\.token) == (0..<60).map { UInt64($0) }, "in order")
    }
  }

  @Test func `an aborted graph leaves no frame behind`() throws {
    try forEachSeed(count: 30) { simulation in
      let clock = GraphClock(simulation.clock)
      let radio = ScriptedRadio(clock: clock)
      let scheduler = try RadioFrameScheduler(SchedulerOrderTests.options(), radio: radio, clock: clock)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await scheduler.run() }
        let blueprint = try Blueprint("radio") { graph in
          graph.source("chat", Self.frames(.chat, 200, flow: "chat"))
            .via("radio", FrameSender(through: scheduler)).ignore("reports")
        }
        try await blueprint.run(simulation.runOptions()) { live in
          var generator = simulation.generator("abort")
          for _ in 0..<generator.index(below: 300) { await Task.yield() }
          live.abort()
        }
        await simulation.settle()
        let metrics = scheduler.metrics.classes[.chat]
        // The one on the air may still be.
        try simulation.require(
          metrics.map { $0.queued <= 1 && $0.isBalanced } ?? false, "\(String(describing: metrics))")
        group.cancelAll()
        try await group.waitForAll()
      }
    }
  }

  @Test func `required_all the scheduler keeps the rules of a node`() throws {
    var options = VerificationOptions()
    options.longRun = 300
    options.dependsOnTime = true
    options.exceptions = [
      .r09: "a scheduler owns one radio, and so serves one run",
      .r15: "repeats the inputs to a length that takes hours on the air",
    ]
    let channel = try SchedulerOrderTests.options()
    try verify("scheduler", seeds: .sweep(20), options: options) { graph, outlet, simulation in
      let clock = GraphClock(simulation.clock)
      guard let scheduler = try? RadioFrameScheduler(channel, radio: ScriptedRadio(clock: clock), clock: clock) else {
        return outlet.compactMap("token") { $0.token }
      }
      return outlet.via("radio", scheduler).compactMap("token") { $0.token }
    } inputs: {
      Self.frames(.chat, 12, flow: "a")
    } expecting: {
      $0.compactMap(\.token)
    }
  }
}
