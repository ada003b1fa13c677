import Testing
import Weir

private struct Echoing: Process {
  func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
    for try await element in input { await output.send(element + 1) }
  }
}

private struct FailingAtSix: AsyncStage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws(Odd) {
    if element == 6 { throw Odd(value: 6) }
    emit(element)
  }
}

/// A base that says when its iteration has ended, however that came about.
private struct Endless: AsyncSequence, Sendable {
  let ended: AsyncStream<Void>.Continuation

  func makeAsyncIterator() -> Iterator { Iterator(life: Life(ended)) }

  final class Life: Sendable {
    let ended: AsyncStream<Void>.Continuation
    init(_ ended: AsyncStream<Void>.Continuation) { self.ended = ended }
    deinit { ended.finish() }
  }

  struct Iterator: AsyncIteratorProtocol {
    let life: Life
    var next = 0
    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Int? {
      if next >= 3 { try await Task.sleep(for: .seconds(3_600)) }
      next += 1
      return next
    }
  }
}

@Suite struct RunSequenceTests {
  @Test(arguments: [Parallelism<Int>.serial, .ordered(3), .unordered(3)])
  func `an asynchronous stage works outside a graph`(parallel: Parallelism<Int>) async throws {
    var all: [Int] = []
    for try await element in try Array(0..<500).async.via(SlowEcho(), parallel: parallel) { all.append(element) }
    #expect(all.sorted() == Array(0..<500))
  }

  @Test func `a process and a timed stage work outside a graph`() async throws {
    let stage = TimedBatch<Int>(count: 7, within: .seconds(3_600))
    var all: [[Int]] = []
    for try await batch in try Array(0..<100).async.via(Echoing()).via(stage) { all.append(batch) }
    #expect(all.flatMap { $0 } == Array(1...100))
    #expect(all.dropLast().allSatisfy { $0.count == 7 })
  }

  @Test func `a failure arrives after what was emitted before it, and then nil`() async throws {
    var iterator = try Array(0..<10).async.via(FailingAtSix()).makeAsyncIterator()
    var all: [Int] = []
    var failures: [StageFailure] = []
    for _ in 0..<10 {
      do throws(StageFailure) {
        if let element = try await iterator.next() { all.append(element) }
      } catch {
        failures.append(error)
      }
    }
    #expect(all == Array(0..<6))
    #expect(failures.map { $0.cause as? Odd } == [Odd(value: 6)])
    #expect(failures.map(\.node) == ["stage"])
  }

  @Test func `a failure of the base names the base`() async throws {
    var iterator = try Counted(elements: Array(0..<9), failsAfter: 4).via(Echoing()).makeAsyncIterator()
    var all: [Int] = []
    do throws(StageFailure) {
      while let element = try await iterator.next() { all.append(element) }
      Issue.record("no failure")
    } catch {
      #expect(error.node == "base")
      #expect(error.cause as? Odd == Odd(value: 4))
    }
    #expect(all == [1, 2, 3, 4])
  }

  @Test func `leaving the loop early ends the run and the base`() async throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    for try await element in try Endless(ended: continuation).via(Echoing()) where element >= 3 { break }
    for await _ in ended {}
  }

  @Test func `cancelling the consumer ends the run and the base`() async throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    let (started, mark) = AsyncStream.makeStream(of: Void.self)
    let consumer = Task {
      var all: [Int] = []
      for try await element in try Endless(ended: continuation).via(Echoing()) {
        all.append(element)
        if all.count == 3 { mark.finish() }
      }
      return all
    }
    for await _ in started {}
    consumer.cancel()
    let all = try await consumer.value
    #expect(all == [2, 3, 4])
    for await _ in ended {}
  }

  @Test func `a thousand loops left early leave nothing behind`() async throws {
    let living = AskCounter()
    final class Life: Sendable {
      let living: AskCounter
      init(_ living: AskCounter) {
        self.living = living
        living.add()
      }
      deinit { living.remove() }
    }
    struct Living: Process {
      let life: @Sendable () -> Life
      func run(_ input: ProcessInput<Int>, _ output: ProcessOutput<Int>) async throws {
        let own = life()
        for try await element in input { await output.send(element) }
        withExtendedLifetime(own) {}
      }
    }
    for _ in 0..<1_000 {
      let process = Living(life: { Life(living) })
      for try await _ in try Counted(elements: Array(0..<1_000)).via(process, limit: .elements(2)) { break }
    }
    while living.count > 0 { await Task.yield() }
  }

  @Test func `an iterator that was never asked starts nothing`() async throws {
    let base = Counted(elements: [1, 2, 3])
    _ = try base.via(Echoing()).makeAsyncIterator()
    #expect(base.asked.count == 0)
  }

  @Test func `a single-pass base is refused the second time`() async throws {
    let sequence = try [1, 2, 3].async.via(Echoing())
    var all: [Int] = []
    for try await element in sequence { all.append(element) }
    #expect(all == [2, 3, 4])
    do throws(StageFailure) {
      var iterator = sequence.makeAsyncIterator()
      let first = try await iterator.next()
      Issue.record("no failure, but \(String(describing: first))")
    } catch {
      #expect(error.cause is SourceExhausted)
    }
  }

  @Test func `faulty parameters are refused at once`() {
    let numbers = [1].async
    #expect(throws: StageFaults.self) { _ = try numbers.via(SlowEcho(), parallel: .ordered(0)) }
    #expect(throws: StageFaults.self) { _ = try numbers.via(Echoing(), limit: .elements(0)) }
    #expect(throws: StageFaults.self) { _ = try numbers.via(TimedBatch<Int>(within: .zero)) }
  }
}
