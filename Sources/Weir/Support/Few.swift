/// A list that is seldom longer than one: the first element stands in place, only further ones take memory of their own.
@frozen
@usableFromInline
struct Few<Element> {
  @usableFromInline var first: Element?
  /// Those after the first; empty while there is no first.
  @usableFromInline var more: [Element] = []

  @inlinable
  init() { first = nil }

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable var count: Int { first == nil ? 0 : more.count &+ 1 }

  @inlinable
  mutating func append(_ element: Element) {
    if first == nil { first = element } else { more.append(element) }
  }

  /// Removes the oldest; nil when there is none.
  @inlinable
  mutating func popFirst() -> Element? {
    guard let oldest = first else { return nil }
    first = more.isEmpty ? nil : more.removeFirst()
    return oldest
  }

  /// Removes the first that satisfies `isWanted`; nil when none does.
  @inlinable
  mutating func remove(where isWanted: (Element) -> Bool) -> Element? {
    guard let first else { return nil }
    if isWanted(first) { return popFirst() }
    return more.firstIndex(where: isWanted).map { more.remove(at: $0) }
  }

  /// Removes all, oldest first.
  @inlinable
  mutating func takeAll() -> [Element] {
    guard let first else { return [] }
    let all = [first] + more
    self.first = nil
    more = []
    return all
  }

  @inlinable var array: [Element] { first.map { [$0] + more } ?? [] }

  /// The element at a valid index; nil outside of the list.
  @inlinable
  subscript(index: Int) -> Element? {
    if index == 0 { return first }
    return index > 0 && index <= more.count ? more[index &- 1] : nil
  }
}

extension Few: Sendable where Element: Sendable {}
