import Synchronization
import WeirTesting

/// A stand-in operator: the standard library's map, with `next(isolation:)` and typed failures.
struct Mapped<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == String {
  typealias Element = String
  typealias Failure = Base.Failure

  let base: Base
  let transform: @Sendable (String) -> String

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let transform: @Sendable (String) -> String

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> String? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      return transform(element)
    }

    mutating func next() async throws(Base.Failure) -> String? {
      try await next(isolation: nil)
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), transform: transform)
  }
}

/// A stand-in operator: delays every element.
struct Delayed<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == String {
  typealias Element = String
  typealias Failure = any Error

  let base: Base
  let delay: Duration
  let clock: VirtualClock

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let delay: Duration
    let clock: VirtualClock

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
      guard let element = try await base.next(isolation: actor) else { return nil }
      try await clock.sleep(for: delay)
      return element
    }

    mutating func next() async throws -> String? {
      try await next(isolation: nil)
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), delay: delay, clock: clock)
  }
}

/// A debounce as one writes it first: a timer task for each element. Right except when an element arrives exactly on the
/// deadline: then it is a matter of luck whether the wait restarts.
func debounceNaively(
  _ input: MarbleInput, quiet: Duration, clock: VirtualClock, into consumer: MarbleConsumer
) async throws {
  let newest = Newest()
  try await withThrowingTaskGroup(of: Void.self) { group in
    for try await element in input {
      let generation = newest.set(element)
      group.addTask {
        try await clock.sleep(for: quiet)
        if let element = newest.take(ifStill: generation) { consumer.receive(element) }
      }
    }
    group.cancelAll()
    if let element = newest.take(ifStill: nil) { consumer.receive(element) }
    consumer.finish()
  }
}

private final class Newest: Sendable {
  private let state = Mutex<(generation: Int, element: String?)>((0, nil))

  func set(_ element: String) -> Int {
    state.withLock { state in
      state = (state.generation + 1, element)
      return state.generation
    }
  }

  func take(ifStill generation: Int?) -> String? {
    state.withLock { state in
      guard generation == nil || generation == state.generation else { return nil }
      defer { state.element = nil }
      return state.element
    }
  }
}

/// Breaks the rule that nothing follows the end.
struct Undead: AsyncSequence, AsyncIteratorProtocol, Sendable {
  var hasEnded = false

  mutating func next() async -> String? {
    defer { hasEnded = true }
    return hasEnded ? "x" : nil
  }

  func makeAsyncIterator() -> Undead { self }
}
