/// Counts up without ever suspending: the cheapest source an AsyncSequence can have.
struct Counter: AsyncSequence, Sendable {
  typealias Failure = Never
  let count: Int

  struct Iterator: AsyncIteratorProtocol {
    var next = 0
    let count: Int

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Int? {
      guard next < count else { return nil }
      defer { next &+= 1 }
      return next
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(count: count) }
}

/// A 200-byte message without references.
struct Message: HopElement {
  var key: Int
  private var words:
    (
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
      Int
    )

  init(_ key: Int) {
    self.key = key
    words = (
      key, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, key
    )
  }

  /// Reads both ends, so that the message has to be there as a whole.
  var check: Int { words.0 & words.23 }
}

/// What hops are measured with. A protocol and no closures, which a compiler that specialises makes disappear: a call of a
/// closure an element would cost as much as a link does.
protocol HopElement: Sendable {
  init(_ key: Int)
  /// What a reader sums up.
  var check: Int { get }
}

extension Int: HopElement {
  var check: Int { self }
}

/// How much of the work each of several producers does.
func share(_ count: Int, of index: Int, among producers: Int) -> Range<Int> {
  (count * index / producers)..<(count * (index + 1) / producers)
}

/// AsyncStream between tasks, unbounded as it comes.
func streamHop<Element: HopElement>(_ count: Int, producers: Int, of type: Element.Type = Int.self) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        for value in share(count, of: index, among: producers) { continuation.yield(Element(value)) }
        return 0
      }
    }
    group.addTask {
      var sum = 0
      var seen = 0
      if count == 0 { return 0 }
      for await element in stream {
        sum &+= element.check
        seen &+= 1
        if seen == count { break }
      }
      return sum
    }
    return await group.reduce(0, &+)
  }
}

/// AsyncStream bounded to a capacity: the producer gives way and tries again what was refused.
func boundedStreamHop(_ count: Int, producers: Int, capacity: Int) async -> Int {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(capacity))
  return await withTaskGroup(of: Int.self) { group in
    for index in 0..<producers {
      group.addTask {
        for value in share(count, of: index, among: producers) {
          while case .dropped = continuation.yield(value) { await Task.yield() }
        }
        return 0
      }
    }
    group.addTask {
      var sum = 0
      var seen = 0
      for await element in stream {
        sum &+= element
        seen &+= 1
        if seen == count { break }
      }
      return sum
    }
    return await group.reduce(0, &+)
  }
}

/// The chain of six with the operators of the standard library.
func stdlibChain(_ count: Int) async -> Int {
  var sum = 0
  let chain = Counter(count: count)
    .map { Arithmetic.scale($0) }
    .filter { Arithmetic.isKept($0) }
    .map { Arithmetic.fold($0) }
    .map { Arithmetic.shift($0) }
    .filter { Arithmetic.isWanted($0) }
    .map { Arithmetic.mix($0) }
  for await value in chain { sum &+= value }
  return sum
}
