import Synchronization

/// Everything that belongs to one run of a blueprint. Gone when the run returns.
@usableFromInline
final class RunContext: Sendable {
  /// A link of the run, under the name that snapshots give it.
  struct NamedLink: Sendable {
    let name: String
    let link: any InspectableLink
  }

  private struct State {
    /// Given up at the end of the run: a segment knows its run.
    var segments: [Segment] = []
    /// What the clocks of the segments showed at the end of the run.
    var finalTimes: [(node: Int, times: NodeTimes)] = []
    var meters: [NodeMeter] = []
    var links: [NamedLink] = []
    var shared: [Int: any Sendable] = [:]
    var handles: [Int: any Sendable] = [:]
    var failure: StageFailure?
    var aborted = false
    var started = false
    var ended = false
    var intakeStopped = false
    var endWaiters: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    var nextWaiter: UInt64 = 0
    var onEnd: [@Sendable () -> Void] = []
    var onIntakeStop: [@Sendable () -> Void] = []
    var onBodyEnd: [@Sendable () -> Void] = []
    var ledgers: [SettlementLedger] = []
    /// Handles of kill switches that hang on a place in the graph.
    var places: Set<Int> = []
    var running = 0
  }

  let name: String
  @usableFromInline let nodes: [NodeDescription]
  @usableFromInline let edges: [EdgeDescription]
  private let cycleExits: Set<Int>
  @usableFromInline let options: RunOptions
  @usableFromInline let timers: TimerServiceBox
  let taps = TapRegistry()
  let deadLetters = DeadLetterBox()
  private let state = Mutex(State())

  var trace: TraceClock { options.trace }
  @usableFromInline var clock: GraphClock { options.clock }
  @usableFromInline var chunkSize: Int { options.chunkSize }

  init(name: String, nodes: [NodeDescription], edges: [EdgeDescription], cycleExits: Set<Int>, options: RunOptions) {
    self.name = name
    self.nodes = nodes
    self.edges = edges
    self.cycleExits = cycleExits
    self.options = options
    timers = TimerServiceBox(TimerService(clock: options.clock))
  }

  // MARK: Setting up

  /// The segment of a task that is about to be set up.
  @usableFromInline
  func newSegment() -> Segment { Segment(run: self) }

  func add(_ segment: Segment) { state.withLock { $0.segments.append(segment) } }
  func add(_ meter: NodeMeter) { state.withLock { $0.meters.append(meter) } }
  func add(_ ledger: SettlementLedger) { state.withLock { $0.ledgers.append(ledger) } }

  /// The value of a node that several outlets of it share, made once a run.
  @usableFromInline
  func shared<Value: Sendable>(_ node: Int, make: () -> Value) -> Value {
    if let value = state.withLock({ $0.shared[node] }) as? Value { return value }
    let value = make()
    state.withLock { $0.shared[node] = value }
    return value
  }

  func existing<Value: Sendable>(_ node: Int) -> Value? { state.withLock { $0.shared[node] } as? Value }

  /// Whether elements that pass a port leave a cycle there.
  @usableFromInline
  func leavesCycle(_ port: Int) -> Bool { cycleExits.contains(port) }

  @usableFromInline
  func setHandle(_ id: Int, _ value: any Sendable) { state.withLock { $0.handles[id] = value } }

  @usableFromInline
  func handle(_ id: Int) -> (any Sendable)? { state.withLock { $0.handles[id] } }

  func addPlace(_ handle: Int) { _ = state.withLock { $0.places.insert(handle) } }
  func hasPlaces(_ handle: Int) -> Bool { state.withLock { $0.places.contains(handle) } }

  /// Makes a link and lists it for snapshots.
  @usableFromInline
  func makeLink<Element: Sendable>(
    _ description: LinkDescription, node: Int, policy: OverflowPolicy<Element> = .wait,
    weigh: (@Sendable (Element) -> Int)? = nil, writers: Int = 1, readers: Int = 1, chunkSize: Int? = nil
  ) -> Link<Element> {
    let link = Link<Element>(
      limit: description.limit, policy: policy, weigh: weigh, chunkSize: chunkSize ?? self.chunkSize, writers: writers,
      readers: readers, clock: options.trace, name: nodes[node].name)
    link.overflow?.onOverflow.withLock { $0 = { [weak self] in self?.failed($0) } }
    adopt(link, as: description, node: node)
    return link
  }

  /// Lists a link for snapshots.
  @usableFromInline
  func adopt<Element: Sendable>(_ link: Link<Element>, as description: LinkDescription, node: Int) {
    link.rename(nodes[node].name)
    state.withLock { $0.links.append(NamedLink(name: description.name, link: link)) }
  }

