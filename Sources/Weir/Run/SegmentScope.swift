import Synchronization

/// Gathers the nodes and ports of one task while a run is being set up, and afterwards moves its clock.
///
/// Filled by one thread before the task starts (``seal(isIntake:name:body:)``), read-only from then on.
@usableFromInline
final class SegmentScope: Sendable {
  private struct Draft {
    var meters: [NodeMeter] = []
    var closers: [any SegmentPort] = []
    var outputs = 0
    var segment: SegmentTask?
    var clock: SegmentClock?
  }

  let run: RunContext
  private let draft = Mutex(Draft())
  private let sealed = SealedSegment()

  init(run: RunContext) { self.run = run }

  @usableFromInline var runContext: RunContext { run }

  /// Adds a node to the task, upstream first.
  @usableFromInline
  func addNode(_ node: Int) -> NodeRun {
    let meter = NodeMeter(node: node)
    let index = draft.withLock { draft in
      draft.meters.append(meter)
      return draft.meters.count - 1
    }
    run.add(meter)
    return NodeRun(scope: self, meter: meter, index: index, name: run.nodes[node].name)
  }

  /// Registers a port, or whatever else has to hear of it when the task is cancelled.
  @usableFromInline
  func add(_ port: any SegmentPort) {
    draft.withLock { draft in
      draft.closers.append(port)
      if port.isOutput { draft.outputs += 1 }
    }
  }

  /// Registers what is to be done when the task is cancelled.
  @usableFromInline
  func addCloser(_ close: @escaping @Sendable () -> Void) { add(ClosingAction(close)) }

  /// Makes the task of this segment and hands it to the run.
  @usableFromInline
  func seal(isIntake: Bool = false, name: String, body: @escaping @Sendable () async -> Void) {
    seal(isIntake: isIntake, name: name, SegmentClosure(body))
  }

  /// Makes the task of this segment and hands it to the run.
  @usableFromInline
  func seal(isIntake: Bool = false, name: String, _ body: any SegmentBody) {
    let (segment, ports) = draft.withLock { draft in
      let clock = SegmentClock(trace: run.trace, meters: draft.meters)
      let segment = SegmentTask(
        name: name, clock: clock, isIntake: isIntake, outputs: draft.outputs, closers: draft.closers, body: body)
      sealed.fill(clock, segment)
      let ports = draft.closers
      draft = Draft()
      return (segment, ports)
    }
    for port in ports { port.sealed(in: segment) }
    run.add(segment)
  }

  var clock: SegmentClock? { sealed.clock }
  var segment: SegmentTask? { sealed.segment }

  /// Whether this is the task of a source that a drain has interrupted.
  var isSourceStopped: Bool { segment.map { $0.isIntake && $0.isIntakeStopped } ?? false }

  @usableFromInline var isIntakeStopped: Bool { segment?.isIntakeStopped ?? false }

  @usableFromInline func enterIdle() { clock?.enterIdle() }
  @usableFromInline func enterBlocked() { clock?.enterBlocked() }
}

/// What a task of a run does. An object, since a closure that passes through generic code is wrapped once more each time.
@usableFromInline
protocol SegmentBody: AnyObject, Sendable {
  nonisolated(nonsending) func run() async
}

/// A closure as the body of a task.
private final class SegmentClosure: SegmentBody {
  private let body: @Sendable () async -> Void
  init(_ body: @escaping @Sendable () async -> Void) { self.body = body }
  nonisolated(nonsending) func run() async { await body() }
}

/// One end of a link that a task of a run owns.
@usableFromInline
protocol SegmentPort: AnyObject, Sendable {
  /// Whether the task writes here.
  var isOutput: Bool { get }
  /// The task is complete and will start.
  func sealed(in segment: SegmentTask)
  /// The task was cancelled: nothing more passes.
  func segmentCancelled()
}

/// Something else that has to hear of the cancellation of a task.
private final class ClosingAction: SegmentPort {
  private let action: @Sendable () -> Void
  init(_ action: @escaping @Sendable () -> Void) { self.action = action }
  var isOutput: Bool { false }
  func sealed(in segment: SegmentTask) {}
  func segmentCancelled() { action() }
}

/// The clock and the task of a sealed scope, readable without a lock.
private final class SealedSegment: @unchecked Sendable {
  // Safety: filled once, by the thread that sets the run up, before the task that reads it is started; starting a task
  // publishes what was written before. Behind a pointer so that each look costs a load and no exclusivity check.
  private let values: UnsafeMutablePointer<(clock: SegmentClock, segment: SegmentTask)?>

  init() {
    values = .allocate(capacity: 1)
    values.initialize(to: nil)
  }

  deinit {
    values.deinitialize(count: 1)
    values.deallocate()
  }

  func fill(_ clock: SegmentClock, _ segment: SegmentTask) { values.pointee = (clock, segment) }

  var clock: SegmentClock? { values.pointee?.clock }
  var segment: SegmentTask? { values.pointee?.segment }
}

/// A node inside its task: its meter, its place in the task's clock, its name for failures.
@frozen
@usableFromInline
struct NodeRun: Sendable {
  @usableFromInline let scope: SegmentScope
  @usableFromInline let meter: NodeMeter
  @usableFromInline let index: Int
  @usableFromInline let name: String

  @usableFromInline
  init(scope: SegmentScope, meter: NodeMeter, index: Int, name: String) {
    self.scope = scope
    self.meter = meter
    self.index = index
    self.name = name
  }

  /// From now on this node works. Returns the stamp.
  @usableFromInline
  @discardableResult
  func enter() -> UInt64 { scope.clock?.enterBusy(index) ?? 0 }

  /// The stamp of now, without moving the clock on.
  @usableFromInline var now: UInt64 { scope.clock?.now ?? 0 }

  /// Whether the task of the node was told to stop.
  @usableFromInline var isCancelled: Bool { scope.segment?.isCancelled == true }

  /// Wraps what the node threw, and tells the run; or its observer, when nobody wants anything of the task any more.
  @usableFromInline
  func fail(_ error: any Error) -> StageFailure {
    let failure = (error as? StageFailure) ?? StageFailure(node: name, cause: error)
    if scope.segment?.isCancelled == true {
      scope.run.failedLate(failure)
    } else {
      scope.run.failed(failure)
    }
    return failure
  }

  /// A source threw after it had been told to stop: no failure of the run, but not silent either.
  @usableFromInline
  func interrupted(by error: any Error) {
    if !(error is CancellationError) { scope.run.failedLate(StageFailure(node: name, cause: error)) }
  }
}
