import Synchronization

@testable import Weir

/// Counts from several tasks.
final class AskCounter: Sendable {
  private let value = TestMutex(0)
  func add() { value.withLock { $0 += 1 } }
  func remove() { value.withLock { $0 -= 1 } }
  var count: Int { value.withLock { $0 } }
}

/// Gathers from several tasks.
final class Log<Element: Sendable>: Sendable {
  private let elements = TestMutex<[Element]>([])
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}
