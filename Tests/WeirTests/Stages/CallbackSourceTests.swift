import Dispatch
import Synchronization
import Testing
@testable import Weir

/// Keeps what a registering closure was given, for use from outside the run.
private final class Slot<Value: Sendable>: Sendable {
  private let value = TestMutex<Value?>(nil)
  func set(_ newValue: Value) { value.withLock { $0 = newValue } }
  func clear() { value.withLock { $0 = nil } }
  func get() async -> Value {
    while true {
      if let value = value.withLock({ $0 }) { return value }
      await Task.yield()
    }
  }
}

@Suite struct CallbackSourceTests {
  @Test func `what any thread yields arrives, and the end after it`() async throws {
    let blueprint = try Blueprint("threads") { graph in
      graph.callbackSource("callbacks", of: Int.self, limit: .unbounded) { emitter in
        let group = DispatchGroup()
        for thread in 0..<4 {
          DispatchQueue.global().async(group: group) {
            for index in 0..<500 { emitter.yield(thread * 500 + index) }
          }
        }
        group.notify(queue: .global()) { emitter.finish() }
      }.collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all.sorted() == Array(0..<2_000))
  }

  @Test func `a producer that follows the demand loses nothing and is never refused twice for one element`()
    async throws
  {
    let refusals = AskCounter()
    let blueprint = try Blueprint("demand") { graph in
      graph.callbackSource("callbacks", of: Int.self, limit: .elements(8)) { emitter in
        let next = TestMutex(0)
        emitter.onDemand { room in
          next.withLock { next in
            for _ in 0..<room {
              if next == 1_000 { return emitter.finish() }
              guard case .accepted = emitter.yield(next) else { return refusals.add() }
              next += 1
            }
          }
        }
      }.collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all == Array(0..<1_000))
    #expect(refusals.count == 0)
  }

  @Test func `a full link refuses, keeps what it has and announces room later`() async throws {
    let slot = Slot<CallbackEmitter<Int>>()
    let demands = Log<Int>()
    let blueprint = try Blueprint("full") { graph in
      graph.callbackSource("callbacks", of: Int.self, limit: .elements(4)) { emitter in
        emitter.onDemand { demands.add($0) }
        slot.set(emitter)
      }.sequence("out", limit: .elements(1))
    }
    try await blueprint.run { live in
      let emitter = await slot.get()
      var accepted: [Int] = []
      var refused = false
      while !refused {
        switch emitter.yield(accepted.count) {
        case .accepted: accepted.append(accepted.count)
        case .full: refused = true
        case .dropped, .ended: Issue.record("neither dropped nor ended is possible here")
        }
      }
      let before = demands.all.count
      var seen: [Int] = []
      for try await element in try live[live.handles] {
        seen.append(element)
        if seen.count == accepted.count {
          while demands.all.count == before { await Task.yield() }
          #expect(emitter.yield(-1) != .full)
          emitter.finish()
        }
      }
      #expect(seen == accepted + [-1])
      #expect(demands.all.first == 4)
    }
  }

  @Test func `dropping policies say so`() async throws {
    for policy in [OverflowPolicy<Int>.dropNewest, .dropOldest] {
      let results = Log<YieldResult>()
      let blueprint = try Blueprint("drops") { graph in
        graph.callbackSource("callbacks", limit: .elements(2), policy: policy) { (emitter: CallbackEmitter<Int>) in
          for element in 0..<5 { results.add(emitter.yield(element)) }
          emitter.finish()
        }.collect("all")
      }
      let (all, snapshot) = try await blueprint.run { live in
        await live.waitUntilEnded()
        return (try live[live.handles].value, live.snapshot())
      }
      let dropped = results.all.filter { $0 == .dropped }.count
      #expect(all.count + dropped == 5)
      #expect(snapshot.links.map(\.counters.overflowed).reduce(0, +) == UInt64(dropped))
    }
  }

  @Test func `conflating keeps the newest`() async throws {
    let blueprint = try Blueprint("conflates") { graph in
      graph.callbackSource("callbacks", limit: .elements(1), policy: .conflate { _, new in new }) {
        (emitter: CallbackEmitter<Int>) in
        for element in 0..<100 { #expect(emitter.yield(element) == .accepted(remaining: 0)) }
        emitter.finish()
      }.collect("all")
    }
    let all: [Int] = try await blueprint.result()
    #expect(all.last == 99)
  }

  @Test func `a failure arrives after what was yielded before it`() async throws {
    let ends = Log<CallbackEnd>()
    let blueprint = try Blueprint("fails") { graph in
      graph.callbackSource("callbacks", of: Int.self) { emitter in
        emitter.onEnd { ends.add($0) }
        emitter.yield(1)
        emitter.fail(Odd(value: 1))
        emitter.fail(Odd(value: 3))
        #expect(emitter.yield(2) == .ended)
      }.collect("all")
    }
    await #expect(throws: StageFailure.self) {
      try await blueprint.run { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        #expect(all == [1])
      }
    }
    #expect(ends.all == [.failed])
  }

