/// The tail of a chunk that is being filled, held in registers by the loop that fills it.
///
/// While it is out, the chunk itself must not be touched; ``putBack(into:)`` is called on every way out of the loop.
@frozen
@usableFromInline
struct ChunkTail<Element: Sendable> {
  @usableFromInline var base: UnsafeMutablePointer<Element>?
  @usableFromInline var slots: Int
  /// Elements of the chunk in front of the tail; the chunk starts at its first slot.
  @usableFromInline var count: Int
  /// Number of elements appended.
  @usableFromInline var added = 0

  /// Slides the elements of the chunk to the start of its storage, so that one number says where the tail is.
  @inlinable
  init(of chunk: inout Chunk<Element>) {
    if chunk.head != 0 { chunk.makeRoom(for: 0) }
    base = chunk.base
    slots = chunk.slots
    count = chunk.tail
  }

  @inlinable
  @inline(__always)
  mutating func append(_ element: consuming Element) {
    let position = count &+ added
    if position == slots { self = ChunkTail.grown(self) }
    if let base {
      (base + position).initialize(to: element)
      added &+= 1
    }
  }

  /// By value, so that the loop need not keep the tail in memory.
  @inlinable
  @inline(never)
  static func grown(_ tail: ChunkTail<Element>) -> ChunkTail<Element> {
    var tail = tail
    let held = tail.count + tail.added
    let size = Swift.max(16, tail.slots * 2)
    let bigger = UnsafeMutablePointer<Element>.allocate(capacity: size)
    if let base = tail.base {
      bigger.moveInitialize(from: base, count: held)
      base.deallocate()
    }
    tail.base = bigger
    tail.slots = size
    return tail
  }

  /// Gives the chunk what was appended. Chunks with settlement tokens are filled another way.
  @inlinable
  @inline(__always)
  func putBack(into chunk: inout Chunk<Element>) {
    chunk.base = base
    chunk.slots = slots
    chunk.tail = count &+ added
  }
}

extension Chunk {
  /// Moves every element to the tail of another chunk, changed, tokens with them.
  @inlinable
  mutating func drain<Other: Sendable>(into out: inout Chunk<Other>, _ change: (Element) -> Other) {
    if hasTokens || out.hasTokens {
      while let (element, token) = popFirstTracked() { out.append(change(element), token: token) }
      return
    }
    out.reserve(count)
    var (head, tail) = (ChunkHead(of: self), ChunkTail(of: &out))
    while let element = head.popFirst() { tail.append(change(element)) }
    head.putBack(into: &self)
    tail.putBack(into: &out)
  }
}

/// The head of a chunk that is being emptied, as ``ChunkTail``. For chunks without settlement tokens.
@frozen
@usableFromInline
struct ChunkHead<Element: Sendable> {
  @usableFromInline let base: UnsafeMutablePointer<Element>?
  @usableFromInline var head: Int
  @usableFromInline let tail: Int

  @inlinable
  init(of chunk: borrowing Chunk<Element>) {
    base = chunk.base
    head = chunk.head
    tail = chunk.tail
  }

  @inlinable var count: Int { tail &- head }

  @inlinable
  @inline(__always)
  mutating func popFirst() -> Element? {
    guard head != tail, let base else { return nil }
    let element = (base + head).move()
    head &+= 1
    return element
  }

  /// Takes from the chunk what was removed.
  @inlinable
  @inline(__always)
  func putBack(into chunk: inout Chunk<Element>) {
    chunk.head = head
    if head == tail { chunk.rewind() }
  }
}
