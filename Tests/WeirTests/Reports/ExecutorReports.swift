import Testing
import WeirTesting

@testable import Weir

/// Failures that users of other systems reported about tasks, threads and executors.
@Suite struct ExecutorReports {
  @Test(.timeLimit(.minutes(1)))
  func `async-algorithms 303: whoever is resumed is resumed outside every lock of a link`() async throws {
    let executor = WatchingExecutor()
    let link = Link<Int>(limit: .elements(2), writers: 2)
    let cancelled = Link<Int>(limit: .elements(2))
    // A link that resumes under its lock is locked twice by one thread here.
    executor.watch { _ = (link.depth, link.counters, cancelled.depth) }
    let received = await withTaskGroup(of: Int.self, returning: Int.self) { group in
      for writer in 0..<2 {
        group.addTask(executorPreference: executor) {
          // One writer fills the link and has to wait for room; behind the other the reader has to wait for elements.
          for number in 0..<200 {
            await link.send(writer * 200 + number)
            for _ in 0..<(writer * 3) { await Task.yield() }
          }
          link.finish()
          return 0
        }
      }
      group.addTask(executorPreference: executor) {
        var count = 0
        var chunk = Chunk<Int>()
        while (try? await link.receive(into: &chunk)) == true {
          while chunk.popFirst() != nil { count += 1 }
        }
        return count
      }
      // Cancellation while waiting, the end while waiting, and leaving while a writer waits.
      for _ in 0..<20 {
        let reader = Task(executorPreference: executor) {
          var chunk = Chunk<Int>()
          _ = try? await cancelled.receive(into: &chunk)
        }
        await Task.yield()
        reader.cancel()
        await reader.value
      }
      let writer = Task(executorPreference: executor) { while await cancelled.send(0) {} }
      while cancelled.depth < 2 { await Task.yield() }
      cancelled.closeReader()
      await writer.value
      return await group.reduce(0, +)
    }
    #expect(received == 400)
  }

  @Test(.timeLimit(.minutes(1)))
  func `swift 85668: a whole graph may be looked into at every moment at which anything is resumed`() async throws {
    let executor = WatchingExecutor()
    let blueprint = try Blueprint("looked into") { graph in
      let fork = graph.merge("merge", graph.source("a", 0..<300), graph.source("b", 0..<300), limit: .elements(4))
        .via("parallel", SlowEcho(), parallel: .ordered(3), limit: .elements(4))
        .broadcast("fan", first: Leg("first", limit: .elements(4)), second: Leg("second", limit: .elements(4)))
      let hop = fork.second.boundary("hop", limit: .elements(4))
      return graph.zip("zip", fork.first, hop).map("one") { $0.0 }.via("process", Forward())
        .batch("batch", count: 7, within: .seconds(60)).collect("all")
    }
    let looks = RunCounter()
    let count = try await blueprint.run(RunOptions(executor: executor, chunkSize: 4)) { live in
      executor.watch {
        looks.next()
        _ = live.snapshot()
      }
      await live.waitUntilEnded()
      return try live[live.handles].value.flatMap { $0 }.count
    }
    #expect(count == 600)
    #expect(looks.value > 0)
  }

  @Test(.timeLimit(.minutes(1)))
  func `async-algorithms 430: a merge whose tasks change threads at every suspension works`() async throws {
    let blueprint = try Blueprint("threads") { graph in
      graph.merge("merge", graph.source("a", 0..<60), graph.source("b", 60..<120), limit: .elements(1)).collect("all")
    }
    let all = try await blueprint.result(RunOptions(executor: ThreadExecutor(), chunkSize: 1))
    #expect(all.sorted() == Array(0..<120))
    let cut = try Blueprint("cut") { graph in
      graph.merge("merge", graph.source("a", 0..<60), graph.source("b", 60..<120), limit: .elements(1)).take("one", 1)
        .collect("first")
    }
    for _ in 0..<20 {
      let first = try await cut.result(RunOptions(executor: ThreadExecutor(), chunkSize: 1))
      #expect(first.count == 1)
    }
  }

  @Test func `swift 70484: a chain of stages suspends for no element, however many there are`() async throws {
    var jobs: [Int] = []
    for count in [100, 50_000] {
      let executor = WatchingExecutor()
      let blueprint = try Blueprint("chain") { graph in
        graph.source("numbers", 0..<count).map("a") { $0 + 1 }.filter("b") { $0 % 2 == 0 }.map("c") { $0 * 3 }
          .compactMap("d") { $0 }.map("e") { $0 - 1 }.filter("f") { $0 > 0 }.fold("count", 0) { count, _ in count += 1 }
      }
      let passed = try await blueprint.result(RunOptions(executor: executor))
      #expect(passed == count / 2)
      jobs.append(executor.jobs)
    }
    // No suspension for an element, and a turn for others after every 32 chunks.
    #expect(jobs[1] <= jobs[0] + 4 + 2 * 50_000 / 256 / chunksAtOnce, "\(jobs)")
  }

  @Test func `swift 74395: yields and sleeps come back to the executor that was asked for`() async throws {
    struct Restless: AsyncStage {
      let look: @Sendable () -> Void
      mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
        await Task.yield()
        look()
        try await Task.sleep(for: .milliseconds(1))
        look()
        emit(element)
      }
    }
    let executor = WatchingExecutor()
    let looks = RunLog<Bool>()
    let blueprint = try Blueprint("restless") { graph in
      graph.source("numbers", 0..<10).via("restless", Restless { looks.append(executor.isCurrent) })
        .batch("timed", count: 3, within: .milliseconds(1))
        .inspect("behind") { _ in looks.append(executor.isCurrent) }.ignore("end")
    }
    try await blueprint.run(RunOptions(executor: executor))
    #expect(looks.all.count > 20)
    #expect(looks.all.allSatisfy { $0 })
  }

  @Test func `swift-jobs 33: a run starts no task for an element and keeps no result`() async throws {
    final class Result: Sendable {
      let living: AskCounter
      init(_ living: AskCounter) {
        self.living = living
        living.add()
      }
      deinit { living.remove() }
    }
    struct Job: AsyncStage {
      let living: AskCounter
      mutating func process(_ element: Int, _ emit: (Result) -> Void) async {
        // A short child task for every element, as users write it.
        async let result = Result(living)
        emit(await result)
      }
    }
    var tasks: [Int] = []
    for count in [100, LinkStressTests.isSoak ? 1_000_000 : 10_000] {
      let living = AskCounter()
      let most = RunLog<Int>()
      let executor = WatchingExecutor()
      let blueprint = try Blueprint("jobs") { graph in
        graph.source("numbers", 0..<count).via("jobs", Job(living: living), parallel: .unordered(4)).sink("end") { _ in
          let now = living.count
          if now > most.all.last ?? 0 { most.append(now) }
        }
      }
      try await blueprint.run(RunOptions(executor: executor))
      // One child for each element; everything else is there from the start.
      tasks.append(executor.tasks - count)
      // Two chunks at the link, one in each hand.
      #expect(most.all.last ?? 0 <= 4 * 256, "\(most.all.last ?? 0) results at once")
      #expect(living.count == 0)
    }
    #expect(tasks[0] == tasks[1], "\(tasks)")
  }
}
