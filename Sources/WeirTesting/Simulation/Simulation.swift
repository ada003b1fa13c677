/// The handle of a simulated run, given to the root task.
public struct Simulation: Sendable {
  /// The executor that runs everything; pass it to components that start tasks of their own.
  public let executor: SeededExecutor

  /// The seed that fixes the run.
  public var seed: UInt64 { executor.seed }

  /// The virtual clock; inject it wherever code takes `any Clock<Duration>`.
  public var clock: VirtualClock { executor.clock }

  init(executor: SeededExecutor) {
    self.executor = executor
  }

  /// A generator for the test's own data, unrelated to the order of jobs. Streams of different names are unrelated too,
  /// so each task can have its own, and its data do not depend on the interleaving.
  public func generator(_ stream: String = "") -> SeededGenerator {
    SeededGenerator(seed: seed, stream: "data." + stream)
  }

  /// Waits until everyone else has done all that can be done without time passing: no job is ready and no external work is
  /// pending. Time does not move meanwhile.
  public func settle() async {
    await executor.settle()
  }

  /// Moves virtual time forward by `duration`, stopping at each deadline on the way until everyone has settled, so that sleeps
  /// begun by woken tasks are honoured too. A negative duration counts as zero.
  public func advance(by duration: Duration) async {
    let target = clock.now.advanced(by: duration)
    await settle()
    while let deadline = clock.nextDeadline, deadline <= target {
      clock.advance(to: deadline)
      await settle()
    }
    clock.advance(to: target)
  }

  /// Ends the run with an error unless `condition` holds. Unlike an expectation of a test library it stops the run, so that a
  /// sweep names the seed, and it records nothing by itself.
  ///
  /// - Throws: ``RequirementFailure``.
  public func require(
    _ condition: Bool, _ message: @autoclosure () -> String = "", fileID: String = #fileID, line: Int = #line
  ) throws(RequirementFailure) {
    guard !condition else { return }
    throw RequirementFailure(message: message(), fileID: fileID, line: line, now: clock.now.offset)
  }

  /// Announces work on another thread; the run waits for it until the token is finished or released.
  public func beginExternalWork(_ name: String) -> ExternalWork {
    ExternalWork(executor: executor, name: name)
  }

  /// Runs `operation`, which waits for another thread, and keeps the run waiting for it meanwhile.
  public func externalWork<Value>(
    _ name: String,
    isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Value
  ) async rethrows -> Value {
    let token = beginExternalWork(name)
    defer { token.finish() }
    return try await operation()
  }
}
