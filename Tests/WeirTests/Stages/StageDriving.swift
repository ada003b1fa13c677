import Weir

/// Feeds a stage as a graph does: no more than it wants, then the end.
func outputs<S: Stage>(of stage: S, from elements: some Sequence<S.Input>) throws(S.Failure) -> [S.Output] {
  var stage = stage
  var outputs: [S.Output] = []
  for element in elements {
    if stage.demand == 0 { break }
    try stage.process(element) { outputs.append($0) }
  }
  try stage.finish { outputs.append($0) }
  return outputs
}

/// Elements with their times, as a timed stage sees them.
struct Arrival<Element: Sendable>: Sendable {
  let time: Duration
  let element: Element

  init(_ time: Duration, _ element: Element) {
    self.time = time
    self.element = element
  }
}

/// What came out, and when.
struct Departure<Element: Sendable & Equatable>: Sendable, Equatable {
  let time: Duration
  let element: Element

  init(_ time: Duration, _ element: Element) {
    self.time = time
    self.element = element
  }
}

/// Drives a timed stage by the rules of ``TimedStage``: elements that are there at a deadline come first, wake-ups
/// happen one nanosecond beyond it, elements wait while the stage does not accept any.
func departures<S: TimedStage>(
  of stage: S, from arrivals: [Arrival<S.Input>], end: Duration
) throws(S.Failure) -> [Departure<S.Output>] where S.Output: Equatable {
  var stage = stage
  var now = Duration.zero
  var departures: [Departure<S.Output>] = []
  var waiting = arrivals[...]
  stage.start(at: now, look: {})
  while true {
    let next = stage.acceptsInput ? waiting.first : nil
    let wake = stage.deadline.map { max(now, $0 + .nanoseconds(1)) }
    if let next, wake.map({ next.time < $0 }) ?? true {
      now = max(now, next.time)
      waiting.removeFirst()
      try stage.process(next.element, at: now) { departures.append(Departure(now, $0)) }
    } else if let wake, !waiting.isEmpty || !stage.acceptsInput || wake <= end {
      now = wake
      try stage.wake(at: now) { departures.append(Departure(now, $0)) }
    } else {
      now = max(now, end)
      try stage.finish(at: now) { departures.append(Departure(now, $0)) }
      return departures
    }
  }
}

extension Blueprint {
  /// Runs to the end and gives what a sink has gathered.
  func result<Value: Sendable>(_ options: RunOptions = RunOptions()) async throws -> Value
  where Handles == Handle<RunResult<Value>> {
    try await run(options) { live in
      await live.waitUntilEnded()
      return try live[live.handles].value
    }
  }
}

/// A sequence that records how often it was asked, and can fail.
struct Counted: AsyncSequence, Sendable {
  let elements: [Int]
  var failsAfter: Int?
  let asked = AskCounter()

  func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  struct Iterator: AsyncIteratorProtocol {
    let sequence: Counted
    var index = 0

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Odd) -> Int? {
      sequence.asked.add()
      if index == sequence.failsAfter { throw Odd(value: index) }
      guard index < sequence.elements.count else { return nil }
      defer { index += 1 }
      return sequence.elements[index]
    }
  }
}

extension Array where Element: Sendable {
  /// The elements as a sequence that never fails.
  var async: AsyncStream<Element> {
    AsyncStream { continuation in
      for element in self { continuation.yield(element) }
      continuation.finish()
    }
  }
}
