import Testing
import Weir
import WeirTesting

/// Failures of every kind of node: what arrives before them, who hears of them, what they do to tokens.
@Suite struct FailureTests {
  @Test(arguments: [Parallelism<Int>.ordered(3), .unordered(3), .lanes(3, by: { UInt64($0) })])
  func `required_R04 an upstream failure arrives after the results of parallel calls under way`(
    parallel: Parallelism<Int>
  ) throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("parallel") { graph in
        graph.source("source", of: Int.self) { output in
          for element in 0..<20 { await output.send(element) }
          throw Odd(value: 20)
        }.via("slow", SlowCall(clock: simulation.clock), parallel: parallel).sequence("out")
      }
      let seen = RunLog<Int>()
      do {
        try await blueprint.run(options) { live in
          for try await element in try live[live.handles] { seen.append(element) }
        }
        try simulation.require(false, "the failure is lost")
      } catch let failure as PortInterruption {
        guard case .failed(let cause) = failure else { throw failure }
        try simulation.require(cause.node == "source")
      }
      try simulation.require(seen.all.sorted() == Array(0..<20), "\(seen.all)")
    }
  }

  @Test func `required_R04 a failing call of ordered workers lets everything before it out`() async throws {
    // On the pool, since the order of two threads is what matters.
    for _ in 0..<200 {
      let blueprint = try Blueprint("ordered") { graph in
        graph.source("source", 0..<40).via("refuse", RefusingAsync(at: 30), parallel: .ordered(4)).collect("all")
      }
      let seen = RunLog<[Int]>()
      await #expect(throws: StageFailure.self) {
        try await blueprint.run { live in
          await live.waitUntilEnded()
          seen.append(try live[live.handles].value)
        }
      }
      #expect(seen.all == [Array(0..<30)])
    }
  }

  @Test func `required_R04 what a failing call has emitted is delivered before the failure`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let blueprint = try Blueprint("partial") { graph in
        let serial = graph.source("a", [1, 2]).via("serial", PartialAsync()).collect("serial out")
        return serial
      }
      let seen = RunLog<[Int]>()
      do {
        try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          seen.append(try live[live.handles].value)
        }
      } catch is StageFailure {}
      try simulation.require(seen.all == [[10, 11, 20]], "\(seen.all)")
    }
  }

  @Test func `an overflowing link with the policy fail fails the run and names the link`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("overflow") { graph in
        graph.source("numbers", 0..<100).boundary("narrow", limit: .elements(3), policy: .fail)
          .via("slow", SlowCall(clock: simulation.clock)).collect("all")
      }
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the run ended normally")
      } catch let failure as StageFailure {
        try simulation.require(failure.node == "narrow" && failure.code == "link-overflow", "\(failure)")
      }
    }
  }

  @Test func `required_R14 a failure after the consumer has left goes to the observer and not to the caller`() throws {
    let late = RunLog<String>()
    try runInSimulation(late: late) { simulation, options in
      let blueprint = try Blueprint("late") { graph in
        graph.source("numbers", 0..<100).via("grumpy", FailsWhenCancelled(clock: simulation.clock))
          .via("first", FirstThree()).collect("all")
      }
      try await blueprint.run(options)
    }
    #expect(Set(late.all) == ["grumpy"])
  }

  @Test func `an element on which a process fails does not count as stored`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("process") { graph in
        let ledger = graph.ledger()
        graph.source("numbers", 0..<10).tracked("tracker", by: ledger).via("refuse", RefusingProcess(at: 4)).ignore(
          "end")
        return ledger
      }
      let ledgers = RunLog<SettlementLedger>()
      do {
        try await blueprint.run(options) { live in
          ledgers.append(try live[live.handles])
          await live.waitUntilEnded()
        }
      } catch is StageFailure {}
      let counts = ledgers.all.first?.counts ?? [:]
      try simulation.require(counts[.stored] == 4, "\(counts)")
      try simulation.require(counts[.failed] == 1 && counts[.lost] == nil, "\(counts)")
    }
  }

  @Test func `elements held by a stage that fails in finish do not count as filtered`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("finish") { graph in
        let ledger = graph.ledger()
        graph.source("numbers", 0..<3).tracked("tracker", by: ledger).via("gather", FailingFinish()).ignore("end")
        return ledger
      }
      let ledgers = RunLog<SettlementLedger>()
      do {
        try await blueprint.run(options) { live in
          ledgers.append(try live[live.handles])
          await live.waitUntilEnded()
          if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
        }
        try simulation.require(false, "the failure is lost")
      } catch is StageFailure {}
      let counts = ledgers.all.first?.counts ?? [:]
      try simulation.require(counts == [.failed: 3], "\(counts)")
    }
  }

  @Test func `required_R21 a stage that lets go of what it held and then throws stays balanced`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("batch") { graph in
        let ledger = graph.ledger()
        let all = graph.source("numbers", 0..<20).tracked("tracker", by: ledger)
          .via("sums", SumsThatRefuse(), supervision: .skip).collect("all")
        return (ledger, all)
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
        let ledger = try live[live.handles.0]
        try simulation.require(
          ledger.counts.values.reduce(0, +) == 20 && ledger.counts[.lost] == nil, "\(ledger.counts)")
      }
    }
  }

  @Test func `required_R04 one failure is thrown, a second one is late`() throws {
    let late = RunLog<String>()
    let runs = RunCounter()
    try runInSimulation(late: late) { simulation, options in
      runs.next()
      let blueprint = try Blueprint("two") { graph in
        graph.source("a", [1]).via("first", FailingFinish()).ignore("end a")
        graph.source("b", [3]).via("second", FailingFinish()).ignore("end b")
      }
      do {
        try await blueprint.run(options)
      } catch let failure as StageFailure {
        try simulation.require(["first", "second"].contains(failure.node))
      }
    }
    #expect(late.all.count == runs.value)
  }
}

