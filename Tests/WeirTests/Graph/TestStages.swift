import Weir
import WeirTesting

/// Lets through what a test accepts.
struct Keep<Element: Sendable>: Stage {
  let accepts: @Sendable (Element) -> Bool
  init(_ accepts: @escaping @Sendable (Element) -> Bool) { self.accepts = accepts }
  mutating func process(_ element: Element, _ emit: (Element) -> Void) { if accepts(element) { emit(element) } }
}

/// Emits one thing for each.
struct Apply<Input: Sendable, Output: Sendable>: Stage {
  let change: @Sendable (Input) -> Output
  var isOneToOne: Bool { true }
  init(_ change: @escaping @Sendable (Input) -> Output) { self.change = change }
  mutating func process(_ element: Input, _ emit: (Output) -> Void) { emit(change(element)) }
}

/// Holds the last `size` elements back until the end.
struct HoldBack: Stage {
  let size: Int
  var waiting: [Int] = []
  var held: Int { waiting.count }
  var holds: Int? { size }
  init(_ size: Int) { self.size = size }

  mutating func process(_ element: Int, _ emit: (Int) -> Void) {
    waiting.append(element)
    if waiting.count > size { emit(waiting.removeFirst()) }
  }

  mutating func finish(_ emit: (Int) -> Void) {
    for element in waiting { emit(element) }
    waiting = []
  }
}

/// Sleeps for a time with every element.
struct Sleepy: AsyncStage {
  let clock: VirtualClock
  let time: Duration
  mutating func process(_ element: Int, _ emit: (Int) -> Void) async throws {
    try await clock.sleep(for: time)
    emit(element)
  }
}

/// Numbers from 0, one a second of virtual time, until it is told to stop.
struct Ticks: AsyncSequence, Sendable {
  let clock: VirtualClock
  func makeAsyncIterator() -> Iterator { Iterator(clock: clock) }

  struct Iterator: AsyncIteratorProtocol {
    let clock: VirtualClock
    var next = 0
    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Int? {
      if next > 0 { try await clock.sleep(for: .seconds(1)) }
      next += 1
      return next - 1
    }
  }
}
