/// A first-in first-out ring of chunks, each with the stamp of its first element. Owned by a link's state.
///
/// Memory: the power of two at or above the largest number of chunks it has held, six words each.
@frozen
@usableFromInline
struct ChunkQueue<Element: Sendable>: ~Copyable {
  @frozen
  @usableFromInline
  struct Entry: ~Copyable {
    @usableFromInline var chunk: Chunk<Element>
    @usableFromInline let stamp: UInt64

    @inlinable
    init(chunk: consuming Chunk<Element>, stamp: UInt64) {
      self.chunk = chunk
      self.stamp = stamp
    }
  }

  @usableFromInline var base: UnsafeMutablePointer<Entry>?
  @usableFromInline var slots = 0
  @usableFromInline var first = 0
  @usableFromInline var count = 0

  @inlinable
  init() { base = nil }

  @inlinable
  deinit {
    guard let base else { return }
    for index in 0..<count { (base + ((first + index) & (slots - 1))).deinitialize(count: 1) }
    base.deallocate()
  }

  @inlinable var isEmpty: Bool { count == 0 }

  @inlinable
  mutating func append(_ chunk: consuming Chunk<Element>, stamp: UInt64) {
    if count == slots { grow() }
    guard let base else { return }
    (base + ((first &+ count) & (slots &- 1))).initialize(to: Entry(chunk: chunk, stamp: stamp))
    count &+= 1
  }

  /// Removes the oldest chunk; an empty one when there is none.
  @inlinable
  mutating func removeFirst() -> Chunk<Element> {
    guard count > 0, let base else { return Chunk() }
    let entry = (base + first).move()
    first = (first &+ 1) & (slots &- 1)
    count &-= 1
    return entry.chunk
  }

  /// Calls `body` with the oldest chunk in place. The queue must not be empty.
  @inlinable
  mutating func withFirst<Result>(_ body: (inout Chunk<Element>) -> Result) -> Result? {
    guard count > 0, let base else { return nil }
    return body(&(base + first).pointee.chunk)
  }

  /// Adds one element to the newest chunk if that has fewer than `size`.
  @inlinable
  @inline(__always)
  mutating func appendToLast(_ element: consuming Element, size: Int) -> Bool {
    guard count > 0, let base else { return false }
    let last = base + ((first &+ count &- 1) & (slots &- 1))
    guard last.pointee.chunk.count < size else { return false }
    last.pointee.chunk.append(element)
    return true
  }

  @inlinable
  mutating func withLast<Result>(_ body: (inout Chunk<Element>) -> Result) -> Result? {
    guard count > 0, let base else { return nil }
    return body(&(base + ((first &+ count &- 1) & (slots &- 1))).pointee.chunk)
  }

  /// Removes the newest chunk; an empty one when there is none.
  @usableFromInline
  mutating func removeLast() -> Chunk<Element> {
    guard count > 0, let base else { return Chunk() }
    count &-= 1
    return (base + ((first &+ count) & (slots &- 1))).move().chunk
  }

  @usableFromInline var lastStamp: UInt64 {
    guard count > 0, let base else { return 0 }
    return base[(first &+ count &- 1) & (slots &- 1)].stamp
  }

  @inlinable var firstStamp: UInt64 {
    guard count > 0, let base else { return 0 }
    return base[first].stamp
  }

  @inlinable var firstCount: Int {
    guard count > 0, let base else { return 0 }
    return base[first].chunk.count
  }

  @inlinable
  @inline(never)
  mutating func grow() {
    let size = Swift.max(1, slots * 2)
    let bigger = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    if let base {
      for index in 0..<count {
        (bigger + index).moveInitialize(from: base + ((first + index) & (slots - 1)), count: 1)
      }
      base.deallocate()
    }
    base = bigger
    slots = size
    first = 0
  }
}

// Safety: the queue is noncopyable and the only owner of its ring; its chunks are Sendable.
extension ChunkQueue: @unchecked Sendable {}
