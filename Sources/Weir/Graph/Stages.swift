extension Outlet {
  /// Passes elements through a synchronous stage, in the task of the node before it.
  ///
  /// Emits, finishes and cancels as the stage's own documentation says; waits when downstream does. Memory: one chunk
  /// of input and one of output, and what the stage holds.
  /// - Parameter supervision: what happens when the stage throws.
  @inlinable
  public consuming func via<S: Stage>(
    _ name: String, _ stage: S, supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<S.Output> where S.Input == Element {
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .stage, "\(S.self)", location, holds: stage.holds, traits: NodeTraits(isOneToOne: stage.isOneToOne),
      faults: stage.faults + builder.supervisionFaults(supervision))
    connect(to: node)
    let make = self.make
    return Outlet<S.Output>(builder, node, location) { scope in
      let upstream = make(scope)
      return stageReader(upstream, stage, supervision: supervision, node: scope.addNode(node))
    }
  }

  /// Passes elements through a timed stage. The stage needs a link in front of it, so that it can wait for input and
  /// for time at once: where the port is not one already, a boundary is made.
  @inlinable
  public consuming func via<S: TimedStage>(
    _ name: String, _ stage: S, limit: LinkLimit = .standard, supervision: Supervision = .fail,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<S.Output> where S.Input == Element {
    let location = SourceLocation(file, line)
    let node = builder.addNode(
      name, .timed, "\(S.self)", location, holds: stage.holds, traits: NodeTraits(isOneToOne: stage.isOneToOne),
      faults: stage.faults + builder.supervisionFaults(supervision))
    let builder = self.builder
    let fed = linked("\(name).in", limit: limit, location)
    fed.connect(to: node)
    let make = fed.make
    let makePort = fed.makePort
    return Outlet<S.Output>(builder, node, location) { scope in
      guard let port = makePort?(scope) else { return make(scope).never() }
      return timedReader(TimedState(stage, port: port, supervision: supervision, node: scope.addNode(node)))
    }
  }

  /// Starts a new task here: a link between what comes before and what comes after.
  ///
  /// Emits what waits, oldest first; the sender waits at the limit, or the policy applies; finishes after the last
  /// element has been taken; cancels upstream when downstream leaves. Memory: the limit.
  /// - Parameters:
  ///   - weigh: bytes of an element, for limits in bytes; by default what an element occupies in place.
  public consuming func boundary(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait,
    weigh: (@Sendable (Element) -> Int)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .boundary, "boundary", location, traits: NodeTraits(isOneToOne: true))
    connect(to: node)
    let link = builder.link(name, limit, policy.name, written: true, location)
    let make = self.make
    return Outlet(builder, node, location, link: link) { scope in
      makeLink(link, node: node, policy: policy, weigh: weigh, counted: true, upstream: make, for: scope)
    }
  }

  /// As ``boundary(_:limit:policy:weigh:file:line:)``, weighing elements by their own weight.
  public consuming func boundary(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> where Element: Weighted {
    boundary(name, limit: limit, policy: policy, weigh: { $0.weight }, file: file, line: line)
  }

  /// This port if it is the reading end of a link, else one with a link made for a node that needs it.
  @usableFromInline
  consuming func linked(_ name: String, limit: LinkLimit = .standard, _ location: SourceLocation) -> Outlet<Element> {
    if makePort != nil { return self }
    let link = builder.link(name, limit, OverflowPolicy<Element>.wait.name, written: false, location)
    let make = self.make
    let node = builder.ports[port].node
    builder.ports[port].consumed = true
    return Outlet(builder, node, leg: builder.ports[port].leg, location, link: link) { scope in
      makeLink(link, node: node, policy: .wait, weigh: nil, counted: false, upstream: make, for: scope)
    }
  }
}

/// A link for one run, with the task that fills it.
@usableFromInline
func makeLink<Element: Sendable>(
  _ link: LinkDescription, node: Int, policy: OverflowPolicy<Element>, weigh: (@Sendable (Element) -> Int)?,
  counted: Bool, upstream make: @Sendable (SegmentScope) -> ChunkReader<Element>, for scope: SegmentScope
) -> ReaderPort<Element> {
  let run = scope.runContext
  let ring = run.makeLink(link, node: node, policy: policy, weigh: weigh)
  let upstream = run.newScope()
  let reader = make(upstream)
  let counter = counted ? upstream.addNode(node) : nil
  let writer = WriterPort(ring, scope: upstream)
  upstream.seal(name: link.name) { await pump(reader, into: writer, counter: counter) }
  return ReaderPort(ring, scope: scope)
}

/// Moves chunks from a port into a link until either ends.
@usableFromInline
func pump<Element: Sendable>(
  _ reader: ChunkReader<Element>, into writer: WriterPort<Element>, counter: NodeRun?
) async {
  let limit = writer.scope.runContext.chunkSize
  var chunk = Chunk<Element>()
  let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
    guard try await reader.pull(&chunk, limit) else { return false }
    if let counter {
      counter.pass(chunk.count)
      counter.showTaps(chunk)
    }
    guard await writer.send(&chunk) else { throw .cancelled }
    return true
  }
  writer.finish(end)
}

/// Repeats a step until it returns false or is interrupted, then closes the port it read from.
@usableFromInline
func drive<Element: Sendable>(
  _ reader: ChunkReader<Element>, _ step: () async throws(PortInterruption) -> Bool
) async -> LinkEnd {
  defer { reader.close() }
  do throws(PortInterruption) {
    while try await step() {}
    return .finished
  } catch {
    switch error {
    case .failed(let failure): return .failed(failure)
    case .cancelled: return .cancelled
    }
  }
}

extension NodeRun {
  /// Counts elements that pass through unchanged.
  @usableFromInline
  func pass(_ count: Int) {
    var tally = NodeMeter.Tally()
    tally.elementsIn = count
    tally.elementsOut = count
    meter.record(tally, at: enter())
  }

  /// Counts elements that end here.
  @usableFromInline
  func consume(_ count: Int) {
    var tally = NodeMeter.Tally()
    tally.elementsIn = count
    tally.merged = count
    meter.record(tally, at: enter())
  }
}

extension ChunkReader {
  /// A port that ends at once, in a type that the caller wants: for states that cannot be reached.
  @usableFromInline
  func never<Other: Sendable>() -> ChunkReader<Other> {
    let close = self.close
    return ChunkReader<Other>(pull: { (_, _) async throws(PortInterruption) in false }, close: close)
  }
}
