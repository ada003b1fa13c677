import Testing
import Weir
import WeirTesting

/// Retry, restart and skip against virtual time.
@Suite struct SupervisionTests {
  /// Stamps of the attempts, in milliseconds of virtual time.
  private static func stamps(_ log: RunLog<Duration>) -> [Int] {
    log.all.map { Int($0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000) }
  }

  @Test(arguments: [false, true])
  func `retry waits longer each time and keeps order`(isAsync: Bool) throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let attempts = RunLog<Duration>()
      let clock = simulation.clock
      let supervision = Supervision.retry(
        Backoff(initial: .milliseconds(100), factor: 2, maximum: .milliseconds(300), attempts: 10), then: .fail)
      let blueprint = try Blueprint("retry") { graph in
        let numbers = graph.source("numbers", 0..<4)
        let flaky = Flaky(at: 2, times: 4) { attempts.append(clock.now.offset) }
        let out =
          isAsync
          ? numbers.via("flaky", FlakyAsync(flaky: flaky), supervision: supervision)
          : numbers.via("flaky", flaky, supervision: supervision)
        return out.collect("all")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == [0, 1, 2, 3], "\(all)")
        let flaky = live.snapshot()[node: "flaky"]
        try simulation.require(flaky?.retries == 4 && flaky?.errors == 4 && flaky?.elementsIn == 4)
        if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
      }
      let stamps = Self.stamps(attempts)
      try simulation.require(stamps == [0, 100, 300, 600, 900], "\(stamps)")
    }
  }

  @Test(arguments: [Supervision.Exhausted.fail, .skip])
  func `retry gives up after its attempts`(exhausted: Supervision.Exhausted) throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let supervision = Supervision.retry(Backoff(initial: .seconds(1), attempts: 3), then: exhausted)
      let blueprint = try Blueprint("give up") { graph in
        let all = graph.source("numbers", 0..<4).via("flaky", Flaky(at: 2, times: 100) {}, supervision: supervision)
          .collect("all")
        return (all, graph.deadLetters().collect("dead"))
      }
      let seen = RunLog<[Int]>()
      let letters = RunLog<DeadLetter>()
      do {
        try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          seen.append(try live[live.handles.0].value)
          for letter in try live[live.handles.1].value { letters.append(letter) }
        }
        try simulation.require(exhausted == .skip, "the failure is lost")
      } catch is StageFailure {
        try simulation.require(exhausted == .fail)
      }
      switch exhausted {
      case .fail: try simulation.require(seen.all == [[0, 1]] && letters.all.isEmpty, "\(seen.all)")
      case .skip:
        try simulation.require(seen.all == [[0, 1, 3]], "\(seen.all)")
        try simulation.require(
          letters.all.map(\.attempts) == [3] && letters.all.first?.node == "flaky", "\(letters.all)")
      }
    }
  }

  @Test func `restart takes a fresh copy after a wait, and gives the held elements up`() throws {
    try runInSimulation(seeds: 10, chunkSizes: [1, 3]) { simulation, options in
      let blueprint = try Blueprint("restart") { graph in
        let ledger = graph.ledger()
        let all = graph.source("numbers", 0..<6).tracked("tracker", by: ledger)
          .via("counting", CountingRefuser(at: 3), supervision: .restart(Backoff(initial: .seconds(2)))).collect("all")
        return (ledger, all)
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles.1].value
        // Two are held: 0 leaves with 2; 3 fails and takes 1 and 2 with it; the fresh copy counts from one again.
        try simulation.require(all == [1, 1, 2], "\(all)")
        let counts = try live[live.handles.0].counts
        try simulation.require(counts == [.stored: 3, .dropped(.failed): 3], "\(counts)")
        if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
      }
      try simulation.require(simulation.clock.now.offset == .seconds(2))
    }
  }

  @Test func `restarts are counted within an unhealthy period only`() throws {
    try runInSimulation(seeds: 5) { simulation, options in
      let backoff = Backoff(initial: .seconds(1), factor: 1, attempts: 2, healthy: .seconds(10))
      // Failures a minute apart never use the attempts up; three within seconds do.
      for (pause, ends) in [(60, true), (1, false)] {
        let blueprint = try Blueprint("healthy") { graph in
          graph.source("slow", 0..<6).via("pause", Sleepy(clock: simulation.clock, time: .seconds(pause)))
            .via("odd", RefusingOdd(), supervision: .restart(backoff)).collect("all")
        }
        do {
          try await blueprint.run(options)
          try simulation.require(ends, "three failures in a row were healthy")
        } catch let failure as StageFailure {
          try simulation.require(!ends, "\(failure)")
        }
      }
    }
  }

  @Test func `an error is counted when it happens, not after the backoff`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let supervision = Supervision.retry(Backoff(initial: .seconds(3_600)), then: .fail)
      let names = ["sync", "async", "chunks", "timed", "restarted", "source"]
      let blueprint = try Blueprint("backoff") { graph in
        let flaky = Flaky(at: 2, times: 1) {}
        func end(_ outlet: consuming Outlet<Int>, _ name: String) { outlet.ignore("end of \(name)") }
        end(graph.source("a", 0..<4).via("sync", flaky, supervision: supervision), "sync")
        end(graph.source("b", 0..<4).via("async", FlakyAsync(flaky: flaky), supervision: supervision), "async")
        end(graph.source("c", 0..<4).via("chunks", FlakyChunks(flaky: flaky), supervision: supervision), "chunks")
        end(graph.source("d", 0..<4).via("timed", FlakyTimed(flaky: flaky), supervision: supervision), "timed")
        let restart = Supervision.restart(Backoff(initial: .seconds(3_600)))
        end(graph.source("e", 0..<4).via("restarted", Flaky(at: 2, times: 1) {}, supervision: restart), "restarted")
        end(graph.source("source", supervision: supervision) { FlakySequence(flaky: flaky) }, "source")
      }
      try await blueprint.run(options) { live in
        await simulation.settle()
        let during = live.snapshot()
        for name in names {
          let node = during[node: name]
          try simulation.require(node?.errors == 1 && node?.retries == 0, "\(name): \(node?.errors ?? 0) errors")
        }
        if let imbalance = during.imbalance { try simulation.require(false, imbalance) }
        live.abort()
      }
    }
  }

  @Test func `an abort does not wait for a backoff`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("abort") { graph in
        let numbers = graph.source("numbers", 0..<4)
        return numbers.via(
          "flaky", Flaky(at: 2, times: 9) {}, supervision: .retry(Backoff(initial: .seconds(1_000)), then: .fail)
        )
        .boundary("hop").collect("all")
      }
      try await blueprint.run(options) { live in
        try await simulation.clock.sleep(for: .seconds(3))
        live.abort()
      }
      try simulation.require(simulation.clock.now.offset == .seconds(3))
    }
  }

  @Test func `a source is restarted and goes on`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let made = RunCounter()
      let blueprint = try Blueprint("source") { graph in
        graph.source("broken", supervision: .restart(Backoff(initial: .seconds(1), attempts: 3))) {
          made.next() < 3 ? Broken(after: 2) : Broken(after: -1)
        }.via("first", FirstSix()).collect("all")
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles].value
        try simulation.require(all == [0, 1, 0, 1, 0, 1], "\(all)")
      }
    }
  }

  @Test func `a timed stage that throws at a deadline and keeps it fails instead of being woken for ever`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let blueprint = try Blueprint("alarm") { graph in
        graph.source("numbers", 0..<6).via("alarm", FailingAlarm(), supervision: .skip).collect("all")
      }
      do {
        try await blueprint.run(options)
        try simulation.require(false, "the failure is lost")
      } catch let failure as StageFailure {
        try simulation.require(failure.node == "alarm")
      }
    }
  }

  @Test func `a timed stage is supervised like any other`() throws {
    try runInSimulation(seeds: 10) { simulation, options in
      let blueprint = try Blueprint("timed") { graph in
        let ledger = graph.ledger()
        let all = graph.source("numbers", 0..<6).tracked("tracker", by: ledger)
          .via("timed", TimedRefuser(), supervision: .skip).collect("all")
        return (ledger, all)
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        let all = try live[live.handles.1].value
        try simulation.require(all == [0, 2, 4], "\(all)")
        let counts = try live[live.handles.0].counts
        try simulation.require(counts == [.stored: 3, .dropped(.failed): 3], "\(counts)")
        if let imbalance = live.snapshot().imbalance { try simulation.require(false, imbalance) }
      }
    }
  }
}

