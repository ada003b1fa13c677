/// A double-ended queue in a ring of optional slots: amortised constant time at both ends.
///
/// Memory: the power of two at or above the largest count it has held, one optional element a slot.
@frozen
@usableFromInline
struct Deque<Element> {
  @usableFromInline var slots: ContiguousArray<Element?>
  @usableFromInline var first = 0
  @usableFromInline var count = 0

  @inlinable
  init() { slots = [] }

  @inlinable
  init(repeating element: Element, count: Int) {
    self.init()
    for _ in 0..<count { append(element) }
  }

  @inlinable var isEmpty: Bool { count == 0 }

  @inlinable
  subscript(index: Int) -> Element {
    get {
      guard let element = slots[(first + index) & (slots.count - 1)] else {
        preconditionFailure("index \(index) is outside a deque of \(count)")
      }
      return element
    }
    set { slots[(first + index) & (slots.count - 1)] = newValue }
  }

  @inlinable
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(first + count) & (slots.count - 1)] = element
    count += 1
  }

  @inlinable
  mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  @inlinable
  mutating func prepend(_ element: Element) {
    if count == slots.count { grow() }
    first = (first + slots.count - 1) & (slots.count - 1)
    slots[first] = element
    count += 1
  }

  /// Removes the oldest element. The deque must not be empty.
  @discardableResult
  @inlinable
  mutating func removeFirst() -> Element {
    let element = self[0]
    slots[first] = nil
    first = (first + 1) & (slots.count - 1)
    count -= 1
    return element
  }

  /// Removes the newest element. The deque must not be empty.
  @inlinable
  mutating func removeLast() -> Element {
    let element = self[count - 1]
    slots[(first + count - 1) & (slots.count - 1)] = nil
    count -= 1
    return element
  }

  @inlinable
  mutating func removeFirst(_ number: Int) {
    for _ in 0..<number { removeFirst() }
  }

  @inlinable
  mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }

  @inlinable
  func prefix(_ number: Int) -> [Element] { (0..<Swift.min(number, count)).map { self[$0] } }

  @inlinable
  mutating func removeAll() { self = Deque() }

  @inlinable
  mutating func grow() {
    var bigger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(4, slots.count * 2))
    for index in 0..<count { bigger[index] = self[index] }
    slots = bigger
    first = 0
  }
}

extension Deque: Sequence {
  @inlinable
  func makeIterator() -> AnyIterator<Element> {
    var index = 0
    return AnyIterator {
      guard index < count else { return nil }
      index += 1
      return self[index - 1]
    }
  }
}

extension Deque: Sendable where Element: Sendable {}
