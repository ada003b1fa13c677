/// An AsyncSequence that yields its elements only once, however often it is iterated.
public protocol SinglePassSequence: AsyncSequence {}
extension AsyncStream: SinglePassSequence {}
extension AsyncThrowingStream: SinglePassSequence {}

// What is made of a sequence that yields its elements once yields them once itself.
extension AsyncMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncFilterSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingFilterSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncCompactMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingCompactMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncFlatMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingFlatMapSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncPrefixSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncPrefixWhileSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingPrefixWhileSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncDropFirstSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncDropWhileSequence: SinglePassSequence where Base: SinglePassSequence {}
extension AsyncThrowingDropWhileSequence: SinglePassSequence where Base: SinglePassSequence {}
extension StageSequence: SinglePassSequence where Base: SinglePassSequence {}

/// A single-pass source was run a second time.
public struct SourceExhausted: CodedError, CustomStringConvertible {
  public let code = "source-exhausted"
  /// Name of the source node.
  public let source: String

  @usableFromInline
  init(source: String) { self.source = source }

  public var description: String {
    "source \"\(source)\" can be run only once; give it a closure that makes a new sequence for each run"
  }
}

extension GraphBuilder {
  /// A source that emits the elements of a collection.
  ///
  /// Emits when downstream asks, a chunk at a time; never waits; finishes after the last element; cancels at once.
  /// Memory: the collection, shared by all runs.
  @inlinable
  public func source<Elements: Sequence & Sendable>(
    _ name: String, _ elements: Elements, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Elements.Element> where Elements.Element: Sendable {
    let location = SourceLocation(file, line)
    let node = addNode(name, .source, "collection", location)
    return Outlet(self, node, location) { segment in
      collectionReader(elements, node: segment.addNode(node))
    }
  }

  /// A source that emits what an AsyncSequence yields.
  ///
  /// Runs in a task of its own, so that whatever is ready travels as one chunk. Emits each element as it is yielded;
  /// waits while its link is full; finishes when the sequence ends; fails when it throws; cancels the sequence when
  /// downstream wants no more, and on a drain. Memory: its link.
  /// - Parameters:
  ///   - sequence: iterated once a run. Sequences marked ``SinglePassSequence`` may be run only once.
  ///   - limit: limit of the link behind the source.
  ///   - policy: what happens when that link is full.
  ///   - supervision: `restart` iterates the sequence anew after a failure; `skip` ends the source as if it finished.
  @inlinable
  public func source<Elements: AsyncSequence & Sendable>(
    _ name: String, _ sequence: Elements, limit: LinkLimit = .standard,
    policy: OverflowPolicy<Elements.Element> = .wait, supervision: Supervision = .fail,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Elements.Element>
  where Elements.Element: Sendable, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
    let singlePass = sequence is any SinglePassSequence
    let used = OnceFlag()
    return source(
      name, "\(Elements.self)", limit: limit, policy: policy, supervision: supervision, SourceLocation(file, line)
    ) { () throws -> Elements.AsyncIterator in
      if singlePass && !used.take() { throw SourceExhausted(source: name) }
      return sequence.makeAsyncIterator()
    }
  }

  /// A source that makes a new sequence for each run, and for each restart after a failure. Otherwise as
  /// ``source(_:_:limit:policy:supervision:file:line:)``.
  @inlinable
  public func source<Elements: AsyncSequence>(
    _ name: String, limit: LinkLimit = .standard, policy: OverflowPolicy<Elements.Element> = .wait,
    supervision: Supervision = .fail, file: StaticString = #fileID, line: UInt = #line,
    making sequence: @escaping @Sendable () throws -> Elements
  ) -> Outlet<Elements.Element>
  where Elements.Element: Sendable, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
    source(
      name, "\(Elements.self)", limit: limit, policy: policy, supervision: supervision, SourceLocation(file, line)
    ) { () throws -> Elements.AsyncIterator in try sequence().makeAsyncIterator() }
  }

