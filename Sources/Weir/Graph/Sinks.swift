extension Outlet {
  /// Ends here: calls a synchronous closure with each element, in the task of the node before it.
  ///
  /// Finishes when its input does. A throwing closure fails the run, or is supervised. Memory: one chunk.
  @inlinable
  public consuming func sink(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    _ consume: @escaping @Sendable (Element) throws -> Void
  ) {
    let stage = ClosureSink(consume)
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .sink, "closure", location, faults: builder.supervisionFaults(supervision))
    connect(to: node)
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let upstream = make(segment)
      let reader = stageReader(upstream, stage, supervision: supervision, node: segment.addNode(node))
      segment.seal { await drainReader(reader) }
    }
  }

  /// Ends here: calls an asynchronous closure with each element, one call at a time.
  ///
  /// Waits while the closure does; finishes when its input does. Memory: one chunk.
  public consuming func sink(
    _ name: String, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    async consume: @escaping @Sendable (Element) async throws -> Void
  ) {
    sink(name, ClosureAsyncSink(consume), supervision: supervision, file: file, line: line)
  }

  /// Ends here: an asynchronous stage whose output nobody needs.
  public consuming func sink<S: AsyncStage>(
    _ name: String, _ stage: S, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line
  ) where S.Input == Element, S.Output == Never {
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .sink, "\(S.self)", location, faults: stage.faults + builder.supervisionFaults(supervision))
    connect(to: node)
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let worker = AsyncWorker(stage, supervision: supervision, node: segment.addNode(node))
      segment.seal { _ = await worker.run(reader, into: nil) }
    }
  }

  /// Ends here: an asynchronous stage that gets all that is ready at once, such as a writer that commits in groups.
  public consuming func sink<S: AsyncChunkStage>(
    _ name: String, _ stage: S, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line
  ) where S.Input == Element, S.Output == Never {
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .sink, "\(S.self)", location, faults: stage.allFaults + builder.supervisionFaults(supervision))
    connect(to: node)
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let worker = ChunkWorker(stage, supervision: supervision, node: segment.addNode(node))
      segment.seal { _ = await worker.run(reader, into: nil) }
    }
  }

  /// Ends here: elements are counted and forgotten. For ports that are meant to go nowhere.
  public consuming func ignore(_ name: String, file: StaticString = #fileID, line: UInt = #line) {
    sink(name, file: file, line: line) { _ in }
  }

  /// Ends here: gathers all elements; the handle gives them when the run is over.
  ///
  /// Memory: every element of the run. For tests and small results.
  public consuming func collect(
    _ name: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Handle<RunResult<[Element]>> {
    fold(name, [], file: file, line: line) { $0.append($1) }
  }

  /// Ends here: combines all elements into one value; the handle gives it when the run is over.
  @inlinable
  public consuming func fold<Value: Sendable>(
    _ name: String, _ initial: Value, file: StaticString = #fileID, line: UInt = #line,
    _ combine: @escaping @Sendable (inout Value, Element) -> Void
  ) -> Handle<RunResult<Value>> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .sink, "fold", location)
    connect(to: node)
    let handle = Handle<RunResult<Value>>(builder.newHandle())
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let counter = segment.addNode(node)
      let result = RunResult(initial)
      run.setHandle(handle.id, result)
      segment.seal { await foldAll(reader, into: result, counter: counter, combine) }
    }
    return handle
  }

  /// Leaves the running graph: the handle gives an AsyncSequence to iterate inside the body of the run.
  ///
  /// The graph waits while nobody iterates and the link is full; ending the iteration cancels upstream, and so does
  /// the end of the body. One iterator at a time. Memory: the limit.
  @inlinable
  public consuming func sequence(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Handle<OutletSequence<Element>> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .sink, "sequence", location, holds: limit.holding(and: LinkIteratorState<Element>.atOnce))
    connect(to: node)
    let link = builder.link(name, limit, policy.name, written: true, location)
    let handle = Handle<OutletSequence<Element>>(builder.newHandle())
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let counter = segment.addNode(node)
      let ring = run.makeLink(link, node: node, policy: policy)
      let writer = WriterPort(ring, segment: segment)
      run.setHandle(handle.id, OutletSequence(ring))
      // Nobody can iterate it any more: the graph must not wait for that.
      run.onBodyEnd { ring.closeReader() }
      // Counted as consumed here; whoever iterates settles what comes out.
      segment.seal(Pump(reader, into: writer, counter: counter, isSink: true))
    }
    return handle
  }
}

/// A sink closure as a stage without output.
@frozen
@usableFromInline
struct ClosureSink<Input: Sendable>: Stage {
  @usableFromInline let consume: @Sendable (Input) throws -> Void

  @inlinable
  init(_ consume: @escaping @Sendable (Input) throws -> Void) { self.consume = consume }

  @inlinable
  mutating func process(_ element: Input, _ emit: (Never) -> Void) throws { try consume(element) }
}

struct ClosureAsyncSink<Input: Sendable>: AsyncStage {
  let consume: @Sendable (Input) async throws -> Void

  init(_ consume: @escaping @Sendable (Input) async throws -> Void) { self.consume = consume }

  mutating func process(_ element: Input, _ emit: (Never) -> Void) async throws { try await consume(element) }
}

/// Pulls until the end; what comes out is impossible.
@usableFromInline
nonisolated(nonsending) func drainReader(_ reader: ChunkReader<Never>) async {
  _ = await drive(reader, limit: 256) { _ in true }
}

@inlinable
nonisolated(nonsending) func foldAll<Element: Sendable, Value: Sendable>(
  _ reader: ChunkReader<Element>, into result: RunResult<Value>, counter: NodeRun,
  _ combine: @Sendable (inout Value, Element) -> Void
) async {
  _ = await drive(reader, limit: counter.segment.runContext.chunkSize) { chunk in
    counter.consume(chunk.count)
    result.update { value in chunk.visit { combine(&value, $0) } }
    chunk.settleAll(.stored)
    return true
  }
}
