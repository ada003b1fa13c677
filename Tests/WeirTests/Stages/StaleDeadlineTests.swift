import Testing
import Weir

/// A timed stage of a user that forgets to move its deadline on.
@Suite struct StaleDeadlineTests {
  /// Passes elements on and counts how often it is woken; says so at the end.
  private struct Forgetful: TimedStage {
    var wakes = 0
    var deadline: Duration? = .zero

    func process(_ element: Int, at now: Duration, _ emit: (Int) -> Void) { emit(element) }
    mutating func wake(at now: Duration, _ emit: (Int) -> Void) { wakes += 1 }
    func finish(at now: Duration, _ emit: (Int) -> Void) { emit(-wakes) }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a deadline that stays in the past wakes its stage once, and elements still pass`() async throws {
    let hub = MergeHub<Int>()
    let blueprint = try Blueprint("forgetful") { graph in
      graph.source("in", hub).via("stage", Forgetful()).sequence("out")
    }
    let producer = hub.producer()
    let seen = try await blueprint.run { live in
      var answers = try live[live.handles].makeAsyncIterator()
      var seen: [Int] = []
      for number in 1...3 {
        await producer.send(number)
        if let answer = try await answers.next() { seen.append(answer) }
        // Idle for a while: time enough to be woken thousands of times.
        try await Task.sleep(for: .milliseconds(20))
      }
      producer.finish()
      hub.close()
      while let answer = try await answers.next() { seen.append(answer) }
      return seen
    }
    #expect(seen == [1, 2, 3, -1])
  }
}
