extension Stage {
  @inlinable
  public func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output> {
    let builder = outlet.builder
    let node = builder.addNode(
      placement.name, .stage, "\(Self.self)", placement.location, holds: holds,
      traits: NodeTraits(isOneToOne: isOneToOne && placement.supervision.keepsEveryElement),
      faults: faults + builder.supervisionFaults(placement.supervision))
    outlet.connect(to: node)
    let make = outlet.make
    let stage = self
    let supervision = placement.supervision
    return Outlet<Output>(builder, node, placement.location) { segment in
      let upstream = make(segment)
      return stageReader(upstream, stage, supervision: supervision, node: segment.addNode(node))
    }
  }
}

extension TimedStage {
  @inlinable
  public func attach(to outlet: consuming Outlet<Input>, as placement: NodePlacement) -> Outlet<Output> {
    let builder = outlet.builder
    let node = builder.addNode(
      placement.name, .timed, "\(Self.self)", placement.location, holds: holds,
      traits: NodeTraits(isOneToOne: isOneToOne && placement.supervision.keepsEveryElement),
      faults: faults + builder.supervisionFaults(placement.supervision))
    let fed = outlet.linked("\(placement.name).in", limit: placement.limit, placement.location)
    fed.connect(to: node)
    let make = fed.make
    let makePort = fed.makePort
    let stage = self
    let supervision = placement.supervision
    return Outlet<Output>(builder, node, placement.location) { segment in
      guard let port = makePort?(segment) else { return make(segment).never() }
      return timedReader(TimedState(stage, port: port, supervision: supervision, node: segment.addNode(node)))
    }
  }
}

extension Outlet {
  /// Starts a new task here: a link between what comes before and what comes after.
  ///
  /// Emits what waits, oldest first; the sender waits at the limit, or the policy applies; finishes after the last
  /// element has been taken; cancels upstream when downstream leaves. Memory: the limit.
  /// - Parameters:
  ///   - weigh: bytes of an element, for limits in bytes; by default what an element occupies in place.
  @inlinable
  public consuming func boundary(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait,
    weigh: (@Sendable (Element) -> Int)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .boundary, "boundary", location, traits: NodeTraits(isOneToOne: true))
    connect(to: node)
    let link = builder.link(name, limit, policy.name, written: true, location)
    let make = self.make
    return Outlet(builder, node, location, link: link) { segment in
      makeLink(link, node: node, policy: policy, weigh: weigh, counted: true, upstream: make, for: segment)
    }
  }

  /// As ``boundary(_:limit:policy:weigh:file:line:)``, weighing elements by their own weight.
  @inlinable
  public consuming func boundary(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> where Element: Weighted {
    boundary(name, limit: limit, policy: policy, weigh: { $0.weight }, file: file, line: line)
  }

  /// This port if it is the reading end of a link, else one with a link made for a node that needs it.
  @inlinable
  consuming func linked(_ name: String, limit: LinkLimit = .standard, _ location: SourceLocation) -> Outlet<Element> {
    if case .port = source { return self }
    let link = builder.link(name, limit, OverflowPolicy<Element>.wait.name, written: false, location)
    let make = self.make
    let (node, leg) = builder.rewire(port)
    return Outlet(builder, node, leg: leg, location, link: link) { segment in
      makeLink(link, node: node, policy: .wait, weigh: nil, counted: false, upstream: make, for: segment)
    }
  }
}

/// A link for one run, with the task that fills it.
@inlinable
func makeLink<Element: Sendable>(
  _ link: LinkDescription, node: Int, policy: OverflowPolicy<Element>, weigh: (@Sendable (Element) -> Int)?,
  counted: Bool, upstream make: @Sendable (Segment) -> ChunkReader<Element>, for segment: Segment
) -> ReaderPort<Element> {
  let run = segment.runContext
  let ring = run.makeLink(link, node: node, policy: policy, weigh: weigh)
  let upstream = run.newSegment()
  let reader = make(upstream)
  let counter = counted ? upstream.addNode(node) : nil
  let writer = WriterPort(ring, segment: upstream)
  upstream.seal(Pump(reader, into: writer, counter: counter))
  return ReaderPort(ring, segment: segment)
}