struct SlowCall: AsyncStage {
  let clock: GraphClock

  init(clock: GraphClock) { self.clock = clock }
  init(clock: VirtualClock) { self.clock = GraphClock(clock) }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
    try await clock.sleep(for: .milliseconds(10 + element % 3))
    emit(element)
  }
}

struct RefusingAsync: AsyncStage {
  let at: Int
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws(Odd) {
    await Task.yield()
    if element == at { throw Odd(value: element) }
    emit(element)
  }
}

struct PartialAsync: AsyncStage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws(Odd) {
    emit(element * 10)
    if element == 2 { throw Odd(value: element) }
    emit(element * 10 + 1)
  }
}

/// Turns its own cancellation into an error of another kind.
struct FailsWhenCancelled: AsyncStage {
  let clock: VirtualClock
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws(Odd) {
    do { try await clock.sleep(for: .milliseconds(1)) } catch { throw Odd(value: element) }
    emit(element)
  }
}

struct RefusingProcess: Process {
  let at: Int
  func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
    for try await element in input {
      if element == at { throw Odd(value: element) }
      await output.send(element)
    }
  }
}

struct FailingFinish: Stage {
  var held = 0
  let holds: Int? = 10
  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) { held += 1 }
  mutating func finish(_ emit: (Int) -> Void) throws(Odd) {
    held = 0
    throw Odd(value: 0)
  }
}

/// Sums of three; refuses every second sum after having let go of its elements.
struct SumsThatRefuse: Stage {
  var waiting: [Int] = []
  var sums = 0
  var held: Int { waiting.count }
  let holds: Int? = 3
  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
    waiting.append(element)
    guard waiting.count == 3 else { return }
    let sum = waiting.reduce(0, +)
    waiting = []
    sums += 1
    if sums % 2 == 0 { throw Odd(value: sum) }
    emit(sum)
  }
}
