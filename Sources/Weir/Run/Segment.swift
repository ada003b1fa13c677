import Synchronization

/// One task of a run: the nodes between two links, driven by one loop.
///
/// It gathers its nodes and ports while the run is set up, by one thread, until it is sealed (``seal(isIntake:_:)``);
/// then it starts. Ending it is always done through its ports: closing an input tells upstream, finishing an output tells
/// downstream, and both wake the task if it is parked there.
@usableFromInline
final class Segment: LinkObserver {
  /// The running task, to be cancelled from elsewhere.
  ///
  /// Safety: only `cancel()` is called on it, which `UnsafeCurrentTask` allows from any task, and the task itself takes
  /// the handle out of the state, under the lock, before it ends, so the handle never outlives the task.
  private struct RunningTask: @unchecked Sendable {
    let task: UnsafeCurrentTask
  }

  private struct State {
    /// The task is cancelled at most once, by whoever sets this: its handlers may come back here.
    var cancelIssued = false
    var ended = false
    var cancelled = false
    var intakeStopped = false
    /// Whether the task waits for a source outside the graph, so that a drain has to interrupt it.
    var isIntake = false
    var openOutputs: Int32 = 0
    var inputs = Few<any SegmentPort>()
    var outputs = Few<any SegmentPort>()
    /// What the task does; given up when it starts, so that a finished run keeps nothing alive.
    var body: (any SegmentBody)?

    mutating func issueCancel() -> Bool {
      defer { cancelIssued = true }
      return !cancelIssued
    }

    mutating func takePorts() -> [any SegmentPort] { inputs.takeAll() + outputs.takeAll() }
  }

  let run: RunContext
  private let clock: SegmentClock
  private let state = Mutex(State())
  /// Held while the task is being cancelled, so that it cannot end meanwhile. Taken by the one who set `cancelIssued`
  /// and by the task itself, hence never twice by one thread.
  private let running = Mutex<RunningTask?>(nil)
  /// Whether the intake was stopped or the task cancelled: lets sources look between elements without the lock.
  private let halted = Atomic<Bool>(false)
  /// Nodes of the task, upstream first.
  ///
  /// Safety: filled by the thread that sets the run up, before the task that reads it starts and before the run lists the
  /// segment; starting a task publishes what was written before. For the same reason no access needs to be checked.
  @exclusivity(unchecked) nonisolated(unsafe) private(set) var meters = Few<NodeMeter>()

  init(run: RunContext) {
    self.run = run
    clock = SegmentClock(trace: run.trace)
  }

  @usableFromInline var runContext: RunContext { run }

  // MARK: Setting up

  /// Adds a node to the task, upstream first.
  @usableFromInline
  func addNode(_ node: Int) -> NodeRun {
    let meter = NodeMeter(node: node, place: meters.count)
    meters.append(meter)
    run.add(meter)
    return NodeRun(segment: self, meter: meter)
  }

  /// Registers a port, or whatever else has to hear of it when the task is cancelled.
  @usableFromInline
  func add(_ port: any SegmentPort) {
    state.withLock { state in
      if port.isOutput { state.outputs.append(port) } else { state.inputs.append(port) }
    }
  }

  /// Registers what is to be done when the task is cancelled.
  @usableFromInline
  func addCloser(_ close: @escaping @Sendable () -> Void) { add(ClosingAction(close)) }

  /// Completes the task of this segment and hands it to the run.
  @usableFromInline
  func seal(isIntake: Bool = false, body: @escaping @Sendable () async -> Void) {
    seal(isIntake: isIntake, SegmentClosure(body))
  }

  /// Completes the task of this segment and hands it to the run.
  @usableFromInline
  func seal(isIntake: Bool = false, _ body: any SegmentBody) {
    let ports = state.withLock { state in
      state.isIntake = isIntake
      state.openOutputs = Int32(clamping: state.outputs.count)
      state.body = body
      return state.inputs.array + state.outputs.array
    }
    for port in ports { port.sealed(in: self) }
    run.add(self)
  }

  // MARK: Running

  /// Runs the segment in the calling task. Whoever starts it tells it of the cancellation of that task, with
  /// ``taskCancelled()``.
  nonisolated(nonsending) func perform() async {
    if let body = begin() {
      await body.run()
    } else {
      closePorts()
    }
    finish()
    run.ended(self)
  }

  /// - Returns: what the task does; nil when it was cancelled before it started.
  private func begin() -> (any SegmentBody)? {
    let handle = withUnsafeCurrentTask { task in task.map(RunningTask.init) }
    running.withLock { $0 = handle }
    let (body, mayRun, interrupted) = state.withLock { state in
      let body = state.body
      state.body = nil
      return (body, !state.cancelled, state.cancelIssued)
    }
    if interrupted { handle?.task.cancel() }
    return mayRun ? body : nil
  }

  private func finish() {
    running.withLock { $0 = nil }
    let ports = state.withLock { state in
      state.ended = true
      return state.takePorts()
    }
    withExtendedLifetime(ports) { clock.stop(meters) }
  }

  // MARK: Clock

  /// From now on the node of `meter` works. Returns the stamp.
  @discardableResult
  func enterBusy(_ meter: NodeMeter) -> UInt64 { clock.enterBusy(meter.place, meters) }
  @usableFromInline func enterIdle() { clock.enterIdle(meters) }
  @usableFromInline func enterBlocked() { clock.enterBlocked(meters) }

  var now: UInt64 { clock.now }

  /// Times of its nodes, upstream first, each with the node's index in the blueprint.
  func nodeTimes() -> [(node: Int, times: NodeTimes)] {
    let meters = meters.array
    return Array(zip(meters.map(\.node), clock.times(meters)))
  }

  // MARK: Stopping

  /// Whether the intake was told to stop, for sources that look between chunks.
  @usableFromInline var isIntakeStopped: Bool { halted.load(ordering: .acquiring) }

  /// Whether this is the task of a source that a drain has interrupted.
  var isSourceStopped: Bool { isIntakeStopped && state.withLock { $0.isIntake } }

  /// Whether the task as a whole was told to stop.
  var isCancelled: Bool { state.withLock { $0.cancelled } }

  var hasEnded: Bool { state.withLock { $0.ended } }

  /// Interrupts the source in this task; what it has delivered flows on.
  func stopIntake() {
    let issue = state.withLock { state in
      guard !state.ended, !state.intakeStopped else { return false }
      state.intakeStopped = true
      halted.store(true, ordering: .releasing)
      return state.isIntake && state.issueCancel()
    }
    if issue { running.withLock { $0?.task.cancel() } }
  }

  /// Stops the task: its inputs are closed, its outputs end as cancelled.
  func cancel() {
    let (first, issue) = state.withLock { state in
      let first = !state.cancelled && !state.ended
      state.cancelled = true
      halted.store(true, ordering: .releasing)
      return (first, first && state.issueCancel())
    }
    guard first else { return }
    closePorts()
    if issue { running.withLock { $0?.task.cancel() } }
  }

  /// A reader of one of the outputs has left; when all have, nothing more is wanted of this task.
  @usableFromInline
  func linkClosed() {
    let none = state.withLock { state in
      state.openOutputs -= 1
      return state.openOutputs <= 0
    }
    if none { cancel() }
  }

  /// The task of the whole run was cancelled, and with it this one.
  func taskCancelled() {
    state.withLock { state in
      state.cancelled = true
      halted.store(true, ordering: .releasing)
    }
    closePorts()
  }

  private func closePorts() {
    for port in state.withLock({ $0.takePorts() }) { port.segmentCancelled() }
  }
}
