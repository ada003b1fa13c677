import ChatFixtures
import Dispatch
import Foundation
import Testing
import Weir

@testable import WeirChat

@Suite("Listeners under load")
struct ListenerOverflowTests {
  private let registry = ListenerRegistry(now: { 5 })

  @Test("what comes is decoded: facts, online-only messages on their own path, and nothing of nil and empty ids")
  func decoded() async throws {
    let listener = MessageListener()
    let empty: [UInt8] = {
      var line = CallbackLine()
      line.clientMsgID = ""
      return line.bytes
    }()
    let lines = try await run(
      listener,
      deliver: { registry in
        registry.deliver(.newMessage, CallbackLine().bytes)
        registry.deliver(.newMessage, nil)
        registry.deliver(.newMessage, empty)
        registry.deliver(.onlineOnlyMessage, nil)
        registry.deliver(.onlineOnlyMessage, empty)
        registry.deliver(.onlineOnlyMessage, CallbackLine().bytes)
        registry.deliver(.newMessage, text: "{")
        registry.deliver(.business, text: "hello")
      })
    #expect(lines.map(\.kind) == [.facts, .events, .events, .events, .refused, .events])
    guard lines.count == 6, case .event(.onlineOnly(let message)) = lines[3] else {
      Issue.record("\(lines)")
      return
    }
    #expect(message.envelope.seq == 41)
    let counts = listener.counts
    #expect(counts.received == 8 && counts.handedOn == 6 && counts.lost == 0)
    #expect(counts.ignoredNil == 2 && counts.ignoredEmptyID == 2 && counts.refused == 1)
  }

  @Test(
    "nothing is lost silently: what is handed on and what is lost add up, and the graph hears how much",
    arguments: [ListenerOverflow.dropOldest, .dropNewest, .wait(atMost: .zero), .wait(atMost: .milliseconds(1))])
  func losses(overflow: ListenerOverflow) async throws {
    let listener = MessageListener(limit: .elements(4), overflow: overflow)
    let total: UInt8 = 60
    let seen = try await stalled(listener) { registry in
      for number in 0..<total { registry.deliver(.business, [number]) }
    } isEnough: { seen in
      // The graph hears of the loss once it takes something.
      lost(seen) == listener.counts.lost && listener.counts.lost > 0
    }
    let numbers = payloads(seen)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(numbers.count + Int(lost(seen)) == Int(total))
    #expect(listener.counts.received == UInt64(total))
    if overflow == .dropOldest { #expect(numbers.last == total - 1) } else { #expect(numbers.first == 0) }
  }

  @Test("a thread that may wait goes on as soon as there is room, and loses nothing")
  func waiting() async throws {
    let listener = MessageListener(limit: .elements(2), overflow: .wait(atMost: .seconds(600)))
    let total: UInt8 = 100
    let seen = try await stalled(listener) { registry in
      Thread.detachNewThread {
        for number in 0..<total { registry.deliver(.business, [number]) }
      }
    } isEnough: {
      $0.count == Int(total)
    }
    #expect(payloads(seen) == Array(0..<total))
    #expect(listener.counts.lost == 0 && listener.counts.handedOn == UInt64(total))
  }

  @Test("threads that wait when the run ends are let go, and what they held is counted as lost")
  func released() async throws {
    let listener = MessageListener(limit: .elements(2), overflow: .wait(atMost: .seconds(600)))
    let done = DispatchGroup()
    try await prepare(listener)
    let blueprint = try Blueprint("inbox") { graph in
      graph.callbacks("listener", listener).sequence("out", limit: .elements(1))
    }
    let (registry, group) = (registry, done)
    try await blueprint.run { live in
      await listener.untilHeard()
      try registry.login(account: "me")
      for number in 0..<UInt8(20) {
        group.enter()
        Thread.detachNewThread {
          registry.deliver(.business, [number])
          group.leave()
        }
      }
      while listener.counts.waited == 0 { await Task.yield() }
      live.abort()
    }
    await withCheckedContinuation { continuation in done.notify(queue: .global()) { continuation.resume() } }
    let counts = listener.counts
    #expect(counts.received == 20 && counts.handedOn + counts.lost == 20 && counts.lost > 0)
  }

  @Test("with the policy fail the graph fails when there is no room, and what comes later is counted")
  func failing() async throws {
    let listener = MessageListener(limit: .elements(2), overflow: .fail)
    try await prepare(listener)
    let blueprint = try Blueprint("inbox") { graph in
      graph.callbacks("listener", listener).sequence("out", limit: .elements(1))
    }
    let registry = registry
    let failure = await #expect(throws: StageFailure.self) {
      try await blueprint.run { live in
        await listener.untilHeard()
        try registry.login(account: "me")
        for number in 0..<100 { registry.deliver(.business, [UInt8(number)]) }
        // What waited is still delivered; then the sequence ends with the failure, of which the run tells.
        do { for try await _ in try live[live.handles] {} } catch {}
      }
    }
    #expect(failure?.cause is LinkOverflow)
    #expect(listener.counts.received == 100 && listener.counts.lost > 0)
    #expect(listener.counts.handedOn + listener.counts.lost == 100)
  }

