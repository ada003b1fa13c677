import Synchronization

/// The writing end of a link, owned by one segment. Ends at most once, whoever ends it.
@usableFromInline
final class WriterPort<Element: Sendable>: Sendable {
  @usableFromInline let link: Link<Element>
  @usableFromInline let scope: SegmentScope
  private let ended = Atomic<Bool>(false)

  @usableFromInline
  init(_ link: Link<Element>, scope: SegmentScope) {
    self.link = link
    self.scope = scope
    scope.addCloser { [weak self] in self?.finish(.cancelled) }
    scope.addOutput { segment in
      link.onClosed.withLock { $0.append { [weak segment] in segment?.outputClosed() } }
    }
  }

  /// Sends all of a chunk, waiting for room. False when nobody reads any more; what is left is abandoned.
  /// - Parameter stamp: a look at the clock not long ago; zero for none.
  @inlinable
  nonisolated(nonsending) func send(_ chunk: inout Chunk<Element>, stamp: UInt64 = 0) async -> Bool {
    var stamp = stamp
    while !chunk.isEmpty {
      switch link.offer(&chunk, stamp: stamp) {
      case .accepted: continue
      case .closed:
        chunk.settleAll(.abandoned)
        return false
      case .full:
        scope.enterBlocked()
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
final class ReaderPort<Element: Sendable>: Sendable {
  @usableFromInline let link: Link<Element>
  @usableFromInline let scope: SegmentScope
  /// Whether elements leave a cycle here, and with it the tokens they had inside.
  @usableFromInline let leavesCycle = Atomic<Bool>(false)
  /// Most elements to take at once.
  @usableFromInline let most: Int
  @usableFromInline let closed = Atomic<Bool>(false)
  /// The source whose elements come out here, where that has no task of its own: it counts what is taken.
  @usableFromInline let source: NodeRun?

  @usableFromInline
  init(_ link: Link<Element>, scope: SegmentScope, most: Int = .max, counting source: NodeRun? = nil) {
    self.link = link
    self.scope = scope
    self.most = most
    self.source = source
    scope.addCloser { [weak self] in self?.close() }
  }

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

  @inlinable
  nonisolated(nonsending) func receive(into chunk: inout Chunk<Element>, limit: Int) async throws(PortInterruption)
    -> Bool
  {
    var parked = false
    let limit = Swift.min(limit, most)
    while true {
      switch take(into: &chunk, limit: limit) {
      case .taken:
        link.isBusy.store(!parked && chunk.count >= link.busy, ordering: .relaxed)
        return true
      case .ended(let end): return try link.finish(end)
      case .empty:
        if closed.load(ordering: .relaxed) { throw .cancelled }
        scope.enterIdle()
        if link.isBusy.exchange(false, ordering: .relaxed) {
          await link.letFill()
        } else {
          parked = true
          await link.waitForElements()
        }
      }
    }
  }

  /// As a port of the graph.
  @inlinable
  var reader: ChunkReader<Element> {
    ChunkReader(
      pull: { (chunk, limit) async throws(PortInterruption) in try await self.receive(into: &chunk, limit: limit) },
      close: { self.close() })
  }
}
