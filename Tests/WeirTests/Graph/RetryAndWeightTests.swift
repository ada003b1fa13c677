import Synchronization
import Testing
@testable import Weir

private struct Refused: RetryableError, Equatable {
  let isRetryable: Bool
}

/// Fails its first calls.
private final class Attempts: Sendable {
  private let count = TestMutex(0)
  var value: Int { count.withLock { $0 } }
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

private struct FlakyOnce: AsyncChunkStage {
  let attempts: Attempts
  let failures: Int
  let isRetryable: Bool

  mutating func process(_ elements: [Int], _ emit: (Int) -> Void) async throws(Refused) {
    if attempts.next() <= failures { throw Refused(isRetryable: isRetryable) }
    for element in elements { emit(element) }
  }
}

private struct Parcel: Weighted {
  let weight: Int
}

@Suite struct RetryAndWeightTests {
  private let retry = Supervision.retry(Backoff(initial: .zero, attempts: 5), then: .fail)

  @Test func `an error that may pass is tried again, with the same elements`() async throws {
    let attempts = Attempts()
    let blueprint = try Blueprint("retry") { graph in
      graph.source("numbers", 0..<10)
        .via("flaky", FlakyOnce(attempts: attempts, failures: 3, isRetryable: true), supervision: retry).collect("all")
    }
    let all = try await blueprint.run { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
    #expect(all == Array(0..<10))
    #expect(attempts.value == 4)
  }

  @Test func `an error that says trying again is of no use fails at once`() async throws {
    let attempts = Attempts()
    let blueprint = try Blueprint("hopeless") { graph in
      graph.source("numbers", 0..<10)
        .via("flaky", FlakyOnce(attempts: attempts, failures: 3, isRetryable: false), supervision: retry).ignore("end")
    }
    let failure = await #expect(throws: StageFailure.self) { try await blueprint.run() }
    #expect(failure?.cause as? Refused == Refused(isRetryable: false))
    #expect(attempts.value == 1)
  }

  @Test func `the link of any node weighs elements that know their weight`() async throws {
    let deepest = TestMutex(0)
    let blueprint = try Blueprint("weights") { graph in
      graph.source("parcels", limit: .bytes(1_000)) { output in
        for _ in 0..<100 { await output.send(Parcel(weight: 400)) }
      }
      .sink("slow") { (_: Parcel) async in await Task.yield() }
    }
    try await blueprint.run { live in
      while !live.isEnded {
        let depth = live.snapshot()[link: "parcels"]?.depth ?? 0
        deepest.withLock { $0 = max($0, depth) }
        await Task.yield()
      }
    }
    #expect(deepest.withLock { $0 } <= 2)
    // In place the elements take 8 bytes each; the limit is what they may refer to.
    #expect(blueprint.memoryBound().bytes ?? 0 >= 1_000)
  }
}
