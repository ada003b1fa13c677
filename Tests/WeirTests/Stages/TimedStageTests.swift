import Testing
import Weir

/// Timed stages as values: explicit times, no clock, no task.
@Suite struct TimedStageTests {
  private func arrivals(_ times: [Int]) -> [Arrival<Int>] { times.map { Arrival(.milliseconds($0), $0) } }

  @Test func `a debounced burst gives its last element`() {
    let out = departures(
      of: Debounce<Int>(for: .milliseconds(10)), from: arrivals([0, 5, 9, 40, 50, 60, 71]), end: .milliseconds(75))
    // 50 and 60 arrive exactly when the wait would be over.
    #expect(out.map(\.element) == [9, 60, 71])
    #expect(out[0].time == .milliseconds(19) + .nanoseconds(1))
    #expect(out[2].time == .milliseconds(75))
  }

  @Test func `an overdue element goes out before a later one takes its place`() {
    var stage = Debounce<Int>(for: .seconds(1))
    var out: [Int] = []
    stage.process(1, at: .zero) { out.append($0) }
    stage.process(2, at: .seconds(10)) { out.append($0) }
    stage.process(3, at: .seconds(10)) { out.append($0) }
    #expect(out == [1])
    stage.finish(at: .seconds(10)) { out.append($0) }
    #expect(out == [1, 3])
    #expect(stage.held == 0 && stage.deadline == nil)
  }

