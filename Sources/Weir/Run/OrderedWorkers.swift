import Synchronization

/// Puts the results of parallel calls back into the order of their inputs.
///
/// Memory: at most `window` positions that are finished or under way.
@usableFromInline
final class ReorderBuffer<Output: Sendable>: Sendable {
  @usableFromInline
  struct State {
    /// Position whose results leave next.
    @usableFromInline var next: UInt64 = 0
    @usableFromInline var done: [UInt64: Parcel<Output>] = [:]
    @usableFromInline var waiting: [UnsafeContinuation<Void, Never>] = []
    /// One task at a time sends what is in order.
    @usableFromInline var sending = false
    @usableFromInline var closed = false
  }

  @usableFromInline let state = Mutex(State())
  @usableFromInline let window: UInt64

  @inlinable
  init(window: Int) { self.window = UInt64(window) }

  /// Waits until position `position` is inside the window. False when the node is over.
  /// - Parameter ahead: how far ahead of the results that left last; the whole window by default.
  @inlinable
  nonisolated(nonsending) func admit(_ position: UInt64, ahead: UInt64? = nil) async -> Bool {
    let window = ahead ?? self.window
    while true {
      let (inside, closed) = state.withLock { ($0.closed || position < $0.next + window, $0.closed) }
      if closed { return false }
      if inside { return true }
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let parked = state.withLock { state in
          if state.closed || position < state.next + window { return false }
          state.waiting.append(continuation)
          return true
        }
        if !parked { continuation.resume() }
      }
    }
  }

  /// Leaves the results of one position, and sends on all that are now in order.
  @inlinable
  nonisolated(nonsending) func deposit(
    _ results: consuming Chunk<Output>, at position: UInt64, through writer: WriterPort<Output>
  ) async
    -> Bool
  {
    let parcel = Parcel(results)
    let (first, closed) = state.withLock { state in
      if state.closed { return (false, true) }
      state.done[position] = parcel
      defer { state.sending = true }
      return (!state.sending, false)
    }
    if closed {
      parcel.abandon()
      return false
    }
    var mine = first
    while mine {
      let ready = state.withLock { state -> Parcel<Output>? in
        guard let parcel = state.done.removeValue(forKey: state.next) else {
          state.sending = false
          return nil
        }
        return parcel
      }
      guard let ready else {
        mine = false
        break
      }
      var chunk = ready.take()
      let sent = await writer.send(&chunk)
      let waiters = state.withLock { state in
        state.next += 1
        let waiters = state.waiting
        state.waiting = []
        return waiters
      }
      for waiter in waiters { waiter.resume() }
      if !sent {
        close()
        return false
      }
    }
    return !state.withLock { $0.closed }
  }

  /// The node is over: results that never got their turn are abandoned.
  @inlinable
  func close() {
    let (waiters, parcels) = state.withLock { state in
      state.closed = true
      let waiters = state.waiting
      let parcels = state.done.values.map { $0 }
      state.waiting = []
      state.done = [:]
      return (waiters, parcels)
    }
    for parcel in parcels { parcel.abandon() }
    for waiter in waiters { waiter.resume() }
  }
}

/// A chunk in a box, so that a dictionary can hold it.
@usableFromInline
final class Parcel<Element: Sendable>: Sendable {
  @usableFromInline let chunk: Mutex<Chunk<Element>>

  @inlinable
  init(_ chunk: consuming Chunk<Element>) { self.chunk = Mutex(chunk) }

  @inlinable
  func abandon() {
    var chunk = take()
    chunk.settleAll(.abandoned)
  }

  @inlinable
  func take() -> Chunk<Element> {
    chunk.withLock { chunk in
      var taken = Chunk<Element>()
      swap(&taken, &chunk)
      return taken
    }
  }
}

/// An element with its place in the order.
@frozen
@usableFromInline
struct Positioned<Element: Sendable>: Sendable {
  @usableFromInline let position: UInt64
  @usableFromInline let element: Element

  @inlinable
  init(position: UInt64, element: Element) {
    self.position = position
    self.element = element
  }
}

/// Moves elements into the shared input of ordered workers, numbering them.
@inlinable
nonisolated(nonsending) func pumpNumbered<Element: Sendable>(
  _ reader: ChunkReader<Element>, into writer: WriterPort<Positioned<Element>>
) async {
  var next: UInt64 = 0
  var numbered = Chunk<Positioned<Element>>()
  let end = await drive(reader, limit: writer.segment.runContext.chunkSize) { (chunk) async -> Bool in
    while let (element, token) = chunk.popFirstTracked() {
      numbered.append(Positioned(position: next, element: element), token: token)
      next += 1
    }
    return await writer.send(&numbered)
  }
  writer.finish(end)
}

@inlinable
func orderedWorkers<S: AsyncStage>(
  _ stage: S, _ supervision: Supervision, _ node: Int,
  _ make: @Sendable (Segment) -> ChunkReader<S.Input>, _ inner: LinkDescription, _ ring: Link<S.Output>,
  _ run: RunContext, _ workers: Int
) {
  let numbered: Link<Positioned<S.Input>> = run.makeLink(inner, node: node, readers: workers)
  let feeder = run.newSegment()
  let upstream = make(feeder)
  let input = WriterPort(numbered, segment: feeder)
  feeder.seal { await pumpNumbered(upstream, into: input) }

  let buffer = ReorderBuffer<S.Output>(window: workers * 2)
  let ends = WorkerEnds(count: workers)
  for _ in 0..<workers {
    let segment = run.newSegment()
    let port = ReaderPort(numbered, segment: segment)
    segment.addCloser { buffer.close() }
    let worker = AsyncWorker(stage, supervision: supervision, node: segment.addNode(node))
    let writer = WriterPort(ring, segment: segment)
    segment.seal {
      let end = await runOrdered(worker, port, buffer, writer)
      ends.finish(writer, end, isOwn: worker.hasFailed)
      // After the end of the output is known: those who wait for their turn must not end it differently.
      if worker.hasFailed { buffer.close() }
    }
  }
}

@inlinable
nonisolated(nonsending) func runOrdered<S: AsyncStage>(
  _ worker: AsyncWorker<S>, _ port: ReaderPort<Positioned<S.Input>>, _ buffer: ReorderBuffer<S.Output>,
  _ writer: WriterPort<S.Output>
) async -> LinkEnd {
  var one = Chunk<Positioned<S.Input>>()
  let end = await drive(port.reader) { () async throws(PortInterruption) -> Bool in
    guard try await port.receive(into: &one, limit: 1) else {
      switch await worker.finish(into: writer) {
      case .finished: return false
      case .failed(let failure): throw .failed(failure)
      case .cancelled: throw .cancelled
      }
    }
    while let (numbered, token) = one.popFirstTracked() {
      guard await buffer.admit(numbered.position) else {
        token?.settle(.abandoned)
        throw .cancelled
      }
      var results = Chunk<S.Output>()
      do throws(PortInterruption) {
        try await worker.handle(numbered.element, token: token, into: &results)
      } catch {
        // What comes before the failure is delivered before it, and then what this call has emitted.
        if await buffer.admit(numbered.position, ahead: 1) { _ = await writer.send(&results) }
        throw error
      }
      worker.showTaps(results)
      guard await buffer.deposit(results, at: numbered.position, through: writer) else { throw .cancelled }
    }
    return true
  }
  one.settleAll(.abandoned)
  if case .cancelled = end { buffer.close() }
  return end
}