  @inlinable
  func source<Iterator: AsyncIteratorProtocol>(
    _ name: String, _ operation: String, limit: LinkLimit, policy: OverflowPolicy<Iterator.Element>,
    supervision: Supervision, _ location: SourceLocation, make: @escaping @Sendable () throws -> Iterator
  ) -> Outlet<Iterator.Element> where Iterator.Element: Sendable, Iterator: SendableMetatype {
    let node = addNode(name, .source, operation, location, faults: supervisionFaults(supervision))
    let link = link(name, limit, policy.name, written: false, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let ring = run.makeLink(link, node: node, policy: policy)
      let upstream = run.newSegment()
      let source = upstream.addNode(node)
      let port = WriterPort(ring, segment: upstream)
      upstream.seal(isIntake: true) {
        await driveSource(source, port, supervision: supervision, make: make)
      }
      return ReaderPort(ring, segment: segment)
    }
  }

  @usableFromInline
  func supervisionFaults(_ supervision: Supervision) -> [String] { supervision.faults }
}

/// A collection as a port, filled a chunk at a time inside the segment of its consumer.
@inlinable
func collectionReader<Elements: Sequence & Sendable>(
  _ elements: Elements, node: NodeRun
) -> ChunkReader<Elements.Element> where Elements.Element: Sendable {
  let state = IteratorState(elements.makeIterator())
  let fillChunk: @Sendable (inout Chunk<Elements.Element>, Int) -> Bool = { out, limit in
    if node.segment.isIntakeStopped { state.iterator = nil }
    let stamp = node.enter()
    let most = Swift.min(limit, node.segment.runContext.chunkSize)
    fill(&out, from: &state.iterator, most: most)
    var tally = NodeMeter.Tally()
    tally.elementsOut = out.count
    tally.created = out.count
    node.meter.record(tally, at: stamp)
    node.showTaps(out)
    return !out.isEmpty
  }
  return ChunkReader(
    poll: { out, limit in fillChunk(&out, limit) ? .ready : .ended },
    wait: {},
    suspending: { (out, limit) async throws(PortInterruption) in fillChunk(&out, limit) },
    close: { state.iterator = nil })
}

@inlinable
func fill<Iterator: IteratorProtocol>(
  _ out: inout Chunk<Iterator.Element>, from iterator: inout Iterator?, most: Int
) where Iterator.Element: Sendable {
  guard var live = iterator.take() else { return }
  var tail = ChunkTail(of: &out)
  while tail.added < most {
    guard let element = live.next() else { return tail.putBack(into: &out) }
    tail.append(element)
  }
  tail.putBack(into: &out)
  iterator = live
}

/// The iterator of a collection source. Confined to the task that drives its segment.
@usableFromInline
final class IteratorState<Iterator>: @unchecked Sendable {
  // Safety: used only by the task that drives the segment.
  @usableFromInline var iterator: Iterator?

  @usableFromInline
  init(_ iterator: Iterator) { self.iterator = iterator }
}

/// The loop of a source task.
@inlinable
func driveSource<Iterator: AsyncIteratorProtocol>(
  _ node: NodeRun, _ port: WriterPort<Iterator.Element>, supervision: Supervision, make: @Sendable () throws -> Iterator
) async where Iterator.Element: Sendable {
  let supervisor = Supervisor(supervision, node: node)
  while true {
    do {
      var iterator = try make()
      while let element = try await iterator.next(isolation: nil) {
        node.meter.recordCreated()
        node.showTaps(element)
        if !(await port.send(element)) { return port.finish(.cancelled) }
        supervisor.succeeded()
        if node.segment.isIntakeStopped { break }
      }
      return port.finish(.finished)
    } catch {
      // An interrupted source is a stopped one: what it yielded before flows on.
      if node.segment.isIntakeStopped {
        node.interrupted(by: error)
        return port.finish(.finished)
      }
      switch await supervisor.decide(error) {
      case .fail where node.segment.isIntakeStopped: return port.finish(.finished)
      case .fail: return port.finish(.failed(node.fail(error)))
      case .skip: return port.finish(.finished)
      case .retry, .restart: continue
      }
    }
  }
}

extension WriterPort {
  /// Sends one element, waiting for room. False when nobody reads any more.
  @inlinable
  nonisolated(nonsending) func send(_ element: Element) async -> Bool {
    while true {
      switch link.offer(element) {
      case .accepted: return true
      case .closed: return false
      case .full:
        segment.enterBlocked()
        await link.waitForRoom(weight: link.weigh?(element) ?? 0)
        segment.enterIdle()
      }
    }
  }
}
