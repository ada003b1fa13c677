/// How a blueprint is run.
public struct RunOptions: Sendable {
  /// Time of the timed nodes, deadlines and backoffs.
  public var clock: GraphClock
  /// Stamps of the always-on tracing.
  public var trace: TraceClock
  /// Where the tasks of the run execute; nil for the executor of the calling task.
  public var executor: (any TaskExecutor)?
  /// Most elements a chunk inside the graph holds, 1 or more.
  public var chunkSize: Int
  /// How long the rest of the graph may go on after a node has failed for good, before it is aborted.
  public var failureGrace: Duration
  /// Called with failures that no caller can receive any more: a stage that throws after its consumer has left, a
  /// second failure of the same run. Never called under a lock.
  public var onLateError: (@Sendable (StageFailure) -> Void)?

  /// Options with the system's clocks, the caller's executor, and chunks of up to 256 elements, unless said.
  public init(
    clock: GraphClock = .continuous, trace: TraceClock = .monotonic, executor: (any TaskExecutor)? = nil,
    chunkSize: Int = 256, failureGrace: Duration = .seconds(5), onLateError: (@Sendable (StageFailure) -> Void)? = nil
  ) {
    self.clock = clock
    self.trace = trace
    self.executor = executor
    self.chunkSize = chunkSize
    self.failureGrace = failureGrace
    self.onLateError = onLateError
  }
}