  @Test func `throttled elements are an interval apart and the last one is not kept for ever`() {
    let times = Array(stride(from: 0, to: 1_000, by: 7)) + [2_000, 2_001, 5_000]
    let out = departures(of: Throttle<Int>(for: .milliseconds(50)), from: arrivals(times), end: .seconds(10))
    for (one, next) in zip(out, out.dropFirst()) { #expect(next.time - one.time >= .milliseconds(50)) }
    #expect(out.map(\.element).suffix(4) == [994, 2_000, 2_001, 5_000])
    for departure in out { #expect(departure.time - .milliseconds(departure.element) <= .milliseconds(51)) }
  }

  @Test func `throttling by the first never delays`() {
    let times = Array(0..<100)
    let out = departures(
      of: Throttle<Int>(for: .milliseconds(10), emitting: .first), from: arrivals(times), end: .seconds(1))
    #expect(out == stride(from: 0, to: 100, by: 10).map { Departure(.milliseconds($0), $0) })
  }

  @Test func `no window holds more than the rate and the burst allow`() {
    var generator = SystemRandomNumberGenerator()
    let rate = Rate(7, per: .milliseconds(100), burst: 3)
    let times = (0..<300).map { _ in Int.random(in: 0..<3_000, using: &generator) }.sorted()
    let out = departures(of: RateLimit<Int>(rate), from: arrivals(times), end: .seconds(100))
    #expect(out.map(\.element) == times)
    for first in out.indices {
      for last in first..<out.count {
        // A window that holds n elements is at least as long as n - burst of them take.
        let earned = Duration.milliseconds(100) * (last - first + 1 - 3) / 7
        #expect(out[last].time - out[first].time >= earned)
      }
    }
    // Work-conserving: whatever was delayed had used up the burst.
    for index in out.indices where out[index].time > .milliseconds(out[index].element) {
      #expect(index >= 1 && out[index].time - out[index - 1].time <= .milliseconds(15))
    }
  }

  @Test func `a rate limit waits with the next input while an element waits`() {
    var stage = RateLimit<Int>(Rate(1, per: .seconds(1)))
    var out: [Int] = []
    stage.process(1, at: .zero) { out.append($0) }
    #expect(stage.acceptsInput)
    stage.process(2, at: .zero) { out.append($0) }
    #expect(!stage.acceptsInput && stage.held == 1 && out == [1])
    stage.wake(at: .milliseconds(999)) { out.append($0) }
    #expect(out == [1])
    stage.wake(at: .seconds(1)) { out.append($0) }
    #expect(stage.acceptsInput && out == [1, 2])
  }

  @Test func `a timeout says how long it waited and for what`() {
    var stage = Timeout<Int>(after: .seconds(5), first: .seconds(30))
    stage.start(at: .seconds(100), look: {})
    #expect(stage.deadline == .seconds(130))
    #expect(throws: TimedOut.self) { try stage.wake(at: .seconds(130)) { _ in } }
    do throws(TimedOut) {
      try stage.process(1, at: .seconds(140)) { _ in }
      #expect(stage.deadline == .seconds(145))
      try stage.wake(at: .seconds(146)) { _ in }
      Issue.record("no error")
    } catch {
      #expect(error.after == .seconds(5) && !error.isInitial && error.code == "timed-out")
    }
    #expect(stage.deadline == .seconds(151))
  }

  @Test func `a timed batch of one with a limit loses nothing at the end`() {
    let out = departures(
      of: TimedBatch<Int>(count: 1, within: .seconds(1)), from: arrivals([0, 1, 2]), end: .seconds(2))
    #expect(out.map(\.element) == [[0], [1], [2]])
    let late = departures(
      of: TimedBatch<Int>(count: 9, within: .seconds(9)), from: arrivals([0, 1, 2]), end: .seconds(2))
    #expect(late == [Departure(.seconds(2), [0, 1, 2])])
  }

  @Test func `the time of a batch counts from its first element`() {
    let out = departures(
      of: TimedBatch<Int>(within: .milliseconds(100)), from: arrivals([0, 99, 100, 101, 500, 599]), end: .seconds(1))
    let instant = Duration.nanoseconds(1)
    #expect(
      out == [
        Departure(.milliseconds(100) + instant, [0, 99, 100]), Departure(.milliseconds(201) + instant, [101]),
        Departure(.milliseconds(600) + instant, [500, 599]),
      ])
  }

  @Test func `an overdue batch grows by what waited and never beyond its count`() {
    var stage = TimedBatch<Int>(count: 3, within: .seconds(1))
    var out: [[Int]] = []
    for element in 0..<7 { stage.process(element, at: element == 0 ? .zero : .seconds(60)) { out.append($0) } }
    stage.finish(at: .seconds(60)) { out.append($0) }
    #expect(out.flatMap { $0 } == Array(0..<7))
    #expect(out.allSatisfy { (1...3).contains($0.count) })
    #expect(out.first?.contains(0) == true)
  }

  @Test func `empty batches are emitted only when asked for`() {
    let silent = departures(of: TimedBatch<Int>(within: .seconds(1)), from: [], end: .seconds(4))
    #expect(silent.isEmpty)
    let ticking = departures(
      of: TimedBatch<Int>(within: .seconds(1), includingEmpty: true), from: [Arrival(.milliseconds(2_500), 7)],
      end: .milliseconds(4_900))
    #expect(ticking.map(\.element) == [[], [], [7], []])
  }

  @Test func `durations of zero, below and beyond all clocks are faults`() {
    for duration in [Duration.zero, .seconds(-1), .seconds(Int64.max)] {
      #expect(Debounce<Int>(for: duration).faults.count == 1)
      #expect(Throttle<Int>(for: duration).faults.count == 1)
      #expect(TimedBatch<Int>(within: duration).faults.count == 1)
      #expect(Timeout<Int>(after: duration, first: duration).faults.count == 2)
      #expect(RateLimit<Int>(Rate(1, per: duration)).faults.count == 1)
    }
    #expect(TimedBatch<Int>(count: 0, weight: -1, by: { $0 }, within: .zero).faults.count == 3)
    #expect(RateLimit<Int>(Rate(0, per: .seconds(1), burst: 0)).faults.count == 2)
    #expect(RateLimit<Int>(Rate(.min, per: .seconds(Int64.min), burst: .max)).faults.count == 3)
    #expect(throws: RateFault.self) { _ = try RateLimiter(Rate(0, per: .seconds(1))) }
    #expect(throws: GraphFaults.self) {
      try Blueprint("faulty") { graph in
        graph.source("numbers", 0..<3).debounce("quiet", for: .zero).rateLimit("slow", 0, per: .zero).ignore("end")
      }
    }
  }

  @Test func `extreme but valid rates do not trap`() {
    for rate in [
      Rate(.max, per: .nanoseconds(1), burst: 1_000_000_000),
      Rate(1, per: .seconds(3_000_000_000), burst: 1_000_000_000),
    ] {
      #expect(rate.faults.isEmpty)
      var stage = RateLimit<Int>(rate)
      var out = 0
      for element in 0..<1_000 { stage.process(element, at: .seconds(1)) { _ in out += 1 } }
      #expect(out == 1_000)
    }
  }
}
