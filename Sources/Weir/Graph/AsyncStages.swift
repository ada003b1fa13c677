extension Outlet {
  /// Passes elements through an asynchronous stage, with several calls at once.
  ///
  /// Emits as the stage does; waits while the link is full;
  /// finishes after the last result; cancels upstream when downstream leaves. Memory: the link, one chunk, and with n
  /// workers up to 3n (unordered), 4n (ordered) or 32n (lanes) elements.
  @inlinable
  public consuming func via<S: AsyncStage>(
    _ name: String, _ stage: S, parallel: Parallelism<Element>, limit: LinkLimit = .standard,
    supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<S.Output> where S.Input == Element {
    via(
      name, stage, parallel: parallel, limit: limit, supervision: supervision, location: SourceLocation(file, line))
  }

  @inlinable
  consuming func via<S: AsyncStage>(
    _ name: String, _ stage: S, parallel: Parallelism<Element>, limit: LinkLimit, supervision: Supervision,
    location: SourceLocation
  ) -> Outlet<S.Output> where S.Input == Element {
    let workers = parallel.usableWorkers
    let node = builder.addNode(
      name, .asynchronous, "\(S.self)", location, tasks: workers,
      holds: stage.holds.map { parallel.holds(each: $0) },
      faults: stage.faults + parallel.faults + builder.supervisionFaults(supervision))
    connect(to: node)
    let link = builder.link(name, limit, "wait", written: false, location)
    let make = self.make
    let inner = builder.link("\(name).in", .elements(workers * 2), "wait", written: false, location)
    return Outlet<S.Output>(builder, node, location, link: link) { segment in
      let run = segment.runContext
      let ring: Link<S.Output> = run.makeLink(link, node: node, writers: workers)
      switch parallel {
      case .serial:
        serialWorker(stage, supervision, node, make, ring, run)
      case .unordered:
        let shared: Link<Element> = run.makeLink(inner, node: node, readers: workers)
        feedShared(make, run) { WriterPort(shared, segment: $0) }
        let ends = WorkerEnds(count: workers)
        for _ in 0..<workers {
          worker(stage, supervision, node, shared, most: 1, ring, run, ends)
        }
      case .lanes(_, let key):
        let lanes = (0..<workers).map { lane -> Link<Element> in
          let description = LinkDescription(
            name: "\(name).lane\(lane)", limit: .elements(parallel.laneLimit), policy: "wait", isWritten: false)
          return run.makeLink(description, node: node)
        }
        feedLanes(make, run, lanes, key)
        let ends = WorkerEnds(count: workers)
        for lane in lanes {
          worker(stage, supervision, node, lane, most: .max, ring, run, ends)
        }
      case .ordered:
        orderedWorkers(stage, supervision, node, make, inner, ring, run, workers)
      }
      return ReaderPort(ring, segment: segment)
    }
  }
}

extension AsyncStage {
  @inlinable
  public func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output> {
    outlet.via(
      placement.name, self, parallel: .serial, limit: placement.limit, supervision: placement.supervision,
      location: placement.location)
  }
}

extension AsyncChunkStage {
  @inlinable
  public func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output> {
    let (name, location, supervision) = (placement.name, placement.location, placement.supervision)
    let builder = outlet.builder
    let node = builder.addNode(
      name, .asynchronous, "\(Self.self)", location, holds: holds,
      faults: allFaults + builder.supervisionFaults(supervision))
    outlet.connect(to: node)
    let link = builder.link(name, placement.limit, "wait", written: false, location)
    let make = outlet.make
    let stage = self
    return Outlet<Output>(builder, node, location, link: link) { segment in
      let run = segment.runContext
      let ring: Link<Output> = run.makeLink(link, node: node)
      let upstream = run.newSegment()
      let reader = make(upstream)
      let worker = ChunkWorker(stage, supervision: supervision, node: upstream.addNode(node))
      let writer = WriterPort(ring, segment: upstream)
      upstream.seal { writer.finish(await worker.run(reader, into: writer)) }
      return ReaderPort(ring, segment: segment)
    }
  }
}

// MARK: - Tasks of asynchronous nodes

@inlinable
func serialWorker<S: AsyncStage>(
  _ stage: S, _ supervision: Supervision, _ node: Int,
  _ make: @Sendable (Segment) -> ChunkReader<S.Input>, _ ring: Link<S.Output>, _ run: RunContext
) {
  let segment = run.newSegment()
  let reader = make(segment)
  let worker = AsyncWorker(stage, supervision: supervision, node: segment.addNode(node))
  let writer = WriterPort(ring, segment: segment)
  segment.seal { writer.finish(await worker.run(reader, into: writer)) }
}

@inlinable
func worker<S: AsyncStage>(
  _ stage: S, _ supervision: Supervision, _ node: Int, _ input: Link<S.Input>, most: Int,
  _ ring: Link<S.Output>, _ run: RunContext, _ ends: WorkerEnds
) {
  let segment = run.newSegment()
  let port = ReaderPort(input, segment: segment)
  let worker = AsyncWorker(stage, supervision: supervision, node: segment.addNode(node))
  let writer = WriterPort(ring, segment: segment)
  segment.seal {
    let end = await worker.run(port.reader, most: most, into: writer)
    ends.finish(writer, end, isOwn: worker.hasFailed)
  }
}

/// A task that moves what comes from upstream into the shared input of parallel workers.
@inlinable
func feedShared<Element: Sendable>(
  _ make: @Sendable (Segment) -> ChunkReader<Element>, _ run: RunContext,
  _ port: (Segment) -> WriterPort<Element>
) {
  let segment = run.newSegment()
  let reader = make(segment)
  let writer = port(segment)
  segment.seal(Pump(reader, into: writer, counter: nil))
}

@inlinable
func feedLanes<Element: Sendable>(
  _ make: @Sendable (Segment) -> ChunkReader<Element>, _ run: RunContext,
  _ lanes: [Link<Element>], _ key: @escaping @Sendable (Element) -> UInt64
) {
  let segment = run.newSegment()
  let reader = make(segment)
  let writers = lanes.map { WriterPort($0, segment: segment) }
  segment.seal {
    await distribute(reader, to: writers, counter: nil) {
      Int($0 % UInt64(writers.count))
    } key: {
      key($0)
    }
  }
}

/// Sends each element to the one writer that its key selects; chunks are split by writer.
@inlinable
nonisolated(nonsending) func distribute<Element: Sendable>(
  _ reader: ChunkReader<Element>, to writers: [WriterPort<Element>], counter: NodeRun?,
  _ select: @Sendable (UInt64) -> Int, key: @Sendable (Element) -> UInt64
) async {
  await split(reader, to: writers, counter: counter) { select(key($0)) }
}

/// Sends each element to the writer that `select` names; those it names none for are discarded as unmatched.
@inlinable
nonisolated(nonsending) func split<Element: Sendable>(
  _ reader: ChunkReader<Element>, to writers: [WriterPort<Element>], counter: NodeRun?,
  _ select: @Sendable (Element) -> Int?
) async {
  let parts = SplitChunks<Element>(count: writers.count)
  let limit = writers.first?.segment.runContext.chunkSize ?? 256
  let end = await drive(reader, limit: limit) { (chunk) async -> Bool in
    var tally = NodeMeter.Tally()
    tally.elementsIn = chunk.count
    if chunk.hasTokens {
      parts.splitTracked(&chunk, &tally, select)
    } else {
      parts.split(&chunk, &tally, select)
    }
    if let counter { counter.meter.record(tally, at: counter.enter()) }
    if let counter { for index in writers.indices where !parts.closed[index] { parts.show(index, to: counter) } }
    // Every writer gets what it has room for before the task waits for one of them.
    while let blocked = parts.offerAll(to: writers) {
      writers[blocked].segment.enterBlocked()
      await parts.waitForRoom(blocked, of: writers[blocked])
    }
    return !parts.areAllClosed
  }
  for writer in writers { writer.finish(end) }
}