/// Throws on one element a number of times.
struct Flaky: Stage {
  let element: Int
  var left: Int
  let onAttempt: @Sendable () -> Void

  init(at element: Int, times: Int, onAttempt: @escaping @Sendable () -> Void) {
    self.element = element
    left = times
    self.onAttempt = onAttempt
  }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
    if element == self.element {
      onAttempt()
      if left > 0 {
        left -= 1
        throw Odd(value: element)
      }
    }
    emit(element)
  }
}

struct FlakyAsync: AsyncStage {
  var flaky: Flaky
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws(Odd) {
    await Task.yield()
    try flaky.process(element, emit)
  }
}

struct FlakyChunks: AsyncChunkStage {
  var flaky: Flaky
  mutating func process(_ elements: [Int], _ emit: (Int) -> Void) async throws(Odd) {
    for element in elements { try flaky.process(element, emit) }
  }
}

struct FlakyTimed: TimedStage {
  var flaky: Flaky
  let deadline: Duration? = nil
  mutating func process(_ element: Int, at now: Duration, _ emit: (Int) -> Void) throws(Odd) {
    try flaky.process(element, emit)
  }
  mutating func wake(at now: Duration, _ emit: (Int) -> Void) throws(Odd) {}
}

/// Numbers through a stage that fails at one of them.
struct FlakySequence: AsyncSequence, Sendable {
  let flaky: Flaky
  func makeAsyncIterator() -> Iterator { Iterator(flaky: flaky) }

