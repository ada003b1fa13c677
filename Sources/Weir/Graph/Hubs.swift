import Synchronization

/// Delivers what a running graph emits to subscribers that come and go.
///
/// A subscriber gets everything emitted after ``subscribe(policy:)`` has returned, and nothing from before. Its
/// policy says what happens when it is slow: with `wait` it gates the hub, with a dropping policy only it loses, and its
/// subscription counts what. A hub outlives its graphs: several may feed it, at once or one after another.
///
/// Memory: one link for each subscriber.
public final class BroadcastHub<Element: Sendable>: Sendable {
  private struct State {
    var links: [UInt64: Link<Element>] = [:]
    var next: UInt64 = 0
    var closed = false
  }

  private let state = Mutex(State())

  /// A hub without subscribers.
  public init() {}

  /// Number of subscribers now.
  public var subscribers: Int { state.withLock { $0.links.count } }

  /// Joins the hub with the standard limit; complete when it returns.
  public func subscribe(policy: OverflowPolicy<Element> = .wait) -> HubSubscription<Element> {
    join(Link(policy: policy, name: "subscription of a hub"))
  }

  /// Joins the hub; complete when it returns.
  /// - Throws: ``StageFaults`` when the limit can never admit an element: the hub is not joined.
  public func subscribe(
    limit: LinkLimit, policy: OverflowPolicy<Element> = .wait, weigh: (@Sendable (Element) -> Int)? = nil
  ) throws(StageFaults) -> HubSubscription<Element> {
    try StageFaults.check(Self.self, limit.faults)
    return join(Link(limit: limit, policy: policy, weigh: weigh, name: "subscription of a hub"))
  }

  private func join(_ link: Link<Element>) -> HubSubscription<Element> {
    let (id, closed) = state.withLock { state in
      state.next += 1
      if !state.closed { state.links[state.next] = link }
      return (state.next, state.closed)
    }
    if closed { link.finish() }
    link.onClosed.withLock { $0.append(Departure { [weak self] in self?.leave(id) }) }
    return HubSubscription(link: link)
  }

  /// Ends every subscription after what waits in it, and refuses new ones.
  public func close() {
    let links = state.withLock { state in
      state.closed = true
      let links = state.links.values.map { $0 }
      state.links = [:]
      return links
    }
    for link in links { link.finish() }
  }

  /// Gives an element to every subscriber, waiting for those whose policy is `wait`.
  public func publish(_ element: Element) async {
    for link in state.withLock({ $0.links.sorted { $0.key < $1.key }.map(\.value) }) { await link.send(element) }
  }

  private func leave(_ id: UInt64) {
    _ = state.withLock { $0.links.removeValue(forKey: id) }
  }

  /// - Returns: whether every subscriber got it; false when the publishing task was cancelled meanwhile.
  fileprivate func publish(_ chunk: borrowing Chunk<Element>, from node: NodeRun) async -> Bool {
    for link in state.withLock({ $0.links.sorted { $0.key < $1.key }.map(\.value) }) {
      var copy = Chunk<Element>()
      chunk.visit { copy.append($0) }
      while !copy.isEmpty {
        switch link.offer(&copy) {
        case .accepted: continue
        case .closed: copy.removeAll()
        case .full:
          node.segment.enterBlocked()
          guard await link.waitForRoomOrCancellation(weight: link.weightOfFirst(copy)) else { return false }
        }
      }
    }
    return true
  }
}

/// What is done when a subscriber has left.
private final class Departure: LinkObserver {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  func linkClosed() { action() }
}

/// One subscriber's end of a hub: an AsyncSequence with one iterator. Letting it go leaves the hub.
public struct HubSubscription<Element: Sendable>: AsyncSequence, Sendable {
  private final class Lease: Sendable {
    let link: Link<Element>
    init(link: Link<Element>) { self.link = link }
    deinit { link.closeReader() }
  }

  private let lease: Lease

  init(link: Link<Element>) { lease = Lease(link: link) }

  /// Elements this subscriber lost to its own policy.
  public var dropped: UInt64 { lease.link.counters.overflowed + lease.link.counters.expired }

  /// Elements waiting.
  public var depth: Int { lease.link.depth }

  /// Leaves the hub at once.
  public func cancel() { lease.link.closeReader() }

  public func makeAsyncIterator() -> OutletSequence<Element>.Iterator {
    OutletSequence<Element>.Iterator(lease.link, keeping: lease)
  }
}

/// Collects from producers that come and go, into a running graph.
///
/// The graph's source ends when the hub is closed and every producer has finished or gone. Memory: the limit.
public final class MergeHub<Element: Sendable>: Sendable {
  private struct State {
    var producers = 0
    var closed = false
    var attached = false
  }

