/// Elements in a line, each of which can be found by its key, changed, and moved to the end or taken out, all in constant
/// time. At most one element a key.
///
/// Memory: the largest number of elements it has held at once.
struct KeyedLine<Element> {
  fileprivate struct Link: Sendable {
    var before = -1
    var after = -1
  }

  private static var none: Int { -1 }

  // Side by side, so that moving an element in the line does not touch the element.
  private var keys: [CoalescingKey?] = []
  private var elements: [Element?] = []
  private var links: [Link] = []
  private var free: [Int] = []
  private var places: [CoalescingKey: Int] = [:]
  private var head = Self.none
  private var tail = Self.none

  var count: Int { places.count }
  var isEmpty: Bool { head < 0 }

  /// The first element.
  var first: Element? { head < 0 ? nil : elements[head] }

  func contains(_ key: CoalescingKey) -> Bool { places[key] != nil }

  /// Changes the element of `key` and moves it to the end; false when there is none.
  mutating func update(_ key: CoalescingKey, _ change: (inout Element) -> Void) -> Bool {
    guard let place = places[key], var element = elements[place].take() else { return false }
    change(&element)
    elements[place] = element
    if place != tail {
      unlink(place)
      link(place)
    }
    return true
  }

  /// Puts an element at the end. There must be none with its key.
  mutating func append(_ key: CoalescingKey, _ element: Element) {
    let place: Int
    if let reused = free.popLast() {
      place = reused
      keys[place] = key
      elements[place] = element
    } else {
      place = elements.count
      keys.append(key)
      elements.append(element)
      links.append(Link())
    }
    places[key] = place
    link(place)
  }

  /// Takes the first element.
  mutating func popFirst() -> Element? { head < 0 ? nil : remove(head) }

  /// Takes out the elements that `isWanted` picks, in order.
  mutating func removeAll(where isWanted: (CoalescingKey, Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    var place = head
    while place >= 0 {
      let next = links[place].after
      if let key = keys[place], let element = elements[place], isWanted(key, element) {
        removed.append(element)
        _ = remove(place)
      }
      place = next
    }
    return removed
  }

  /// The elements with their keys, in no particular order.
  var all: some Sequence<(key: CoalescingKey, element: Element)> {
    zip(keys, elements).lazy.compactMap { key, element in
      guard let key, let element else { return nil }
      return (key: key, element: element)
    }
  }

  /// Puts the elements in another order.
  mutating func sort(by precedes: (Element, Element) -> Bool) {
    let sorted = all.sorted { precedes($0.element, $1.element) }
    self = KeyedLine()
    for (key, element) in sorted { append(key, element) }
  }

  private mutating func remove(_ place: Int) -> Element? {
    guard let key = keys[place].take(), let element = elements[place].take() else { return nil }
    unlink(place)
    places[key] = nil
    free.append(place)
    return element
  }

  private mutating func link(_ place: Int) {
    links[place] = Link(before: tail)
    if tail >= 0 { links[tail].after = place } else { head = place }
    tail = place
  }

  private mutating func unlink(_ place: Int) {
    let (before, after) = (links[place].before, links[place].after)
    if before >= 0 { links[before].after = after } else { head = after }
    if after >= 0 { links[after].before = before } else { tail = before }
  }
}

extension KeyedLine: Sendable where Element: Sendable {}
