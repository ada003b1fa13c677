/// A run of elements that moves between nodes as one unit, with sole ownership.
///
/// A chunk is a growable buffer that is filled at the tail and emptied at the head. Handing it over moves three words,
/// whatever the size of its elements, and an emptied chunk keeps its storage so that links and nodes can fill it again.
///
/// Memory: `capacity * MemoryLayout<Element>.stride` bytes, freed with the chunk. Growth doubles from 4, so an idle
/// graph that only ever sees single elements holds four slots per buffer.
@frozen
public struct Chunk<Element: Sendable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>?
  @usableFromInline var slots: Int
  @usableFromInline var head: Int
  @usableFromInline var tail: Int
  /// Settlement tokens of the elements, oldest first; nil while no element of the chunk is tracked.
  @usableFromInline var tokens: SettlementColumn?

  /// An empty chunk without storage.
  @inlinable
  public init() {
    base = nil
    slots = 0
    head = 0
    tail = 0
    tokens = nil
  }

  /// A chunk holding the elements of a collection, in order.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    self.init()
    for element in elements { append(element) }
  }

  @inlinable
  deinit {
    guard let base else { return }
    (base + head).deinitialize(count: tail - head)
    base.deallocate()
  }

  /// Number of elements held.
  @inlinable public var count: Int { tail &- head }

  /// Whether no element is held.
  @inlinable public var isEmpty: Bool { tail == head }

  /// Number of elements the present storage can hold.
  @inlinable public var capacity: Int { slots }

  /// The oldest element; nil when the chunk is empty.
  @inlinable public var first: Element? {
    guard head != tail, let base else { return nil }
    return base[head]
  }

  /// Adds an element at the tail, without a settlement token.
  @inlinable
  @inline(__always)
  public mutating func append(_ element: consuming Element) {
    if tail == slots { makeRoom(for: 1) }
    if let base {
      (base + tail).initialize(to: element)
      tail &+= 1
    }
    if let tokens { tokens.items.append(nil) }
  }

  /// Adds the elements of a collection at the tail, in order, without settlement tokens: room is made once for all.
  @inlinable
  public mutating func append(contentsOf elements: some Collection<Element>) {
    let added = elements.count
    guard added > 0 else { return }
    reserve(added)
    guard let base else { return }
    let room = UnsafeMutableBufferPointer(start: base + tail, count: slots &- tail)
    // A collection that yields another number than its count is believed only as far as there is room.
    let (_, end) = room.initialize(from: elements)
    if let tokens { for _ in 0..<end { tokens.items.append(nil) } }
    tail &+= end
  }

  /// Removes and returns the oldest element; nil when the chunk is empty. Its token, if any, is forgotten: use
  /// ``popFirstTracked()`` where fates matter.
  @inlinable
  public mutating func popFirst() -> Element? {
    guard head != tail, let base else { return nil }
    let element = (base + head).move()
    head &+= 1
    if tokens != nil { dropFirstToken() }
    if head == tail { rewind() }
    return element
  }

  /// Calls `body` with each element, oldest first, without removing any.
  @inlinable
  public borrowing func visit<Failure: Error>(_ body: (Element) throws(Failure) -> Void) throws(Failure) {
    guard let base else { return }
    var index = head
    while index < tail {
      try body(base[index])
      index &+= 1
    }
  }

  /// The elements as an array, oldest first.
  @inlinable
  public borrowing func array() -> [Element] {
    guard let base else { return [] }
    return Array(UnsafeBufferPointer(start: base + head, count: tail &- head))
  }

  /// Removes all elements and keeps the storage.
  @inlinable
  public mutating func removeAll() {
    if let base { (base + head).deinitialize(count: tail &- head) }
    tokens = nil
    rewind()
  }
}

// Safety: a chunk is the only owner of its storage (it is noncopyable and never shares the pointer), so moving it to
// another task moves everything reachable from it, and its elements are Sendable themselves.
extension Chunk: @unchecked Sendable {}

// MARK: - Inside the framework

extension Chunk {
  @inlinable
  mutating func rewind() {
    head = 0
    tail = 0
  }

  @inlinable
  @inline(never)
  mutating func dropFirstToken() {
    tokens?.items.removeFirst()
    if head == tail { tokens = nil }
  }

  /// Makes room for `extra` more elements if there is none.
  @inlinable
  @inline(__always)
  mutating func reserve(_ extra: Int) {
    if slots &- tail < extra { makeRoom(for: extra) }
  }

  /// Makes room for `extra` more elements, by sliding down to the start of the storage or by doubling it.
  @inlinable
  @inline(never)
  mutating func makeRoom(for extra: Int) {
    let held = tail - head
    if let base, held + extra <= slots, head >= slots / 2 {
      base.moveInitialize(from: base + head, count: held)
    } else {
      var size = Swift.max(slots, 4)
      while size < held + extra { size *= 2 }
      if size == slots && base != nil { size *= 2 }
      let grown = UnsafeMutablePointer<Element>.allocate(capacity: size)
      if let base {
        grown.moveInitialize(from: base + head, count: held)
        base.deallocate()
      }
      base = grown
      slots = size
    }
    head = 0
    tail = held
  }

