import Synchronization

/// The writing end of a link, owned by one segment. Ends at most once, whoever ends it.
@usableFromInline
final class WriterPort<Element: Sendable>: SegmentPort {
  @usableFromInline let link: Link<Element>
  @usableFromInline let segment: Segment
  private let ended = Atomic<Bool>(false)

  @usableFromInline
  init(_ link: Link<Element>, segment: Segment) {
    self.link = link
    self.segment = segment
    segment.add(self)
  }

  @usableFromInline var isOutput: Bool { true }

  /// When the last reader has left, the task hears of it.
  @usableFromInline
  func sealed(in segment: Segment) { link.onClosed.withLock { $0.append(segment) } }

  @usableFromInline
  func segmentCancelled() { finish(.cancelled) }

  /// Sends all of a chunk, waiting for room. False when nobody reads any more; what is left is abandoned.
  /// - Parameter stamp: a look at the clock not long ago; zero for none.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func send(_ chunk: inout Chunk<Element>, stamp: UInt64 = 0) async -> Bool {
    var stamp = stamp
    while !chunk.isEmpty {
      switch link.offer(&chunk, stamp: stamp) {
      case .accepted: continue
      case .closed:
        chunk.settleAll(.abandoned)
        return false
      case .full:
        segment.enterBlocked()
        await link.waitForRoom(weight: link.weightOfFirst(chunk))
        stamp = 0
      }
    }
    return true
  }

  @usableFromInline
  func finish(_ end: LinkEnd) {
    guard ended.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
    link.finishWriter(end)
  }
}

/// The reading end of a link, owned by one segment. Closes at most once, whoever closes it.
@usableFromInline
final class ReaderPort<Element: Sendable>: SegmentPort {
  @usableFromInline let link: Link<Element>
  @usableFromInline let segment: Segment
  /// Whether elements leave a cycle here, and with it the tokens they had inside.
  @usableFromInline let leavesCycle = Atomic<Bool>(false)
  /// Most elements to take at once.
  @usableFromInline let most: Int
  @usableFromInline let closed = Atomic<Bool>(false)
  /// Whether the task has waited since it last took something.
  @usableFromInline let parked = Atomic<Bool>(false)
  /// The source whose elements come out here, where that has no task of its own: it counts what is taken.
  @usableFromInline let source: NodeRun?

  @usableFromInline
  init(_ link: Link<Element>, segment: Segment, most: Int = .max, counting source: NodeRun? = nil) {
    self.link = link
    self.segment = segment
    self.most = most
    self.source = source
    segment.add(self)
  }

  @usableFromInline var isOutput: Bool { false }
  @usableFromInline
  func sealed(in segment: Segment) {}
  @usableFromInline
  func segmentCancelled() { close() }

  @usableFromInline
  func close() {
    guard closed.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
    link.closeReader()
  }

  @usableFromInline
  func leaveCycle() { leavesCycle.store(true, ordering: .relaxed) }

  /// Takes what is there, without waiting.
  @inlinable
  func take(into chunk: inout Chunk<Element>, limit: Int) -> TakeResult {
    let before = chunk.count
    let take = link.take(into: &chunk, limit: limit)
    if let source { tell(source, take, taken: chunk.count - before, of: chunk) }
    if chunk.hasTokens, leavesCycle.load(ordering: .relaxed) { chunk.mapTokens { $0?.leavingCycle() } }
    return take
  }

  @inlinable
  func tell(_ source: NodeRun, _ take: TakeResult, taken: Int, of chunk: borrowing Chunk<Element>) {
    if taken > 0 { source.create(chunk) }
    if case .ended(.failed(let failure)) = take { _ = source.fail(failure) }
  }

  /// Takes what is there, as a port of the graph.
  @inlinable
  func poll(_ chunk: inout Chunk<Element>, limit: Int) -> Poll {
    switch take(into: &chunk, limit: Swift.min(limit, most)) {
    case .taken:
      let waited = parked.load(ordering: .relaxed)
      if waited { parked.store(false, ordering: .relaxed) }
      link.isBusy.store(!waited && chunk.count >= Int(link.busy), ordering: .relaxed)
      return .ready
    case .ended(.finished): return .ended
    case .ended(.failed(let failure)): return .interrupted(.failed(failure))
    case .ended(.cancelled): return .interrupted(.cancelled)
    case .empty: return closed.load(ordering: .relaxed) ? .interrupted(.cancelled) : .empty
    }
  }

  /// What to do when nothing is there: park, or leave a busy link alone for a moment, so that it fills.
  @inlinable
  @inline(never)
  func willWait() -> Bool {
    segment.enterIdle()
    if link.isBusy.load(ordering: .relaxed) {
      link.isBusy.store(false, ordering: .relaxed)
      return false
    }
    parked.store(true, ordering: .relaxed)
    return true
  }

  @inlinable
  nonisolated(nonsending) func receive(into chunk: inout Chunk<Element>, limit: Int) async throws(PortInterruption)
    -> Bool
  {
    while true {
      switch poll(&chunk, limit: limit) {
      case .ready: return true
      case .interrupted(let interruption): throw interruption
      case .empty: await willWait() ? link.waitForElements() : link.letFill()
      case .ended, .turn, .asynchronous: return false
      }
    }
  }

  /// As a port of the graph.
  @inlinable
  var reader: ChunkReader<Element> {
    ChunkReader(
      poll: { chunk, limit in self.poll(&chunk, limit: limit) },
      wait: {
        if self.willWait() {
          await self.link.waitForElements()
        } else {
          await self.link.letFill()
        }
      },
      suspending: { (chunk, limit) async throws(PortInterruption) in
        try await self.receive(into: &chunk, limit: limit)
      },
      close: { self.close() })
  }
}