  struct Iterator: AsyncIteratorProtocol {
    var flaky: Flaky
    var next = 0
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Int? {
      defer { next += 1 }
      try flaky.process(next) { _ in }
      return next < 4 ? next : nil
    }
  }
}

/// Holds two elements, emits how many have left, refuses one element.
struct CountingRefuser: Stage {
  let at: Int
  var held = 0
  var left = 0
  let holds: Int? = 2
  init(at: Int) { self.at = at }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
    if element == at { throw Odd(value: element) }
    if held == 2 {
      left += 1
      emit(left)
    } else {
      held += 1
    }
  }

  mutating func finish(_ emit: (Int) -> Void) throws(Odd) {
    for _ in 0..<held {
      left += 1
      emit(left)
    }
    held = 0
  }
}

struct FirstSix: Stage {
  var demand = 6
  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    demand -= 1
    emit(element)
  }
}

struct FailingAlarm: TimedStage {
  var deadline: Duration?
  var acceptsInput: Bool { deadline == nil }
  mutating func process(_ element: Int, at now: Duration, _ emit: (Int) -> Void) throws(Odd) {
    deadline = now + .seconds(1)
    emit(element)
  }
  mutating func wake(at now: Duration, _ emit: (Int) -> Void) throws(Odd) { throw Odd(value: 0) }
}

struct TimedRefuser: TimedStage {
  let deadline: Duration? = nil
  mutating func process(_ element: Int, at now: Duration, _ emit: (Int) -> Void) throws(Odd) {
    if element % 2 == 1 { throw Odd(value: element) }
    emit(element)
  }
  mutating func wake(at now: Duration, _ emit: (Int) -> Void) throws(Odd) {}
}
