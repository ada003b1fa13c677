import Synchronization

/// The two ports of a feedback node: what flows into the cycle, and where it comes back.
@frozen
public struct FeedbackPorts<Element: Sendable>: ~Copyable {
  /// What comes from outside and what has come back, the latter first.
  public let outlet: Outlet<Element>
  /// Where the cycle closes: pass it to ``Outlet/feed(_:)``.
  public let inlet: FeedbackInlet<Element>
}

/// The open end of a cycle: a port that takes elements back to its feedback node.
@frozen
public struct FeedbackInlet<Element: Sendable>: ~Copyable {
  let builder: GraphBuilder
  let node: Int
  let port: Int
}

extension GraphBuilder {
  /// The one way to build a cycle: elements that are fed back to ``FeedbackPorts/inlet`` leave again, before new ones.
  ///
  /// Emits what comes back, else what comes from outside; waits when downstream does; finishes when the outside has
  /// ended and nothing is left in the cycle, which it knows because every element in the cycle is followed; cancels the
  /// outside when downstream leaves. A stage in the cycle must not hold elements until the end (use timed batches
  /// there): the end would wait for them. No more elements are let in than the way back holds (256 where it limits bytes
  /// alone), so a cycle cannot fill its own links; one that multiplies its elements can: give the way back a dropping
  /// policy there. Memory: two links, and a token for each element inside.
  /// - Parameters:
  ///   - limit: limit of the way back, and of the way in.
  ///   - policy: what happens when the way back is full.
  public func feedback<Element: Sendable>(
    _ name: String, _ outside: consuming Outlet<Element>, limit: LinkLimit = .standard,
    policy: OverflowPolicy<Element> = .wait, file: StaticString = #fileID, line: UInt = #line
  ) -> FeedbackPorts<Element> {
    let location = SourceLocation(file, line)
    let node = addNode(
      name, .feedback, "feedback", location, holds: limit.holding(2), traits: NodeTraits(isFeedback: true))
    outside.connect(to: node)
    let wayIn = link("\(name).in", limit, "wait", written: false, location)
    let wayBack = link("\(name).back", limit, policy.name, written: false, location)
    let make = outside.make
    let outlet = Outlet<Element>(self, node, location) { segment in
      let run = segment.runContext
      let cycle = Cycle<Element>.of(node, in: run, wayBack, policy: policy)
      segment.addCloser { cycle.bell.ring() }
      let entry: Link<Element> = run.makeLink(wayIn, node: node)
      let upstream = run.newSegment()
      let reader = make(upstream)
      let writer = WriterPort(entry, segment: upstream)
      upstream.addCloser { cycle.monitor.close() }
      upstream.seal { await enter(reader, writer, cycle) }
      let inputs = [ReaderPort(cycle.link, segment: segment), ReaderPort(entry, segment: segment)]
      return PriorityState(inputs, bell: cycle.bell, share: .max, node: segment.addNode(node)).reader
    }
    let open = openPort(node, leg: "back", location)
    feedbackPolicies[node] = { run in _ = Cycle<Element>.of(node, in: run, wayBack, policy: policy) }
    return FeedbackPorts(outlet: outlet, inlet: FeedbackInlet(builder: self, node: node, port: open))
  }
}

extension Outlet {
  /// Closes a cycle: elements go back to the feedback node of the inlet.
  public consuming func feed(_ inlet: consuming FeedbackInlet<Element>) {
    let node = inlet.node
    let builder = inlet.builder
    builder.ports[inlet.port].consumed = true
    connect(to: node, in: builder)
    let make = self.make
    let prepare = builder.feedbackPolicies[node]
    builder.addRoot { run in
      prepare?(run)
      let segment = run.newSegment()
      let reader = make(segment)
      guard let cycle = Cycle<Element>.existing(node, in: run) else { return }
      let writer = WriterPort(cycle.link, segment: segment)
      segment.seal { await pumpRinging(reader, into: writer, bell: cycle.bell) }
    }
  }
}

/// One cycle in one run: the way back, and the count of elements inside.
final class Cycle<Element: Sendable>: Sendable {
  let link: Link<Element>
  let bell = Bell()
  let monitor: CycleMonitor

  private init(_ link: Link<Element>) {
    self.link = link
    monitor = CycleMonitor(capacity: link.limit.elements ?? LinkLimit.mostInCycle) { [bell] in
      link.shutdown()
      bell.ring()
    }
  }

  static func of(
    _ node: Int, in run: RunContext, _ description: LinkDescription, policy: OverflowPolicy<Element>
  ) -> Cycle<Element> {
    run.shared(node) { Cycle(run.makeLink(description, node: node, policy: policy)) }
  }

  static func existing(_ node: Int, in run: RunContext) -> Cycle<Element>? { run.existing(node) }
}

/// Knows when a cycle has run empty: nothing more comes from outside, and no element is inside.
final class CycleMonitor: Sendable {
  private struct State {
    var inside = 0
    var outsideEnded = false
    var closed = false
    var waiting: UnsafeContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let onEmpty: @Sendable () -> Void

  /// - Parameter capacity: most elements to let in. No more than the way back holds: then it is never full, whatever goes
  ///   round, and the cycle cannot block itself.
  init(capacity: Int, onEmpty: @escaping @Sendable () -> Void) {
    self.capacity = capacity
    self.onEmpty = onEmpty
  }

  func entered(_ number: Int) { state.withLock { $0.inside += number } }

  func left() {
    change { $0.inside -= 1 }
    wake { $0.inside < capacity }
  }

  /// Waits until an element may come in. Called by one task.
  /// - Returns: how many may; 0 when the task is to end.
  func room() async -> Int {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let ready = state.withLock { state in
        if state.closed || state.inside < capacity { return true }
        state.waiting = continuation
        return false
      }
      if ready { continuation.resume() }
    }
    return state.withLock { $0.closed ? 0 : max(1, capacity - $0.inside) }
  }

  /// Lets nothing more in.
  func close() {
    state.withLock { $0.closed = true }
    wake { _ in true }
  }

  private func wake(_ condition: (State) -> Bool) {
    state.withLock { state in
      guard condition(state) else { return nil as UnsafeContinuation<Void, Never>? }
      return state.waiting.take()
    }?.resume()
  }

  func outsideEnded() { change { $0.outsideEnded = true } }

  private func change(_ change: (inout State) -> Void) {
    let empty = state.withLock { state in
      change(&state)
      return state.outsideEnded && state.inside == 0
    }
    if empty { onEmpty() }
  }
}

/// Moves elements from outside into the cycle, giving each a token that follows it as long as it is inside.
private func enter<Element: Sendable>(
  _ reader: ChunkReader<Element>, _ writer: WriterPort<Element>, _ cycle: Cycle<Element>
) async {
  let tagged = ChunkReader<Element>(
    pull: { (out, limit) async throws(PortInterruption) in
      writer.segment.enterBlocked()
      let room = await cycle.monitor.room()
      if room == 0 { throw .cancelled }
      guard try await reader.pull(&out, min(limit, room)) else { return false }
      cycle.monitor.entered(out.count)
      out.mapTokens { Settlement(cycle: cycle.monitor, parent: $0) }
      return true
    },
    close: reader.close)
  await pumpRinging(tagged, into: writer, bell: cycle.bell)
  cycle.monitor.outsideEnded()
  cycle.bell.ring()
}