  @Test("callbacks that come while no graph runs are lost, and the next run begins with their number")
  func betweenRuns() async throws {
    let listener = MessageListener()
    try await prepare(listener)
    try registry.login(account: "me")
    for _ in 0..<3 { registry.deliver(.newMessage, CallbackLine().bytes) }
    #expect(listener.counts.lost == 3)
    let blueprint = try Blueprint("inbox") { graph in
      graph.callbacks("listener", listener).via("decode", listener.decodeStage()).sequence("out")
    }
    let registry = registry
    try await blueprint.run { live in
      for try await line in try live[live.handles] {
        guard case .event(.lost(let count)) = line else {
          Issue.record("\(line)")
          break
        }
        #expect(count == 3)
        registry.logout()
      }
    }
  }

  // MARK: Helpers

  private func prepare(_ listener: MessageListener) async throws {
    registry.initialize()
    try registry.add(listener)
  }

  private func run(
    _ listener: MessageListener, deliver: @Sendable (ListenerRegistry) -> Void
  ) async throws -> [DecodedLine<ListenerCallback>] {
    try await prepare(listener)
    let blueprint = try Blueprint("inbox") { graph in
      graph.callbacks("listener", listener).via("decode", listener.decodeStage()).collect("all")
    }
    let registry = registry
    return try await blueprint.run { live in
      await listener.untilHeard()
      try registry.login(account: ChatScript.account)
      deliver(registry)
      registry.logout()
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
  }

  /// Delivers into a graph whose reader begins only afterwards, and reads until it is enough.
  private func stalled(
    _ listener: MessageListener, deliver: @Sendable (ListenerRegistry) -> Void,
    isEnough: @Sendable ([ListenerCallback]) -> Bool
  ) async throws -> [ListenerCallback] {
    try await prepare(listener)
    let blueprint = try Blueprint("inbox") { graph in
      graph.callbacks("listener", listener).sequence("out", limit: .elements(1))
    }
    let registry = registry
    return try await blueprint.run { live in
      await listener.untilHeard()
      try registry.login(account: "me")
      deliver(registry)
      var seen: [ListenerCallback] = []
      for try await callback in try live[live.handles] {
        seen.append(callback)
        if isEnough(seen) { registry.logout() }
      }
      return seen
    }
  }

  private func payloads(_ callbacks: [ListenerCallback]) -> [UInt8] {
    callbacks.compactMap { if case .payload(_, let bytes) = $0.content { bytes.first } else { nil } }
  }

  private func lost(_ callbacks: [ListenerCallback]) -> UInt64 {
    callbacks.compactMap { if case .lost(let count) = $0.content { count } else { nil } }.last ?? 0
  }
}