  /// Adds an element with the token that follows its fate.
  @usableFromInline
  mutating func append(_ element: consuming Element, token: Settlement?) {
    append(element)
    guard let token else { return }
    attachToLast(token)
  }

  @usableFromInline
  mutating func attachToLast(_ token: Settlement) {
    let column = tokens ?? SettlementColumn(count: count)
    tokens = column
    column.items[column.items.count - 1] = token
  }

  /// Removes and returns the oldest element with its token.
  @inlinable
  mutating func popFirstTracked() -> (element: Element, token: Settlement?)? {
    guard head != tail, let base else { return nil }
    let token = tokens?.items.removeFirst() ?? nil
    let element = (base + head).move()
    head &+= 1
    if head == tail {
      rewind()
      tokens = nil
    }
    return (element, token)
  }

  /// Removes and returns the newest element with its token.
  @usableFromInline
  mutating func popLastTracked() -> (element: Element, token: Settlement?)? {
    guard head != tail, let base else { return nil }
    let token = tokens?.items.removeLast() ?? nil
    tail &-= 1
    let element = (base + tail).move()
    if head == tail {
      rewind()
      tokens = nil
    }
    return (element, token)
  }

  @usableFromInline
  var hasTokens: Bool { tokens != nil }

  /// Moves up to `limit` of the oldest elements to the tail of `other`, tokens with them.
  @inlinable
  @inline(never)
  mutating func move(_ limit: Int, to other: inout Chunk<Element>) {
    let moving = Swift.min(limit, count)
    guard moving > 0, let base else { return }
    if other.slots - other.tail < moving { other.makeRoom(for: moving) }
    guard let target = other.base else { return }
    if let tokens {
      let column = other.tokens ?? SettlementColumn(count: other.count)
      column.items.append(contentsOf: tokens.items.prefix(moving))
      tokens.items.removeFirst(moving)
      other.tokens = column
    } else if let column = other.tokens {
      column.items.append(contentsOf: repeatElement(nil, count: moving))
    }
    (target + other.tail).moveInitialize(from: base + head, count: moving)
    other.tail += moving
    head += moving
    if head == tail {
      rewind()
      tokens = nil
    }
  }

  /// Settles the token of every element with one outcome and removes the elements.
  @inlinable
  mutating func settleAll(_ outcome: Outcome) {
    let column = tokens
    tokens = nil
    removeAll()
    guard let column else { return }
    for token in column.items { token?.settle(outcome) }
  }

  /// Takes the tokens off the elements, merged into one that settles them all.
  @usableFromInline
  mutating func detachTokens() -> Settlement? {
    guard let column = tokens else { return nil }
    tokens = nil
    return Settlement.merging(column.items.compactMap { $0 })
  }

  /// Puts an element back in front of all others.
  @usableFromInline
  mutating func putBack(_ element: consuming Element, token: Settlement?) {
    if head == 0 {
      var rest = Chunk<Element>()
      swap(&rest, &self)
      append(element, token: token)
      rest.move(rest.count, to: &self)
      return
    }
    head -= 1
    if let base { (base + head).initialize(to: element) }
    if let tokens {
      tokens.items.prepend(token)
    } else if let token {
      let column = SettlementColumn(count: count)
      column.items[0] = token
      tokens = column
    }
  }

  /// Gives one token to every element from position `first` on.
  @usableFromInline
  mutating func attach(_ token: Settlement, from first: Int) {
    let column = tokens ?? SettlementColumn(count: count)
    tokens = column
    for index in first..<count { column.items[index] = token }
  }

  /// Replaces the token of every element; elements without one are given the chance of one.
  @usableFromInline
  mutating func mapTokens(_ change: (Settlement?) -> Settlement?) {
    let column = tokens ?? SettlementColumn(count: count)
    var any = false
    for index in 0..<count {
      column.items[index] = change(column.items[index])
      any = any || column.items[index] != nil
    }
    tokens = any ? column : nil
  }

  /// Copies the elements of another chunk to the tail of this one, without their tokens.
  @inlinable
  mutating func appendAll(of other: borrowing Chunk<Element>) {
    guard other.count > 0, let source = other.base else { return }
    reserve(other.count)
    guard let base else { return }
    (base + tail).initialize(from: source + other.head, count: other.count)
    tail &+= other.count
  }

  /// Announces and takes a copy of all elements, tokens included.
  @inlinable
  borrowing func copy() -> Chunk<Element> {
    var copy = Chunk<Element>()
    copy.appendAll(of: self)
    if let tokens {
      let column = SettlementColumn(count: count)
      for index in 0..<count {
        let token = tokens.items[index]
        token?.fork(1)
        column.items[index] = token
      }
      copy.tokens = column
    }
    return copy
  }
}
