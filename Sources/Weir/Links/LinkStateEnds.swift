/// How the sides of a link end, and how its limits change; part of ``LinkState``.
extension LinkState {
  /// One writer is done. Returns whom to wake.
  @usableFromInline
  mutating func finishWriter(_ newEnd: LinkEnd, discards: inout Chunk<Element>) -> [LinkWaiter] {
    writers -= 1
    switch newEnd {
    case .finished:
      guard writers == 0, end == nil else { return [] }
      end = .finished
    case .failed:
      guard end == nil else { return [] }
      end = newEnd
    case .cancelled:
      guard end == nil else { return [] }
      end = newEnd
      emptyQueue(into: &discards)
    }
    return takeAllWaiters()
  }

  /// One reader has left. When it was the last, what waits is discarded. Returns whom to wake.
  @usableFromInline
  mutating func closeReader(discards: inout Chunk<Element>) -> [LinkWaiter] {
    guard readers > 0 else { return [] }
    readers -= 1
    if readers > 0 {
      // A wake-up meant for the leaver must not be lost.
      guard count > 0, let next = waitingReaders.popFirst() else { return [] }
      return [next]
    }
    emptyQueue(into: &discards)
    return takeAllWaiters()
  }

  @usableFromInline
  mutating func emptyQueue(into discards: inout Chunk<Element>) {
    while !queue.isEmpty {
      var chunk = queue.removeFirst()
      counters.abandoned &+= UInt64(chunk.count)
      removed(chunk.count)
      chunk.move(chunk.count, to: &discards)
    }
    spares = ChunkQueue()
  }

  @usableFromInline
  mutating func takeAllWaiters() -> [LinkWaiter] { waitingWriters.takeAll() + waitingReaders.takeAll() }

  @usableFromInline
  mutating func change(limit newLimit: LinkLimit) -> [LinkWaiter] {
    maxNanoseconds = newLimit.age?.wholeNanoseconds ?? .max
    maxElements = newLimit.elements ?? .max
    maxBytes = weights == nil ? .max : newLimit.bytes.map { Swift.min($0, .max / 2) } ?? .max
    return waitingWriters.takeAll()
  }
}
