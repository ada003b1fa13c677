import Testing

@testable import WeirTesting

private struct Broken: Error, Equatable {}

@Suite struct SourceProbeTests {
  @Test func sendingWaitsForDemand() throws {
    try forEachSeed(count: 50) { simulation in
      let source = SourceProbe<Int>()
      let log = EventLog()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await source.send(1)
          log.add("sent")
        }
        await simulation.settle()
        try #require(log.all.isEmpty)
        try #require(source.demand == 0)
        var iterator = source.makeAsyncIterator()
        try #require(try await iterator.next() == 1)
        try await group.waitForAll()
      }
      try #require(source.requested == 1)
      try #require(source.delivered == 1)
    }
  }

  @Test func offersAreTakenOnlyOnDemand() throws {
    try forEachSeed(count: 50) { _ in
      let source = SourceProbe<Int>()
      try #require(!source.offer(1))
      async let received = source.prefix(2).reduce(into: []) { $0.append($1) }
      try await source.waitForDemand()
      try #require(source.offer(2))
      try #require(!source.offer(3))
      try await source.waitForDemand()
      try #require(source.offer(4))
      try #require(try await received == [2, 4])
    }
  }

  @Test func theEndAndAFailureReachTheConsumerOnce() throws {
    try simulate(seed: 1) { _ in
      let finished = SourceProbe<Int>()
      finished.finish()
      finished.fail(Broken())
      var iterator = finished.makeAsyncIterator()
      try #require(try await iterator.next() == nil)
      try #require(try await iterator.next() == nil)

      let failed = SourceProbe<Int>()
      failed.fail(Broken())
      var other = failed.makeAsyncIterator()
      await #expect(throws: Broken()) { _ = try await other.next() }
      try #require(try await other.next() == nil)
      await #expect(throws: ProbeError.self) { try await failed.send(1) }
    }
  }

  @Test func aSenderLearnsThatItsConsumerIsGone() throws {
    try forEachSeed(count: 50) { _ in
      let source = SourceProbe<Int>()
      async let first = source.first { _ in true }
      try await source.send(1)
      try #require(try await first == 1)
      try await source.waitForRelease()
      try #require(source.iteratorsMade == 1)
      try #require(source.iteratorsDestroyed == 1)
      do {
        try await source.send(2)
        throw ProbeError.unexpectedElement("2")
      } catch ProbeError.consumerGone {}
    }
  }

  @Test func cancellationIsRecordedAndLosesNothing() throws {
    try forEachSeed(count: 200) { simulation in
      let source = SourceProbe<Int>()
      let received = EventLog()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for try await element in source { received.add("\(element)") }
        }
        // Sending and cancelling race: an element that was sent must have been received.
        let sent = await withTaskGroup(of: Int.self) { inner in
          inner.addTask {
            do {
              try await source.send(contentsOf: 1...3)
            } catch {}
            return 0
          }
          await Task.yield()
          await Task.yield()
          group.cancelAll()
          await inner.waitForAll()
          return source.delivered
        }
        try await group.waitForAll()
        try #require(received.all.count == sent)
        try #require(source.demand == 0)
        try #require(source.iteratorsDestroyed == 1)
        try #require(source.cancellations == 1)
      }
    }
  }

  @Test func aCancelledSendDeliversNothing() throws {
    try forEachSeed(count: 50) { simulation in
      let source = SourceProbe<Int>()
      let outcome = await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          do {
            try await source.send(1)
            return false
          } catch {
            return error is CancellationError
          }
        }
        await simulation.settle()
        group.cancelAll()
        return await group.next()
      }
      try #require(outcome == true)
      try #require(!source.offer(2))
      source.finish()
      try #require(try await source.reduce(0) { count, _ in count + 1 } == 0)
    }
  }
}

@Suite struct SinkProbeTests {
  @Test func pullsExactlyWhatIsAskedFor() throws {
    try forEachSeed(count: 50) { simulation in
      let source = SourceProbe<Int>()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await source.send(contentsOf: 1...5)
          source.finish()
        }
        try await withSinkProbe(over: source) { sink in
          await simulation.settle()
          try #require(source.requested == 0)
          try #require(try await sink.request(2) == [1, 2])
          await simulation.settle()
          try #require(source.requested == 2)
          sink.demand(2)
          await simulation.settle()
          try #require(sink.received == [1, 2, 3, 4])
          try #require(try await sink.request(3) == [3, 4, 5])
          try #require(source.requested == 5)
          try await sink.expectEnd()
          try #require(try await sink.next() == nil)
          guard case .finished = sink.ending else { throw ProbeError.unexpectedEnd }
        }
        try await group.waitForAll()
      }
      try #require(source.iteratorsDestroyed == 1)
    }
  }

  @Test func failuresAreToldApart() throws {
    try simulate(seed: 2) { _ in
      let source = SourceProbe<Int>()
      source.fail(Broken())
      try await withSinkProbe(over: source) { sink in
        let error = try await sink.expectFailure(as: Broken.self)
        #expect(error == Broken())
        await expectCode("probe-unexpected-failure") { try await sink.expectEnd() }
        await expectCode("probe-failed-early") { try await sink.request(1) }
        await expectCode("probe-unexpected-failure") { try await sink.expectFailure(as: CancellationError.self) }
        await #expect(throws: Broken()) { _ = try await sink.next() }
      }
      let values = AsyncStream<Int> { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish()
      }
      await withSinkProbe(over: values) { sink in
        await expectCode("probe-unexpected-element") { try await sink.expectEnd() }
        await expectCode("probe-ended-early") { try await sink.request(3) }
        await expectCode("probe-unexpected-end") { try await sink.expectFailure() }
      }
    }
  }

  @Test func cancellingReachesASuspendedPullAndReleasesTheSource() throws {
    try forEachSeed(count: 50) { simulation in
      let source = SourceProbe<Int>()
      try await withSinkProbe(over: source) { sink in
        sink.demand(1)
        try await source.waitForDemand()
        guard case .finished = try await sink.cancel() else { throw ProbeError.unexpectedEnd }
        try #require(source.cancellations == 1)
        try #require(source.iteratorsDestroyed == 1)
        _ = try await sink.cancel()
      }
      let idle = SourceProbe<Int>()
      try await withSinkProbe(over: idle) { sink in
        guard case .cancelled = try await sink.cancel() else { throw ProbeError.unexpectedEnd }
        try #require(idle.cancellations == 0)
        do {
          try await sink.request(1)
        } catch ProbeError.sinkCancelled {}
      }
    }
  }

  @Test func leavingTheScopeEndsTheConsumer() throws {
    try forEachSeed(count: 50) { _ in
      let source = SourceProbe<Int>()
      do {
        try await withSinkProbe(over: source) { sink in
          sink.demand(1)
          try await source.waitForDemand()
          throw Broken()
        }
      } catch is Broken {}
      try #require(source.iteratorsMade == 1)
      try #require(source.iteratorsDestroyed == 1)
    }
  }

  @Test func aSinkProbeWorksWithoutASimulation() async throws {
    let source = SourceProbe<String>()
    try await withSinkProbe(over: source) { sink in
      async let received = sink.request(2)
      try await source.send(contentsOf: ["a", "b"])
      let elements = try await received
      #expect(elements == ["a", "b"])
      source.finish()
      try await sink.expectEnd()
    }
  }

  private func expectCode<Value>(_ code: String, _ body: () async throws -> Value) async {
    let error = await #expect(throws: ProbeError.self) { _ = try await body() }
    #expect(error?.code == code)
  }
}
