import Weir

/// Checks a part of a graph that takes its time or its threads from the simulation, as
/// ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)`` does otherwise.
///
/// - Parameter fragment: wires one outlet to another, with the clock and the executor of the run it is built for.
/// - Returns: every rule with its verdict.
/// - Throws: ``VerificationFailure`` for the first broken rule; `SimulationError.invalidSeeds`.
@discardableResult
public func verify<Input: Sendable, Output: Sendable & Equatable>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function,
  fragment: @escaping @Sendable (GraphBuilder, consuming Outlet<Input>, Simulation) -> Outlet<Output>,
  inputs: () -> [Input], expecting expected: (@Sendable ([Input]) -> [Output])? = nil
) throws -> VerificationReport {
  var subject = Subject<Input, Output>(name: name, options: options, inputs: inputs()) { graph, outlet, _, simulation in
    fragment(graph, outlet, simulation)
  }
  subject.oracle = oracle(expected)
  return try Verifier(subject: subject, seeds: seeds, fileID: fileID, function: function).report()
}

/// Checks an ``AsyncStage`` that waits: it gets the clock of each run, and announces threads of its own with
/// ``Simulation/externalWork(_:isolation:_:)``.
///
/// ```swift
/// try verify("look up", async: { simulation in LookUp(clock: simulation.clock) }, inputs: { ids })
/// ```
@discardableResult
public func verify<S: AsyncStage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  parallel: Parallelism<S.Input> = .serial, fileID: String = #fileID, function: String = #function,
  async stage: @escaping @Sendable (Simulation) -> S, inputs: () -> [S.Input],
  expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  var subject = Subject<S.Input, S.Output>(name: name, options: options, inputs: inputs()) {
    _, outlet, witness, simulation in
    outlet.via("stage", ObservedAsyncStage(stage(simulation), witness), parallel: parallel)
  }
  subject.oracle = oracle(expected)
  if case .serial = parallel {
    subject.oracleWithoutEnd = { inputs, simulation in await callByHand(stage(simulation), inputs) }
  }
  return try Verifier(subject: subject, seeds: seeds, fileID: fileID, function: function).report()
}

/// Checks an ``AsyncChunkStage`` that waits: it gets the clock of each run.
@discardableResult
public func verify<S: AsyncChunkStage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, chunked stage: @escaping @Sendable (Simulation) -> S,
  inputs: () -> [S.Input], expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  var subject = Subject<S.Input, S.Output>(name: name, options: options, inputs: inputs()) {
    _, outlet, witness, simulation in
    outlet.via("stage", ObservedAsyncChunkStage(stage(simulation), witness))
  }
  subject.oracle = oracle(expected)
  return try Verifier(subject: subject, seeds: seeds, fileID: fileID, function: function).report()
}

/// Checks a ``Process`` that waits: it gets the clock of each run.
@discardableResult
public func verify<P: Process>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, process: @escaping @Sendable (Simulation) -> P,
  inputs: () -> [P.Input], expecting expected: (@Sendable ([P.Input]) -> [P.Output])? = nil
) throws -> VerificationReport where P.Output: Equatable {
  try verify(
    name, seeds: seeds, options: options, fileID: fileID, function: function,
    fragment: { _, outlet, simulation in outlet.via("stage", process(simulation)) }, inputs: inputs,
    expecting: expected)
}

/// What an asynchronous stage emits when it is called by hand, before its input ends; nil when it throws.
private func callByHand<S: AsyncStage>(_ stage: S, _ inputs: [S.Input]) async -> [S.Output]? {
  var stage = stage
  var outputs: [S.Output] = []
  do {
    for element in inputs { try await stage.process(element) { outputs.append($0) } }
  } catch {
    return nil
  }
  return outputs
}
