/// What a port could do without suspending.
@frozen
@usableFromInline
enum Poll: Sendable {
  /// The chunk holds at least one element.
  case ready
  /// Nothing more comes.
  case ended
  /// Failed or cancelled.
  case interrupted(PortInterruption)
  /// Nothing is there now: ``ChunkReader/wait`` waits until there may be.
  case empty
  /// Much was done and nothing came of it yet: others want the thread, then poll again.
  case turn
  /// Only ``ChunkReader/suspending`` can go on; the chunk is empty.
  case asynchronous
}

/// The reading end of a port while the graph runs: pull a chunk, or close early.
///
/// The nodes of one task form a chain of these. A chain is polled first, by plain calls: an element passes any number of
/// synchronous stages without a suspension point, and a task that waits keeps no frame for each of them.
@frozen
@usableFromInline
struct ChunkReader<Element: Sendable>: Sendable {
  /// Fills an empty chunk with at least one element, at most about `limit`, if that takes no waiting.
  @usableFromInline let poll: @Sendable (inout Chunk<Element>, Int) -> Poll
  /// Waits until a poll that answered `empty` may answer something else.
  @usableFromInline let wait: nonisolated(nonsending) @Sendable () async -> Void
  /// Does what polling could not, as ``pull(_:_:)``.
  @usableFromInline let suspending:
    nonisolated(nonsending) @Sendable (inout Chunk<Element>, Int) async throws(PortInterruption) -> Bool
  /// Tells upstream that nothing more is wanted. May be called again, and after the end.
  @usableFromInline let close: @Sendable () -> Void

  /// A port that may be polled.
  @inlinable
  init(
    poll: @escaping @Sendable (inout Chunk<Element>, Int) -> Poll,
    wait: nonisolated(nonsending) @escaping @Sendable () async -> Void,
    suspending:
      nonisolated(nonsending) @escaping @Sendable (inout Chunk<Element>, Int) async throws(PortInterruption) -> Bool,
    close: @escaping @Sendable () -> Void
  ) {
    self.poll = poll
    self.wait = wait
    self.suspending = suspending
    self.close = close
  }

  /// A port that always suspends.
  @inlinable
  init(
    pull:
      nonisolated(nonsending) @escaping @Sendable (inout Chunk<Element>, Int) async throws(PortInterruption) -> Bool,
    close: @escaping @Sendable () -> Void
  ) {
    self.init(poll: { _, _ in .asynchronous }, wait: {}, suspending: pull, close: close)
  }

  /// Fills an empty chunk with at least one element, at most about `limit`. False at the end; the end comes once.
  @inlinable
  nonisolated(nonsending) func pull(_ out: inout Chunk<Element>, _ limit: Int) async throws(PortInterruption) -> Bool {
    while true {
      switch poll(&out, limit) {
      case .ready: return true
      case .ended: return false
      case .interrupted(let interruption): throw interruption
      case .empty: await wait()
      case .turn: await Task.yield()
      case .asynchronous: return try await suspending(&out, limit)
      }
    }
  }

  /// The same, taking off the tokens that elements had inside a cycle.
  @inlinable
  func leavingCycle() -> ChunkReader<Element> {
    let poll = self.poll
    let suspending = self.suspending
    return ChunkReader(
      poll: { out, limit in
        let result = poll(&out, limit)
        if case .ready = result, out.hasTokens { out.mapTokens { $0?.leavingCycle() } }
        return result
      },
      wait: wait,
      suspending: { (out, limit) async throws(PortInterruption) in
        guard try await suspending(&out, limit) else { return false }
        if out.hasTokens { out.mapTokens { $0?.leavingCycle() } }
        return true
      },
      close: close)
  }
}
