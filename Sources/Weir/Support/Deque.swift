/// A double-ended queue in a ring of optional slots: amortised constant time at both ends.
///
/// Memory: the power of two at or above the largest count it has held, one optional element a slot.
@usableFromInline
struct Deque<Element> {
  @usableFromInline var slots: ContiguousArray<Element?>
  @usableFromInline var first = 0
  @usableFromInline var count = 0

  @usableFromInline
  init() { slots = [] }

  @usableFromInline
  init(repeating element: Element, count: Int) {
    self.init()
    for _ in 0..<count { append(element) }
  }

  @usableFromInline var isEmpty: Bool { count == 0 }

  @usableFromInline
  var last: Element? { isEmpty ? nil : self[count - 1] }

  @usableFromInline
  subscript(index: Int) -> Element {
    get {
      guard let element = slots[(first + index) & (slots.count - 1)] else {
        preconditionFailure("index \(index) is outside a deque of \(count)")
      }
      return element
    }
    set { slots[(first + index) & (slots.count - 1)] = newValue }
  }

  @usableFromInline
  mutating func append(_ element: Element) {
    if count == slots.count { grow() }
    slots[(first + count) & (slots.count - 1)] = element
    count += 1
  }

  @usableFromInline
  mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  @usableFromInline
  mutating func prepend(_ element: Element) {
    if count == slots.count { grow() }
    first = (first + slots.count - 1) & (slots.count - 1)
    slots[first] = element
    count += 1
  }

  /// Removes the oldest element. The deque must not be empty.
  @discardableResult
  @usableFromInline
  mutating func removeFirst() -> Element {
    let element = self[0]
    slots[first] = nil
    first = (first + 1) & (slots.count - 1)
    count -= 1
    return element
  }

  @usableFromInline
  mutating func removeFirst(_ number: Int) {
    for _ in 0..<number { removeFirst() }
  }

  @usableFromInline
  mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }

  @usableFromInline
  func prefix(_ number: Int) -> [Element] { (0..<Swift.min(number, count)).map { self[$0] } }

  @usableFromInline
  mutating func removeAll() { self = Deque() }

  private mutating func grow() {
    var bigger = ContiguousArray<Element?>(repeating: nil, count: Swift.max(4, slots.count * 2))
    for index in 0..<count { bigger[index] = self[index] }
    slots = bigger
    first = 0
  }
}

extension Deque: Sequence {
  @usableFromInline
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