  @usableFromInline
  func onEnd(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd.append(action) } }

  /// Registers how a source that has no task of its own is stopped.
  @usableFromInline
  func onIntakeStop(_ action: @escaping @Sendable () -> Void) {
    let stopped = state.withLock { state in
      if !state.intakeStopped { state.onIntakeStop.append(action) }
      return state.intakeStopped
    }
    if stopped { action() }
  }

  /// Registers what is to be done once the body of the run has returned or thrown.
  @usableFromInline
  func onBodyEnd(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onBodyEnd.append(action) } }

  func bodyEnded() {
    let actions = state.withLock { state in
      let actions = state.onBodyEnd
      state.onBodyEnd = []
      return actions
    }
    for action in actions { action() }
  }

  var segments: [Segment] { state.withLock { $0.segments } }

  // MARK: Ends

  var failure: StageFailure? { state.withLock { $0.failure } }
  var isEnded: Bool { state.withLock { $0.ended } }
  var wasAborted: Bool { state.withLock { $0.aborted } }

  /// A node has failed for good: the first failure is what the run throws; sources stop, and after the grace period
  /// whatever is still going is aborted.
  func failed(_ failure: StageFailure) {
    let first = state.withLock { state in
      if state.failure == nil && !state.aborted {
        state.failure = failure
        return true
      }
      return false
    }
    guard first else { return failedLate(failure) }
    stopIntake()
    timers.service.schedule(at: options.clock.now + min(options.failureGrace, .longest)) { [weak self] in self?.abort()
    }
  }

  /// A failure that no caller can receive any more.
  func failedLate(_ failure: StageFailure) { options.onLateError?(failure) }

  func stopIntake() {
    let (segments, actions) = state.withLock { state in
      state.intakeStopped = true
      let actions = state.onIntakeStop
      state.onIntakeStop = []
      return (state.segments, actions)
    }
    for segment in segments { segment.stopIntake() }
    for action in actions { action() }
  }

  func abort() {
    let segments: [Segment] = state.withLock { state in
      guard !state.ended else { return [] }
      state.aborted = true
      return state.segments
    }
    for segment in segments { segment.cancel() }
  }

  /// Announces the segments before any of them starts.
  func begin(_ segments: [Segment]) {
    state.withLock { $0.running = segments.count }
    deadLetters.expect(segments)
    if segments.isEmpty { end() }
  }

  func ended(_ segment: Segment) {
    deadLetters.ended(segment)
    let last = state.withLock { state in
      state.running -= 1
      return state.running == 0
    }
    if last { end() }
  }

  private func end() {
    let finalTimes = segments.flatMap { $0.nodeTimes() }
    let (segments, waiters, actions) = state.withLock { state in
      state.ended = true
      state.finalTimes = finalTimes
      let segments = state.segments
      state.segments = []
      let waiters = Array(state.endWaiters.values)
      state.endWaiters = [:]
      let actions = state.onEnd
      state.onEnd = []
      state.onIntakeStop = []
      state.shared = [:]
      return (segments, waiters, actions)
    }
    withExtendedLifetime(segments) {}
    for action in actions { action() }
    taps.close()
    timers.service.stop()
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until every segment has ended, whatever happens to the calling task.
  func waitForEnd() async { _ = await waitForEnd(until: nil, cancellable: false) }

  /// Waits until every segment has ended, `deadline` has passed, or (if `cancellable`) the calling task is cancelled.
  /// - Returns: whether the run has ended.
  func waitForEnd(until deadline: Duration?, cancellable: Bool) async -> Bool {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let timer = deadline.map { deadline in
      timers.service.schedule(at: deadline) { [weak self] in self?.wakeEndWaiter(id) }
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let ended = state.withLock { state in
          if !state.ended { state.endWaiters[id] = continuation }
          return state.ended
        }
        if ended {
          continuation.resume()
        } else if (cancellable && Task.isCancelled) || deadline.map({ clock.now >= $0 }) == true {
          // The handler or the timer may have looked before the waiter was there.
          wakeEndWaiter(id)
        }
      }
    } onCancel: {
      if cancellable { wakeEndWaiter(id) }
    }
    if let timer { timers.service.cancel(timer) }
    return isEnded
  }

  private func wakeEndWaiter(_ id: UInt64) {
    state.withLock { $0.endWaiters.removeValue(forKey: id) }?.resume()
  }

  // MARK: Looking in

  func snapshot() -> GraphSnapshot {
    let (segments, finalTimes, meters, links) = state.withLock {
      ($0.segments, $0.finalTimes, $0.meters, $0.links)
    }
    var snapshots = nodes.map { NodeSnapshot(name: $0.name, kind: $0.kind) }
    for meter in meters { meter.add(to: &snapshots[meter.node]) }
    for (node, times) in finalTimes { snapshots[node].add(times) }
    for segment in segments { for (node, times) in segment.nodeTimes() { snapshots[node].add(times) } }
    let now = trace.now()
    return GraphSnapshot(graph: name, nodes: snapshots, links: links.map { $0.link.snapshot(name: $0.name, now: now) })
  }

  var links: [NamedLink] { state.withLock { $0.links } }
  var meters: [NodeMeter] { state.withLock { $0.meters } }
  var ledgers: [SettlementLedger] { state.withLock { $0.ledgers } }
}

/// Keeps the timer service out of the inlinable surface.
@usableFromInline
struct TimerServiceBox: Sendable {
  let service: TimerService
  init(_ service: TimerService) { self.service = service }
}
