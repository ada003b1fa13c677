import Synchronization

/// The parts of a chunk that go to different writers. Confined to one task.
@usableFromInline
final class SplitChunks<Element: Sendable> {
  @usableFromInline let slots: UnsafeMutablePointer<Chunk<Element>>
  @usableFromInline let count: Int
  @usableFromInline var closed: [Bool]

  @inlinable
  init(count: Int) {
    self.count = count
    closed = Array(repeating: false, count: count)
    slots = .allocate(capacity: max(1, count))
    for index in 0..<count { (slots + index).initialize(to: Chunk()) }
  }

  @inlinable
  deinit {
    for index in 0..<count { (slots + index).deinitialize(count: 1) }
    slots.deallocate()
  }

  /// Divides a chunk without tokens.
  @inlinable
  func split(_ chunk: inout Chunk<Element>, _ tally: inout NodeMeter.Tally, _ select: (Element) -> Int?) {
    var head = ChunkHead(of: chunk)
    while let element = head.popFirst() {
      if let index = select(element), index >= 0, index < count, !closed[index] {
        slots[index].append(element)
        tally.elementsOut &+= 1
      } else {
        tally.discarded &+= 1
      }
    }
    head.putBack(into: &chunk)
  }

  /// Divides a chunk with tokens: what no writer takes is settled as unmatched.
  @inlinable
  func splitTracked(_ chunk: inout Chunk<Element>, _ tally: inout NodeMeter.Tally, _ select: (Element) -> Int?) {
    while let (element, token) = chunk.popFirstTracked() {
      if let index = select(element), index >= 0, index < count, !closed[index] {
        slots[index].append(element, token: token)
        tally.elementsOut &+= 1
      } else {
        tally.discarded &+= 1
        token?.settle(.dropped(.unmatched))
      }
    }
  }

  /// Gives every writer that has not left a copy of a chunk, and empties it.
  @inlinable
  func copy(_ chunk: inout Chunk<Element>) {
    var last: Int?
    for index in 0..<count where !closed[index] {
      if let last { slots[last] = chunk.copy() }
      last = index
    }
    if let last { swap(&slots[last], &chunk) }
    chunk.settleAll(.abandoned)
  }

  /// Offers every writer what it has not taken yet.
  /// - Returns: of those that have no room for all of it the one with the fewest elements waiting; nil when all have been
  ///   served or have left. A join behind several legs empties that one first, and it is the one to wait for: another
  ///   might never come down to half its limit.
  @inlinable
  func offerAll(to writers: [WriterPort<Element>]) -> Int? {
    var blocked: Int?
    var fewest = Int.max
    for index in 0..<count where !slots[index].isEmpty {
      switch writers[index].link.offer(&slots[index]) {
      case .accepted: continue
      case .full:
        let depth = writers[index].link.depthHint.load(ordering: .relaxed)
        if depth < fewest { (blocked, fewest) = (index, depth) }
      case .closed:
        closed[index] = true
        slots[index].settleAll(.abandoned)
      }
    }
    return blocked
  }

  @inlinable
  nonisolated(nonsending) func waitForRoom(_ index: Int, of writer: WriterPort<Element>) async {
    await writer.link.waitForRoom(weight: writer.link.weightOfFirst(slots[index]))
  }

  @inlinable var areAllClosed: Bool { closed.allSatisfy { $0 } }

  @inlinable
  func show(_ index: Int, to node: NodeRun) { node.showTaps(slots[index]) }
}
