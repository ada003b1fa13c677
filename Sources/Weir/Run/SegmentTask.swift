import Synchronization

/// One task of a run: the nodes between two links, driven by one loop.
///
/// Ending it is always done through its ports: closing an input tells upstream, finishing an output tells downstream,
/// and both wake the task if it is parked there.
@usableFromInline
final class SegmentTask: LinkObserver {
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
    var openOutputs = 0
    var ports: [any SegmentPort] = []
    /// What the task does; given up when it starts, so that a finished run keeps nothing alive.
    var body: (any SegmentBody)?

    mutating func issueCancel() -> Bool {
      defer { cancelIssued = true }
      return !cancelIssued
    }
  }

  let name: String
  let clock: SegmentClock
  /// Whether the task waits for a source outside the graph, so that a drain has to interrupt it.
  let isIntake: Bool
  private let state: Mutex<State>
  /// Whether the intake was stopped or the task cancelled: lets sources look between elements without the lock.
  private let halted = Atomic<Bool>(false)
  /// Held while the task is being cancelled, so that it cannot end meanwhile. Taken by the one who set `cancelIssued`
  /// and by the task itself, hence never twice by one thread.
  private let running = Mutex<RunningTask?>(nil)

  init(
    name: String, clock: SegmentClock, isIntake: Bool, outputs: Int, closers: [any SegmentPort],
    body: any SegmentBody
  ) {
    self.name = name
    self.clock = clock
    self.isIntake = isIntake
    var initial = State()
    initial.openOutputs = outputs
    initial.ports = closers
    initial.body = body
    state = Mutex(initial)
  }

  /// Runs the segment in the calling task. Whoever starts it tells it of the cancellation of that task, with
  /// ``taskCancelled()``.
  nonisolated(nonsending) func run() async {
    if let body = begin() {
      await body.run()
    } else {
      closePorts()
    }
    finish()
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
    state.withLock { state in
      state.ended = true
      state.ports = []
    }
    clock.stop()
  }

  /// Whether the intake was told to stop, for sources that look between chunks.
  var isIntakeStopped: Bool { halted.load(ordering: .acquiring) }

  /// Whether the task as a whole was told to stop.
  var isCancelled: Bool { state.withLock { $0.cancelled } }

  var hasEnded: Bool { state.withLock { $0.ended } }

  /// Interrupts the source in this task; what it has delivered flows on.
  func stopIntake() {
    let issue = state.withLock { state in
      guard !state.ended, !state.intakeStopped else { return false }
      state.intakeStopped = true
      halted.store(true, ordering: .releasing)
      return isIntake && state.issueCancel()
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
    let ports = state.withLock { state in
      let ports = state.ports
      state.ports = []
      return ports
    }
    for port in ports { port.segmentCancelled() }
  }
}
