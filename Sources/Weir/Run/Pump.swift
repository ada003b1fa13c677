/// Moves chunks from a port into a link until either ends. Confined to the task that runs it.
///
/// All that needs no waiting happens in ``step()``, a plain call: the task that waits here keeps a small frame.
@usableFromInline
final class Pump<Element: Sendable>: SegmentBody, @unchecked Sendable {
  // Safety: used only by the task that runs it, so that no two accesses can overlap either.
  @usableFromInline let reader: ChunkReader<Element>
  @usableFromInline let writer: WriterPort<Element>
  @usableFromInline let counter: NodeRun?
  /// Whether the elements leave the graph here.
  @usableFromInline let isSink: Bool
  @exclusivity(unchecked) @usableFromInline var chunk = Chunk<Element>()
  @exclusivity(unchecked) @usableFromInline var stamp: UInt64 = 0
  /// How it ended, once it has.
  @exclusivity(unchecked) @usableFromInline var end = LinkEnd.finished
  @exclusivity(unchecked) @usableFromInline var isOver = false

  /// ``step()`` as the compiler specialised it where the pump was made: through the protocol only the generic code can be
  /// reached, which looks types up at every step.
  @usableFromInline let work: @Sendable (Pump<Element>) -> Step

  /// What a step came to.
  @frozen
  @usableFromInline
  enum Step: Sendable {
    /// Nothing to read.
    case empty
    /// No room to write.
    case full
    /// The port has to suspend.
    case asynchronous
    /// Enough for now: others want the thread.
    case turn
    case ended
  }

  @inlinable
  init(_ reader: ChunkReader<Element>, into writer: WriterPort<Element>, counter: NodeRun?, isSink: Bool = false) {
    self.reader = reader
    self.writer = writer
    self.counter = counter
    self.isSink = isSink
    work = { $0.step() }
  }

  @inlinable
  @inline(never)
  nonisolated(nonsending) func run() async {
    while true {
      switch work(self) {
      case .empty: await reader.wait()
      case .full: await waitForRoom()
      case .asynchronous: await suspend()
      case .turn: await Task.yield()
      case .ended: break
      }
      if isOver { return finish() }
    }
  }

  @inlinable
  @inline(never)
  nonisolated(nonsending) func waitForRoom() async {
    await writer.link.waitForRoom(weight: writer.link.weightOfFirst(chunk))
  }

  /// Moves on until something has to be waited for.
  @inlinable
  @inline(never)
  func step() -> Step {
    for _ in 0..<chunksAtOnce {
      if chunk.isEmpty {
        switch reader.poll(&chunk, writer.segment.runContext.chunkSize) {
        case .ready: count()
        case .ended: return over(.finished)
        case .interrupted(let interruption): return over(LinkEnd(interruption))
        case .empty: return .empty
        case .turn: return .turn
        case .asynchronous: return .asynchronous
        }
      }
      switch writer.link.offer(&chunk, stamp: stamp) {
      case .accepted: continue
      case .closed: return over(.cancelled)
      case .full:
        writer.segment.enterBlocked()
        // It is looked at again after the wait.
        stamp = 0
        return .full
      }
    }
    return .turn
  }

  /// Lets the port do what it could not without waiting.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func suspend() async {
    var next = Chunk<Element>()
    swap(&next, &chunk)
    do throws(PortInterruption) {
      if !(try await reader.suspending(&next, writer.segment.runContext.chunkSize)) { over(.finished) }
    } catch {
      over(LinkEnd(error))
    }
    swap(&next, &chunk)
    if !isOver { count() }
  }

  @inlinable
  @discardableResult
  func over(_ end: LinkEnd) -> Step {
    self.end = end
    isOver = true
    return .ended
  }

  @inlinable
  func count() {
    guard let counter else {
      stamp = 0
      return
    }
    if isSink {
      stamp = counter.consume(chunk.count)
    } else {
      stamp = counter.pass(chunk.count)
      counter.showTaps(chunk)
    }
  }

  @inlinable
  @inline(never)
  func finish() {
    chunk.settleAll(.abandoned)
    reader.close()
    writer.finish(end)
  }
}
