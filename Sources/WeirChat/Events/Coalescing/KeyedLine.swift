/// Elements in a line, each of which can be found by its key, changed, and moved to the end or taken out, all in constant
/// time. At most one element a key.
///
/// Memory: the largest number of elements it has held at once.
struct KeyedLine<Element> {
  fileprivate struct Slot {
    var key: CoalescingKey
    var element: Element
    var before: Int
    var after: Int
  }

  private static var none: Int { -1 }

  private var slots: [Slot?] = []
  private var free: [Int] = []
  private var places: [CoalescingKey: Int] = [:]
  private var head = Self.none
  private var tail = Self.none

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }

  /// The first element.
  var first: Element? { head < 0 ? nil : slots[head]?.element }

  func contains(_ key: CoalescingKey) -> Bool { places[key] != nil }

  /// Changes the element of `key` and moves it to the end; false when there is none.
  mutating func update(_ key: CoalescingKey, _ change: (inout Element) -> Void) -> Bool {
    guard let place = places[key], var slot = slots[place] else { return false }
    // Taken out meanwhile, so that the change does not copy it.
    slots[place] = nil
    change(&slot.element)
    slots[place] = slot
    if place != tail {
      unlink(place)
      link(place)
    }
    return true
  }

  /// Puts an element at the end. There must be none with its key.
  mutating func append(_ key: CoalescingKey, _ element: Element) {
    let slot = Slot(key: key, element: element, before: Self.none, after: Self.none)
    let place: Int
    if let reused = free.popLast() {
      place = reused
      slots[place] = slot
    } else {
      place = slots.count
      slots.append(slot)
    }
    places[key] = place
    link(place)
  }

  /// Takes the first element.
  mutating func popFirst() -> Element? {
    guard head >= 0 else { return nil }
    return remove(head)
  }

  /// Takes out the elements that `isWanted` picks, in order.
  mutating func removeAll(where isWanted: (CoalescingKey, Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    var place = head
    while place >= 0, let slot = slots[place] {
      let next = slot.after
      if isWanted(slot.key, slot.element), let element = remove(place) { removed.append(element) }
      place = next
    }
    return removed
  }

  /// Counts the elements that `isWanted` picks.
  func count(where isWanted: (CoalescingKey, Element) -> Bool) -> Int {
    slots.reduce(0) { sum, slot in
      guard let slot else { return sum }
      return isWanted(slot.key, slot.element) ? sum + 1 : sum
    }
  }

  /// Calls `body` with each element, in no particular order.
  func forEach(_ body: (CoalescingKey, Element) -> Void) {
    for case let slot? in slots { body(slot.key, slot.element) }
  }

  /// Puts the elements in another order.
  mutating func sort(by precedes: (Element, Element) -> Bool) {
    let sorted = slots.compactMap { $0 }.sorted { precedes($0.element, $1.element) }
    self = KeyedLine()
    for slot in sorted { append(slot.key, slot.element) }
  }

  private mutating func remove(_ place: Int) -> Element? {
    guard let slot = slots[place] else { return nil }
    unlink(place)
    places[slot.key] = nil
    slots[place] = nil
    free.append(place)
    return slot.element
  }

  private mutating func link(_ place: Int) {
    slots[place]?.before = tail
    slots[place]?.after = Self.none
    if tail >= 0 { slots[tail]?.after = place } else { head = place }
    tail = place
  }

  private mutating func unlink(_ place: Int) {
    guard let slot = slots[place] else { return }
    if slot.before >= 0 { slots[slot.before]?.after = slot.after } else { head = slot.after }
    if slot.after >= 0 { slots[slot.after]?.before = slot.before } else { tail = slot.before }
  }
}

extension KeyedLine: Sendable where Element: Sendable {}
extension KeyedLine.Slot: Sendable where Element: Sendable {}
