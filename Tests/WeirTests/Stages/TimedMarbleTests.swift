import Testing
import Weir
import WeirTesting

/// Timed stages in whole graphs, tick by tick, under many interleavings of tasks. One character is one tick.
@Suite struct TimedMarbleTests {
  private func check<S: TimedStage>(
    _ input: String, _ expected: String, _ stage: S, function: String = #function
  ) throws where S.Input == String, S.Output == String {
    try Marble.check(inputs: [input], expected: expected, function: function) { inputs, clock in
      Attempt { try inputs[0].via(stage, clock: GraphClock(clock)) }
    }
  }

  @Test func `debounce never emits inside a burst, and an arrival on the deadline restarts the wait`() throws {
    try check("ab--cd-e-f---gh|", "------------f--[h|]", Debounce(for: Marble.ticks(3)))
  }

  @Test(arguments: [
    ("a---b---|", "--a---b-|"), ("abc|", "---[c|]"), ("a|", "-[a|]"), ("|", "|"), ("a-a-a-a---|", "--------a-|"),
    ("ab-^", "---^"), ("a----^", "--a--^"),
  ])
  func `debounce by two ticks`(input: String, expected: String) throws {
    try check(input, expected, Debounce(for: Marble.ticks(2)))
  }

  @Test func `an error that comes while the consumer is busy is what it gets next`() throws {
    try check("a-^", ",,,,,,^", Debounce(for: Marble.ticks(3)))
    try check("x---a----^", "---x,,,,,,,,,[a^]", Debounce(for: Marble.ticks(3)))
  }

  @Test(arguments: [
    ("abcdefghijk|", "a-c-e-g-i-k|"), ("ab------c|", "a-b-----c|"), ("ab--|", "a-b-|"), ("abc|", "a-c|"),
    ("ab|", "a-[b|]"), ("a-b-c-|", "a-b-c-|"), ("ab^", "a-^"),
  ])
  func `throttle emits the latest at the end of an interval by itself`(input: String, expected: String) throws {
    try check(input, expected, Throttle(for: Marble.ticks(2), emitting: .latest))
  }

  @Test(arguments: [("abcdefghijk|", "a-c-e-g-i-k|"), ("ab------c|", "a-------c|"), ("ab|", "a-|")])
  func `throttle emits the first of an interval`(input: String, expected: String) throws {
    try check(input, expected, Throttle(for: Marble.ticks(2), emitting: .first))
  }

  // Two at once, then one every three ticks.
  @Test(arguments: [("abc-------|", "ab-c------|"), ("a-b-c-d-e-|", "a-b-c-d--e|"), ("abcd|", "ab-c--[d|]")])
  func `a rate limit delays and drops nothing`(input: String, expected: String) throws {
    try check(input, expected, RateLimit(Rate(1, per: Marble.ticks(3), burst: 2)))
  }

  @Test(arguments: [("a--b---|", "a--b--^"), ("---a|", "--^"), ("-a--b|", "-a--b|"), ("ab|", "ab|")])
  func `a timeout fails when it is over, not when an element comes on it`(input: String, expected: String) throws {
    try check(input, expected, Timeout(after: Marble.ticks(3), first: Marble.ticks(3)))
  }

  @Test func `a timed batch goes out a time after its first element, or when it is full`() throws {
    let joined = TimedBatch<String>(count: 3, within: Marble.ticks(4))
    try Marble.check(inputs: ["a-b-----cdef---g|"], expected: "----'ab'-----'cde'----'fg'|") { inputs, clock in
      Attempt { try inputs[0].via(joined, clock: GraphClock(clock)).via(Map { $0.joined() }) }
    }
  }
}

/// A sequence whose making may fail; then iterating fails.
struct Attempt<Base: AsyncSequence>: AsyncSequence, @unchecked Sendable {
  // Safety: `make` is Sendable, nothing else is stored.
  let make: @Sendable () throws -> Base

  init(_ make: @escaping @Sendable () throws -> Base) { self.make = make }

  func makeAsyncIterator() -> Iterator { Iterator(base: Result { try make().makeAsyncIterator() }) }

  struct Iterator: AsyncIteratorProtocol {
    var base: Result<Base.AsyncIterator, any Error>

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Base.Element? {
      var iterator = try base.get()
      defer { base = .success(iterator) }
      return try await iterator.next(isolation: actor)
    }
  }
}
