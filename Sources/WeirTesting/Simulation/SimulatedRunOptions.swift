import Weir

extension Simulation {
  /// Options to run a graph of one's own in the simulation: its clock for everything that waits or measures. The executor
  /// is inherited, so leave that option alone.
  ///
  /// ```swift
  /// try simulate { simulation in try await blueprint.run(simulation.runOptions()) }
  /// ```
  /// - Parameters:
  ///   - chunkSize: most elements of a chunk.
  ///   - onLateError: told of failures that came too late for the run.
  public func runOptions(
    chunkSize: Int = 256, onLateError: (@Sendable (StageFailure) -> Void)? = nil
  ) -> RunOptions {
    let clock = self.clock
    let trace = TraceClock { UInt64(clamping: clock.now.offset.attoseconds / 1_000_000_000) &+ 1 }
    return RunOptions(
      clock: GraphClock(clock), trace: trace, executor: nil, chunkSize: chunkSize, onLateError: onLateError)
  }
}
