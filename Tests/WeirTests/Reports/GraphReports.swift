import Testing
import Weir
import WeirTesting

/// Failures that users of other systems reported about whole graphs: failures, drains, lanes, counters.
@Suite struct GraphReports {
  struct Broken: Error {}

  @Test func `akka 24758: a key that goes and comes again, among very many keys`() throws {
    try runInSimulation(seeds: 3) { simulation, options in
      let blueprint = try Blueprint("keys") { graph in
        graph.source("keys", 0..<30_000)
          .lanes("lanes", 4, by: { "key \($0 % 10_000)" }) { lane, outlet in
            outlet.filter("keep \(lane)") { _ in true }
          }
          .fold("order", [Int: Int]()) { last, number in
            let key = number % 10_000
            if let before = last[key], before >= number { last[-1] = number }
            last[key] = number
          }
      }
      let last = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return try live[live.handles].value
      }
      try simulation.require(last.count == 10_000 && last[-1] == nil, "lost or reordered within a key")
    }
  }

  @Test func `pekko 3103: an element that fails under skip is counted and dead-lettered`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("skip") { graph in
        let kept = graph.source("numbers", 0..<20).map("odd fails", supervision: .skip) { number in
          if number % 2 == 1 { throw Broken() }
          return number
        }.collect("kept")
        return (kept, graph.deadLetters().collect("dead"))
      }
      let (kept, dead, snapshot) = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return (try live[live.handles.0].value, try live[live.handles.1].value, live.snapshot())
      }
      let node = try #require(snapshot[node: "odd fails"])
      try simulation.require(kept == stride(from: 0, to: 20, by: 2).map { $0 }, "kept \(kept)")
      try simulation.require(dead.count == 10 && node.deadLettered == 10 && node.errors == 10, "\(node)")
    }
  }

  @Test func `async-algorithms 391: the failure of one merged source arrives, whatever the other can throw`() throws {
    struct Failing: AsyncSequence, Sendable {
      struct Iterator: AsyncIteratorProtocol {
        var left = 3
        mutating func next() async throws -> Int? {
          left -= 1
          if left < 0 { throw Broken() }
          return left
        }
      }
      func makeAsyncIterator() -> Iterator { Iterator() }
    }
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("merge") { graph in
        graph.merge("merge", graph.source("fails", Failing()), graph.source("never fails", [7, 8, 9])).ignore("end")
      }
      do {
        try await blueprint.run(options)
        try simulation.require(false, "no failure arrived")
      } catch let failure as StageFailure {
        try simulation.require(failure.node == "fails" && failure.cause is Broken, "\(failure)")
      }
    }
  }

  @Test func `vector 12145: the settled prefix does not pass an element that a sink refused`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("refuse") { graph in
        let ledger = graph.ledger()
        graph.source("numbers", 0..<100).tracked("track", by: ledger).sink("store") { number in
          if number == 42 { throw Broken() }
        }
        return ledger
      }
      let prefix = RunLog<UInt64>()
      let counts = RunLog<[Outcome: UInt64]>()
      do {
        try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          let ledger = try live[live.handles]
          prefix.append(ledger.settledPrefix)
          counts.append(ledger.counts)
        }
      } catch is StageFailure {}
      try simulation.require(
        counts.all.first?[.failed] == 1, "the refused element settled as \(counts.all.first ?? [:])")
      try simulation.require(prefix.all == [42], "prefix \(prefix.all)")
      try simulation.require(counts.all.first?[.stored] == 42, "stored \(counts.all.first ?? [:])")
    }
  }

  @Test func `connect 414: one message that always fails goes to the dead letters after its limit, others flow`() throws
  {
    try runInSimulation(seeds: 20) { simulation, options in
      let backoff = Backoff(initial: .seconds(1), attempts: 4)
      let blueprint = try Blueprint("poison") { graph in
        let sent = RunLog<Int>()
        graph.source("numbers", 0..<10)
          .sink(
            "output", supervision: .retry(backoff, then: .skip),
            async: { number in
              if number == 4 { throw Broken() }
              sent.append(number)
            })
        return (sent, graph.deadLetters().collect("dead"))
      }
      let (sent, dead) = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return (live.handles.0.all, try live[live.handles.1].value)
      }
      try simulation.require(sent == [0, 1, 2, 3, 5, 6, 7, 8, 9], "sent \(sent)")
      try simulation.require(dead.count == 1 && dead[0].attempts == 4 && dead[0].element as? Int == 4, "\(dead)")
    }
  }

  @Test func `broadway 85: a drain interrupts an endless poll and loses nothing`() throws {
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("poll") { graph in
        graph.source("poll", of: Int.self) { output in
          var next = 0
          while true {
            await output.send(next)
            next += 1
            if next % 5 == 0 { try await simulation.clock.sleep(until: .init(offset: .seconds(86_400))) }
          }
        }.boundary("hop", limit: .elements(2)).collect("all")
      }
      let (all, report) = try await blueprint.run(options) { live in
        while (live.snapshot()[node: "all"]?.elementsIn ?? 0) < 5 { await Task.yield() }
        let report = await live.drain(deadline: .seconds(10))
        return (try live[live.handles].value, report)
      }
      try simulation.require(report.endedInTime && all == [0, 1, 2, 3, 4], "\(report) \(all)")
    }
  }

  @Test func `vector 21702: counters balance and shares stay within bounds at every look, under load and idle`() throws
  {
    try runInSimulation(seeds: 20) { simulation, options in
      let blueprint = try Blueprint("scrape") { graph in
        graph.source("numbers", 0..<3_000).filter("even") { $0 % 2 == 0 }.boundary("hop", limit: .elements(16))
          .expand("twice") { [$0, $0] }.ignore("end")
      }
      try await blueprint.run(options) { live in
        while !live.isEnded {
          let snapshot = live.snapshot()
          if let imbalance = snapshot.imbalance { try simulation.require(false, imbalance) }
          for node in snapshot.nodes where node.elapsed > .zero {
            let sum = node.busy + node.idle + node.blocked
            try simulation.require(sum == node.elapsed, "\(node.name): \(sum) of \(node.elapsed)")
          }
          await Task.yield()
        }
      }
    }
  }

  @Test func `akka 23261: an unordered parallel map whose source ends during the last job completes`() throws {
    struct Slow: AsyncStage {
      let clock: VirtualClock
      mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
        try await clock.sleep(until: clock.now.advanced(by: .seconds(element + 1)))
        emit(element)
      }
    }
    try runInSimulation { simulation, options in
      let blueprint = try Blueprint("parallel") { graph in
        graph.source("numbers", 0..<7).via("slow", Slow(clock: simulation.clock), parallel: .unordered(3)).collect(
          "all")
      }
      let all = try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        return try live[live.handles].value
      }
      try simulation.require(all.sorted() == Array(0..<7), "\(all)")
    }
  }

  @Test func `RxJava 6557: a stage that throws after its consumer has left is reported, and the process lives`() throws
  {
    struct LateFailure: AsyncStage {
      mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
        emit(element)
        if element > 0 {
          for _ in 0..<50 { await Task.yield() }
          throw Broken()
        }
      }
    }
    let late = RunLog<String>()
    try runInSimulation(late: late) { simulation, options in
      let blueprint = try Blueprint("late") { graph in
        graph.source("numbers", 0..<5).via("late", LateFailure()).take("one", 1).collect("all")
      }
      do {
        let all = try await blueprint.run(options) { live in
          await live.waitUntilEnded()
          return try live[live.handles].value
        }
        try simulation.require(all == [0], "\(all)")
      } catch let failure as StageFailure {
        // The failure came before the consumer had left: then it belongs to the run.
        try simulation.require(failure.node == "late", "\(failure)")
      }
    }
  }

  @Test func `vector 13013: a tap ends with its run, also while the graph runs again, and a new one sees the new run`()
    throws
  {
    try runInSimulation(seeds: 20) { simulation, options in
      let blueprint = try Blueprint("replaced") { graph in
        graph.source("ticks", Ticks(clock: simulation.clock)).map("double") { $0 * 2 }.collect("all")
      }
      func numbers(_ tap: Tap) async throws -> [Int] {
        var numbers: [Int] = []
        for try await sample in tap { numbers.append(sample.element as? Int ?? -1) }
        return numbers
      }
      let (before, all) = try await blueprint.run(options) { live in
        let tap = try live.tap("double")
        try await simulation.clock.sleep(for: .milliseconds(4_500))
        await live.drain(deadline: .seconds(1))
        return (tap, try live[live.handles].value)
      }
      try await blueprint.run(options) { live in
        let tap = try live.tap("double")
        try await simulation.clock.sleep(for: .milliseconds(2_500))
        let old = try await numbers(before)
        try simulation.require(!live.isEnded, "the old tap ended only with the new run")
        try simulation.require(!old.isEmpty && all.suffix(old.count).elementsEqual(old), "\(old) of \(all)")
        await live.drain(deadline: .seconds(1))
        let seen = try await numbers(tap)
        let new = try live[live.handles].value
        try simulation.require(!seen.isEmpty && new.suffix(seen.count).elementsEqual(seen), "\(seen) of \(new)")
      }
    }
  }

  @Test func `meshcore 3394: a frame that expired while the air was closed may come again`() throws {
    try runInSimulation(seeds: 20) { simulation, options in
      let clock = simulation.clock
      let age = Duration.seconds(600)
      let blueprint = try Blueprint("duty cycle") { graph in
        let sent = RunLog<String>()
        graph.source("frames", of: String.self) { output in
          for (frame, pause) in [("first", 1), ("late", 10), ("late", 7_200), ("late", 1)] {
            await output.send(frame)
            try await clock.sleep(for: .seconds(pause))
          }
        }
        .dedupe("once", by: { $0 }, remembering: 100, forgetting: age)
        .boundary("queue", limit: LinkLimit(elements: 16, age: age), policy: .expire)
        .sink(
          "air",
          async: { frame in
            sent.append(frame)
            // The first frame uses up the duty cycle of almost two hours.
            if frame == "first" { try await clock.sleep(for: .seconds(7_000)) }
          })
        return sent
      }
      try await blueprint.run(options) { live in
        await live.waitUntilEnded()
        try simulation.require(live.handles.all == ["first", "late"], "sent \(live.handles.all)")
        let snapshot = live.snapshot()
        try simulation.require(snapshot[link: "queue"]?.counters.expired == 1, "\(snapshot.links)")
        try simulation.require(snapshot[node: "once"]?.filtered == 1, "the repetition in time was not found")
      }
    }
  }

  @Test func `async-algorithms 341: every task of a run stays on the executor that is asked for`() async throws {
    let executor = SingleThreadExecutor()
    let threads = RunLog<ObjectIdentifier>()
    let blueprint = try Blueprint("executor") { graph in
      graph.merge("merge", graph.source("a", 0..<100), graph.source("b", 0..<100))
        .map("one") { number in
          withUnsafeCurrentTask { task in
            if let current = task?.unownedTaskExecutor, current == executor.asUnownedTaskExecutor() {
              threads.append(ObjectIdentifier(executor))
            }
          }
          return number
        }.ignore("end")
    }
    try await blueprint.run(RunOptions(executor: executor))
    #expect(threads.all.count == 200)
  }
}
