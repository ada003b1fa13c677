/// Elements with other tasks' turns in between.
struct PausingSequence<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]
  let yielded: Counter

  func makeAsyncIterator() -> Iterator { Iterator(elements: elements, yielded: yielded) }

  struct Iterator: AsyncIteratorProtocol {
    let elements: [Element]
    let yielded: Counter
    var next = 0

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
      if next % 3 == 1 { await Task.yield() }
      guard next < elements.count else { return nil }
      next += 1
      yielded.next()
      return elements[next - 1]
    }
  }
}

/// Elements over and over, until the task is cancelled. There must be at least one.
struct EndlessSequence<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]
  let yielded: Counter

  func makeAsyncIterator() -> Iterator { Iterator(elements: elements, yielded: yielded) }

  struct Iterator: AsyncIteratorProtocol {
    let elements: [Element]
    let yielded: Counter
    var next = 0

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      await Task.yield()
      try Task.checkCancellation()
      next += 1
      yielded.next()
      return elements[(next - 1) % elements.count]
    }
  }
}

/// Elements, then a failure.
struct FailingSequence<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]

  func makeAsyncIterator() -> Iterator { Iterator(elements: elements) }

  struct Iterator: AsyncIteratorProtocol {
    let elements: [Element]
    var next = 0

    mutating func next(isolation actor: isolated (any Actor)?) async throws(PlannedFailure) -> Element? {
      guard next < elements.count else { throw PlannedFailure() }
      next += 1
      return elements[next - 1]
    }
  }
}

/// Elements from an iterator whose life is watched.
struct TrackedSequence<Element: Sendable>: AsyncSequence, Sendable {
  let elements: [Element]
  let leaks: LeakCheck

  func makeAsyncIterator() -> Iterator {
    let life = Life()
    leaks.track(life, "the source's iterator")
    return Iterator(elements: elements, life: life)
  }

  final class Life: Sendable {}

  struct Iterator: AsyncIteratorProtocol {
    let elements: [Element]
    let life: Life
    var next = 0

    mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
      await Task.yield()
      guard next < elements.count else { return nil }
      next += 1
      return elements[next - 1]
    }
  }
}
