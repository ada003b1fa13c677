/// Runs `body` in a simulation on the calling thread and returns its value.
///
/// The body and everything it starts structurally run one job at a time, in an order fixed by the seed, against a virtual clock.
/// May be called from synchronous code and from asynchronous tests; either way it blocks until the run has ended. The task-local
/// values of the caller hold inside, so expectations are recorded for the right test.
///
/// - Parameters:
///   - seed: fixes the interleaving; without it the environment variable `WEIR_SEED`, or 1.
///   - options: see ``SimulationOptions``.
///   - body: the root task. It and its children inherit the executor; a plain `Task {}` does not.
/// - Throws: what the body throws; else ``SimulationError``. The line that replays the run is printed first.
@discardableResult
public func simulate<Value: Sendable>(
  seed: UInt64? = nil,
  options: SimulationOptions = SimulationOptions(),
  fileID: String = #fileID,
  function: String = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Value
) throws -> Value {
  try simulateReporting(seed: seed, options: options, fileID: fileID, function: function, body).value
}

/// Does what ``simulate(seed:options:fileID:function:_:)`` does, and also tells what the run did.
public func simulateReporting<Value: Sendable>(
  seed: UInt64? = nil,
  options: SimulationOptions = SimulationOptions(),
  fileID: String = #fileID,
  function: String = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Value
) throws -> (value: Value, report: SimulationReport) {
  let seed = try seed ?? Seeds.sweep(1).resolved().lowerBound
  do {
    return try runSimulation(seed: seed, options: options, body)
  } catch {
    let replay = ReplayInstruction(seed: seed, fileID: fileID, function: function)
    options.report("simulation with seed \(seed) failed: \(error)\n\(replay)")
    throw error
  }
}

/// Runs `body` once for every seed and stops at the first that fails.
///
/// Expectations that only record an issue do not stop the sweep or name the seed: use ``Simulation/require(_:_:fileID:line:)``
/// or another check that throws.
///
/// - Parameters:
///   - count: how many seeds, from 1; `WEIR_SEEDS` replaces it, and `WEIR_SEED` runs just one seed.
///   - options: see ``SimulationOptions``.
///   - body: the root task of each run; it must not share state between runs.
/// - Throws: ``SeedFailure`` with the seed, the error and the line that replays it, which is also printed;
///   `SimulationError.invalidSeeds` for a bad count.
public func forEachSeed(
  count: Int = 100,
  options: SimulationOptions = SimulationOptions(),
  fileID: String = #fileID,
  function: String = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Void
) throws {
  try forEachSeed(in: .sweep(count), options: options, fileID: fileID, function: function, body)
}

/// Runs `body` once for every seed of `seeds` and stops at the first that fails, as
/// ``forEachSeed(count:options:fileID:function:_:)`` does.
public func forEachSeed(
  in seeds: Seeds,
  options: SimulationOptions = SimulationOptions(),
  fileID: String = #fileID,
  function: String = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Void
) throws {
  for seed in try seeds.resolved() {
    do {
      _ = try runSimulation(seed: seed, options: options, body)
    } catch {
      let replay = ReplayInstruction(seed: seed, fileID: fileID, function: function)
      let failure = SeedFailure(seed: seed, error: error, replay: replay)
      options.report("\(failure)")
      throw failure
    }
  }
}

/// Runs `body` once for every seed of `seeds` and returns all failures, printing nothing: for measuring how often a bug
/// shows, and for proving that a test can see it.
///
/// - Throws: `SimulationError.invalidSeeds` for a bad count.
public func failingSeeds(
  in seeds: Seeds,
  options: SimulationOptions = SimulationOptions(),
  fileID: String = #fileID,
  function: String = #function,
  _ body: @escaping @Sendable (Simulation) async throws -> Void
) throws(SimulationError) -> [SeedFailure] {
  var failures: [SeedFailure] = []
  for seed in try seeds.resolved() {
    do {
      _ = try runSimulation(seed: seed, options: options, body)
    } catch {
      let replay = ReplayInstruction(seed: seed, fileID: fileID, function: function)
      failures.append(SeedFailure(seed: seed, error: error, replay: replay))
    }
  }
  return failures
}

private func runSimulation<Value: Sendable>(
  seed: UInt64, options: SimulationOptions, _ body: @escaping @Sendable (Simulation) async throws -> Value
) throws -> (value: Value, report: SimulationReport) {
  let executor = SeededExecutor(seed: seed, time: options.time)
  return try SimulationDriver(executor: executor, options: options).run(body)
}
