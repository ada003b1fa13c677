/// A node inside its task: its meter, and the task whose clock it moves.
@frozen
@usableFromInline
struct NodeRun: Sendable {
  @usableFromInline let segment: Segment
  @usableFromInline let meter: NodeMeter

  @usableFromInline
  init(segment: Segment, meter: NodeMeter) {
    self.segment = segment
    self.meter = meter
  }

  /// The name for failures.
  @usableFromInline var name: String { segment.run.nodes[meter.node].name }

  /// From now on this node works. Returns the stamp.
  @usableFromInline
  @discardableResult
  func enter() -> UInt64 { segment.enterBusy(meter) }

  /// The stamp of now, without moving the clock on.
  @usableFromInline var now: UInt64 { segment.now }

  /// Whether the task of the node was told to stop.
  @usableFromInline var isCancelled: Bool { segment.isCancelled }

  /// Wraps what the node threw, and tells the run; or its observer, when nobody wants anything of the task any more.
  @usableFromInline
  func fail(_ error: any Error) -> StageFailure {
    let failure = (error as? StageFailure) ?? StageFailure(node: name, cause: error)
    if isCancelled {
      segment.run.failedLate(failure)
    } else {
      segment.run.failed(failure)
    }
    return failure
  }

  /// A source threw after it had been told to stop: no failure of the run, but not silent either.
  @usableFromInline
  func interrupted(by error: any Error) {
    if !(error is CancellationError) { segment.run.failedLate(StageFailure(node: name, cause: error)) }
  }
}