  @Test func `a closure that throws fails the source`() async throws {
    let blueprint = try Blueprint("throws") { graph in
      graph.callbackSource("callbacks", of: Int.self) { _ in throw Odd(value: 5) }.ignore("end")
    }
    do {
      try await blueprint.run()
      Issue.record("no failure")
    } catch let error as StageFailure {
      #expect(error.cause as? Odd == Odd(value: 5))
      #expect(error.node == "callbacks")
    }
  }

  @Test func `the producer hears when downstream wants no more, and every run registers anew`() async throws {
    let ends = Log<CallbackEnd>()
    let slot = Slot<CallbackEmitter<Int>>()
    let blueprint = try Blueprint("leaves") { graph in
      graph.callbackSource("callbacks", of: Int.self) { emitter in
        emitter.onEnd { ends.add($0) }
        for element in 0..<5 { emitter.yield(element) }
        slot.set(emitter)
      }.take("two", 2).collect("all")
    }
    for round in 1...2 {
      let all: [Int] = try await blueprint.result()
      #expect(all == [0, 1])
      #expect(ends.all == Array(repeating: .stopped, count: round))
      let emitter = await slot.get()
      #expect(emitter.yield(9) == .ended)
      emitter.fail(Odd(value: 9))
      let late = Log<CallbackEnd>()
      emitter.onEnd { late.add($0) }
      #expect(late.all == [.stopped])
    }
  }

  @Test func `a drain keeps what was yielded, an abort does not wait`() async throws {
    let slot = Slot<CallbackEmitter<Int>>()
    let ends = Log<CallbackEnd>()
    let blueprint = try Blueprint("stops") { graph in
      graph.callbackSource("callbacks", of: Int.self) { emitter in
        emitter.onEnd { ends.add($0) }
        for element in 0..<50 { emitter.yield(element) }
        slot.set(emitter)
      }.collect("all")
    }
    let all = try await blueprint.run { live in
      _ = await slot.get()
      let report = await live.drain(deadline: .seconds(10))
      #expect(report.endedInTime)
      return try live[live.handles].value
    }
    #expect(all == Array(0..<50))
    slot.clear()
    try await blueprint.run { live in
      while (live.snapshot()[node: "callbacks"]?.elementsOut ?? 0) < 50 { await Task.yield() }
      live.abort()
      await live.waitUntilEnded()
    }
    #expect(ends.all == [.stopped, .stopped])
  }

  @Test func `an overflow under the policy fail fails the run`() async throws {
    let results = Log<YieldResult>()
    let blueprint = try Blueprint("overflow") { graph in
      graph.callbackSource("callbacks", limit: .elements(2), policy: .fail) { (emitter: CallbackEmitter<Int>) in
        for element in 0..<5 { results.add(emitter.yield(element)) }
      }.collect("all")
    }
    do {
      // On one thread nobody takes an element while the callbacks yield.
      try await blueprint.run(RunOptions(executor: SingleThreadExecutor()))
      Issue.record("no failure")
    } catch let error as StageFailure {
      #expect(error.node == "callbacks" && error.code == "link-overflow")
    }
    #expect(results.all.suffix(3).allSatisfy { $0 == .ended })
  }

  @Test func `an overflowing boundary under the policy fail fails the run`() async throws {
    let blueprint = try Blueprint("boundary") { graph in
      graph.source("numbers", 0..<1_000).boundary("narrow", limit: .elements(2), policy: .fail).collect("all")
    }
    do {
      try await blueprint.run()
      Issue.record("no failure")
    } catch let error as StageFailure {
      #expect(error.node == "narrow" && error.code == "link-overflow")
    }
  }

  @Test func `an emitter that is kept does not keep the run alive`() async throws {
    final class Witness: Sendable {}
    weak var seen: Witness?
    let slot = Slot<CallbackEmitter<Int>>()
    do {
      let witness = Witness()
      seen = witness
      let blueprint = try Blueprint("kept") { graph in
        graph.callbackSource("callbacks", of: Int.self) { emitter in
          emitter.onEnd { _ in _ = witness }
          emitter.onDemand { _ in _ = witness }
          slot.set(emitter)
          emitter.finish()
        }.sink("end") { _ in _ = witness }
      }
      try await blueprint.run()
    }
    #expect(seen == nil)
    let emitter = await slot.get()
    #expect(emitter.yield(1) == .ended)
  }
}