/// Number of chunks a task moves before it lets others have the thread; a power of two.
@usableFromInline let chunksAtOnce = 32

/// Pulls until the end and hands each chunk on; a step that returns false ends it as cancelled. Closes the port.
@inlinable
nonisolated(nonsending) func drive<Element: Sendable>(
  _ reader: ChunkReader<Element>, limit: Int, _ step: nonisolated(nonsending) (inout Chunk<Element>) async -> Bool
) async -> LinkEnd {
  var chunk = Chunk<Element>()
  defer {
    chunk.settleAll(.abandoned)
    reader.close()
  }
  var turns = 0
  while true {
    switch reader.poll(&chunk, limit) {
    case .ready:
      turns &+= 1
      // A source that never waits must not keep the thread: nobody could stop the run.
      if turns & (chunksAtOnce - 1) == 0 { await Task.yield() }
    case .ended: return .finished
    case .interrupted(let interruption): return LinkEnd(interruption)
    case .empty:
      await reader.wait()
      continue
    case .turn:
      await Task.yield()
      continue
    case .asynchronous:
      do throws(PortInterruption) {
        guard try await reader.suspending(&chunk, limit) else { return .finished }
      } catch {
        return LinkEnd(error)
      }
    }
    guard await step(&chunk) else { return .cancelled }
  }
}

/// Repeats a step until it returns false or is interrupted, then closes the port it read from.
@inlinable
nonisolated(nonsending) func drive<Element: Sendable>(
  _ reader: ChunkReader<Element>, _ step: nonisolated(nonsending) () async throws(PortInterruption) -> Bool
) async -> LinkEnd {
  defer { reader.close() }
  var turns = 0
  do throws(PortInterruption) {
    while try await step() {
      turns &+= 1
      if turns & (chunksAtOnce - 1) == 0 { await Task.yield() }
    }
    return .finished
  } catch {
    return LinkEnd(error)
  }
}

extension LinkEnd {
  /// How a link ends after an interruption upstream.
  @inlinable
  init(_ interruption: PortInterruption) {
    switch interruption {
    case .failed(let failure): self = .failed(failure)
    case .cancelled: self = .cancelled
    }
  }
}

extension NodeRun {
  /// Counts elements that pass through unchanged.
  /// - Returns: the stamp of now.
  @usableFromInline
  @discardableResult
  func pass(_ count: Int) -> UInt64 {
    var tally = NodeMeter.Tally()
    tally.elementsIn = count
    tally.elementsOut = count
    let stamp = enter()
    meter.record(tally, at: stamp)
    return stamp
  }

  /// Counts the elements of a chunk as made here.
  @inlinable
  func create<Element: Sendable>(_ chunk: borrowing Chunk<Element>) {
    var tally = NodeMeter.Tally()
    tally.elementsOut = chunk.count
    tally.created = chunk.count
    meter.record(tally, at: enter())
    showTaps(chunk)
  }

  /// Counts elements that end here.
  /// - Returns: the stamp of now.
  @usableFromInline
  @discardableResult
  func consume(_ count: Int) -> UInt64 {
    var tally = NodeMeter.Tally()
    tally.elementsIn = count
    tally.merged = count
    let stamp = enter()
    meter.record(tally, at: stamp)
    return stamp
  }
}

extension ChunkReader {
  /// A port that ends at once, in a type that the caller wants: for states that cannot be reached.
  @usableFromInline
  func never<Other: Sendable>() -> ChunkReader<Other> {
    let close = self.close
    return ChunkReader<Other>(
      poll: { _, _ in .ended }, wait: {}, suspending: { (_, _) async throws(PortInterruption) in false }, close: close)
  }
}