  @usableFromInline let link: Link<Element>
  /// What is wrong with the limit: a fault of the blueprint that the hub feeds.
  @usableFromInline let fault: String?
  private let state = Mutex(State())

  /// A hub without producers; the limit and policy are those of the link to the graph. A limit that can never admit an
  /// element is a fault of the blueprint in which the hub is a source.
  public init(
    limit: LinkLimit = .standard, policy: OverflowPolicy<Element> = .wait, weigh: (@Sendable (Element) -> Int)? = nil
  ) {
    fault = limit.fault
    link = Link(limit: fault == nil ? limit : .standard, policy: policy, weigh: weigh, writers: .max)
  }

  /// Joins the hub; complete when it returns. A producer of a closed hub can send nothing.
  public func producer() -> HubProducer<Element> {
    let open = state.withLock { state in
      if !state.closed { state.producers += 1 }
      return !state.closed
    }
    return HubProducer(hub: self, open: open)
  }

  /// Lets present producers go on, refuses new ones, and ends the source when the last has gone.
  public func close() {
    state.withLock { $0.closed = true }
    finishIfDone()
  }

  fileprivate func left() {
    state.withLock { $0.producers -= 1 }
    finishIfDone()
  }

  private func finishIfDone() {
    if state.withLock({ $0.closed && $0.producers == 0 }) { link.shutdown() }
  }

  /// A hub can feed one source at a time.
  @usableFromInline
  func attach() -> Bool {
    state.withLock { state in
      defer { state.attached = true }
      return !state.attached
    }
  }
}

/// One producer's end of a hub. Letting it go is the same as ``finish()``.
public final class HubProducer<Element: Sendable>: Sendable {
  @usableFromInline let hub: MergeHub<Element>
  @usableFromInline let done: Atomic<Bool>

  fileprivate init(hub: MergeHub<Element>, open: Bool) {
    self.hub = hub
    done = Atomic(!open)
  }

  deinit { finish() }

  /// Sends an element, waiting for room.
  /// - Returns: false when the graph has left, this producer has finished, or the calling task was cancelled: the
  ///   element was not sent.
  @inlinable
  @discardableResult
  public nonisolated(nonsending) func send(_ element: Element) async -> Bool {
    if done.load(ordering: .relaxed) { return false }
    return await hub.link.send(element)
  }

  /// Leaves the hub. Doing it again does nothing.
  public func finish() {
    if !done.exchange(true, ordering: .acquiringAndReleasing) { hub.left() }
  }
}

/// A hub was given to a second source, or to a second run.
public struct HubInUse: CodedError, CustomStringConvertible {
  public let code = "hub-in-use"
  /// Name of the source node.
  public let node: String

  @usableFromInline
  init(node: String) { self.node = node }

  public var description: String { "the merge hub of \"\(node)\" already feeds a graph; make one hub for each run" }
}

extension GraphBuilder {
  /// A source fed by the producers of a hub, read in the task of its consumer.
  ///
  /// Emits what they send; finishes when the hub is closed and all have left; fails with ``HubInUse`` in a second run;
  /// a drain ends it after what waits. Memory: the hub's limit.
  @inlinable
  public func source<Element: Sendable>(
    _ name: String, _ hub: MergeHub<Element>, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<Element> {
    let location = SourceLocation(file, line)
    if let fault = hub.fault { addLimitFault(name, fault, location) }
    let node = addNode(name, .source, "hub", location)
    let link = link(name, hub.link.limit, hub.link.policyName, written: false, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let source = segment.addNode(node)
      guard hub.attach() else {
        let refused: Link<Element> = run.makeLink(link, node: node)
        refused.fail(StageFailure(node: name, cause: HubInUse(node: name)))
        return ReaderPort(refused, segment: segment, counting: source)
      }
      run.adopt(hub.link, as: link, node: node)
      // A drain: what has been accepted still counts.
      run.onIntakeStop { [link = hub.link] in link.shutdown() }
      return ReaderPort(hub.link, segment: segment, counting: source)
    }
  }
}

extension Outlet {
  /// Ends here: gives every element to the subscribers of a hub.
  ///
  /// Waits while a subscriber with the policy `wait` is full; finishes when its input does; the hub stays open.
  public consuming func sink(
    _ name: String, _ hub: BroadcastHub<Element>, file: StaticString = #fileID, line: UInt = #line
  ) {
    let location = SourceLocation(file, line)
    let node = builder.addNode(name, .sink, "hub", location)
    connect(to: node)
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let counter = segment.addNode(node)
      segment.seal {
        _ = await drive(reader, limit: run.chunkSize) { (chunk) async -> Bool in
          counter.consume(chunk.count)
          let published = await hub.publish(chunk, from: counter)
          chunk.settleAll(published ? .stored : .abandoned)
          return true
        }
      }
    }
  }
}
