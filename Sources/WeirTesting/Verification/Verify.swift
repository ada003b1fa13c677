import Weir

/// Checks a part of a graph against the rules R01 to R22, over many interleavings and with virtual time.
///
/// The fragment is wired between sources and consumers that fail, end early, stop asking, leave, abort and drain, each
/// at moments drawn by the seed. Give inputs that it accepts: a failure on them counts against it.
///
/// - Parameters:
///   - name: named in the report.
///   - seeds: interleavings to try.
///   - options: what the fragment promises beyond the rules.
///   - fragment: wires one outlet to another; called for every graph that is built.
///   - inputs: elements to feed; a dozen that show what the fragment does are enough.
///   - expected: the right outputs for any beginning of the inputs, when that ends; without it, outputs are only
///     compared between runs.
/// - Returns: every rule with its verdict.
/// - Throws: ``VerificationFailure`` for the first broken rule; `SimulationError.invalidSeeds`.
@discardableResult
public func verify<Input: Sendable, Output: Sendable & Equatable>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function,
  fragment: @escaping @Sendable (GraphBuilder, consuming Outlet<Input>) -> Outlet<Output>,
  inputs: () -> [Input], expecting expected: (@Sendable ([Input]) -> [Output])? = nil
) throws -> VerificationReport {
  try verify(
    name, seeds: seeds, options: options, fileID: fileID, function: function,
    fragment: { graph, outlet, _ in fragment(graph, outlet) }, inputs: inputs, expecting: expected)
}

/// Checks a ``Stage`` against the rules; see ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)``.
///
/// The right outputs are also computed by calling a copy of the stage by hand, element after element.
@discardableResult
public func verify<S: Stage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, stage: @escaping @Sendable () -> S, inputs: () -> [S.Input],
  expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  let inputs = inputs()
  if let wrong = countBreakingOneToOne(stage(), inputs) {
    throw VerificationFailure(
      name: name, rule: .r13, finding: .brokenRule, seed: 0,
      expected: "one element out for each in, since isOneToOne is true", seen: "\(wrong) out", advice: nil,
      replay: ReplayInstruction(seed: 0, fileID: fileID, function: function))
  }
  var subject = Subject<S.Input, S.Output>(name: name, options: options, inputs: inputs) { _, outlet, witness, _ in
    outlet.via("stage", ObservedStage(stage(), witness))
  }
  subject.oracle = oracle(expected) ?? { callByHand(stage(), $0, finishing: true) }
  subject.oracleWithoutEnd = { inputs, _ in callByHand(stage(), inputs, finishing: false) }
  var report = try Verifier(subject: subject, seeds: seeds, fileID: fileID, function: function).report()
  let most = mostEmittedAtOnce(stage(), inputs)
  if most > 256, stage().holds != nil {
    report.notes.append(
      "one call emitted \(most) elements, more than a chunk: if an element can make any number of them, let `holds` be nil, or "
        + "the memory bound is not what the blueprint prints")
  }
  let undeclared = countEmittedUndeclared(stage(), inputs)
  if undeclared > 0 {
    report.notes.append(
      "finish emitted \(undeclared) elements while `held` was 0: if they came in earlier, say so with `held` and `holds`, or "
        + "a source may forget them too soon and the memory bound is not what the blueprint prints")
  }
  return report
}

/// Checks a ``TimedStage`` against the rules; see
/// ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)``.
@discardableResult
public func verify<S: TimedStage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, timed stage: @escaping @Sendable () -> S,
  inputs: () -> [S.Input], expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  var subject = Subject<S.Input, S.Output>(name: name, options: options, inputs: inputs()) { _, outlet, witness, _ in
    outlet.via("stage", ObservedTimedStage(stage(), witness))
  }
  subject.oracle = oracle(expected)
  return try Verifier(subject: subject, seeds: seeds, fileID: fileID, function: function).report()
}

/// Checks an ``AsyncStage`` against the rules, with the parallelism it is meant for; see
/// ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)``.
@discardableResult
public func verify<S: AsyncStage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  parallel: Parallelism<S.Input> = .serial, fileID: String = #fileID, function: String = #function,
  async stage: @escaping @Sendable () -> S, inputs: () -> [S.Input],
  expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  try verify(
    name, seeds: seeds, options: options, parallel: parallel, fileID: fileID, function: function,
    async: { _ in stage() },
    inputs: inputs, expecting: expected)
}

/// Checks an ``AsyncChunkStage`` against the rules; see
/// ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)``.
@discardableResult
public func verify<S: AsyncChunkStage>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, chunked stage: @escaping @Sendable () -> S,
  inputs: () -> [S.Input], expecting expected: (@Sendable ([S.Input]) -> [S.Output])? = nil
) throws -> VerificationReport where S.Output: Equatable {
  try verify(
    name, seeds: seeds, options: options, fileID: fileID, function: function, chunked: { _ in stage() },
    inputs: inputs, expecting: expected)
}

/// Checks a ``Process`` against the rules; see
/// ``verify(_:seeds:options:fileID:function:fragment:inputs:expecting:)``.
@discardableResult
public func verify<P: Process>(
  _ name: String, seeds: Seeds = .sweep(100), options: VerificationOptions = VerificationOptions(),
  fileID: String = #fileID, function: String = #function, process: @escaping @Sendable () -> P,
  inputs: () -> [P.Input], expecting expected: (@Sendable ([P.Input]) -> [P.Output])? = nil
) throws -> VerificationReport where P.Output: Equatable {
  try verify(
    name, seeds: seeds, options: options, fileID: fileID, function: function, process: { _ in process() },
    inputs: inputs, expecting: expected)
}

/// Checks rule R18: a fragment whose parameters are out of range is refused when the blueprint is built.
///
/// - Parameter input: the type of the elements that the fragment takes.
/// - Returns: the faults of the blueprint.
/// - Throws: ``VerificationFailure`` when the blueprint is accepted.
@discardableResult
public func verifyRefused<Input: Sendable, Output: Sendable>(
  _ name: String, of input: Input.Type = Input.self, fileID: String = #fileID, function: String = #function,
  fragment: (GraphBuilder, consuming Outlet<Input>) -> Outlet<Output>
) throws -> GraphFaults {
  do {
    _ = try Blueprint("verification") { graph in fragment(graph, graph.source("source", [Input]())).ignore("sink") }
  } catch {
    return error
  }
  throw VerificationFailure(
    name: name, rule: .r18, finding: .brokenRule, seed: 0, expected: "the blueprint lists the fault",
    seen: "it was accepted", advice: nil, replay: ReplayInstruction(seed: 0, fileID: fileID, function: function))
}

/// How many elements a call emits that should emit one, where the stage says that each does: a graph that joins two
/// legs believes it, and starves if it is not so.
private func countBreakingOneToOne<S: Stage>(_ stage: S, _ inputs: [S.Input]) -> Int? {
  var stage = stage
  guard stage.isOneToOne else { return nil }
  for element in inputs where stage.demand > 0 {
    var count = 0
    do {
      try stage.process(element) { _ in count += 1 }
    } catch {
      // What fails is decided upon by supervision.
      continue
    }
    if count != 1 { return count }
  }
  var atEnd = 0
  guard (try? stage.finish { _ in atEnd += 1 }) != nil, atEnd > 0 else { return nil }
  return atEnd
}

/// The most elements that a call emits.
private func mostEmittedAtOnce<S: Stage>(_ stage: S, _ inputs: [S.Input]) -> Int {
  var stage = stage
  var most = 0
  for element in inputs where stage.demand > 0 {
    var count = 0
    guard (try? stage.process(element) { _ in count += 1 }) != nil else { continue }
    most = max(most, count)
  }
  return most
}

/// How many elements `finish` emits, where the stage says that it holds none.
private func countEmittedUndeclared<S: Stage>(_ stage: S, _ inputs: [S.Input]) -> Int {
  var stage = stage
  var count = 0
  do {
    for element in inputs where stage.demand > 0 { try stage.process(element) { _ in } }
    guard stage.held == 0 else { return 0 }
    try stage.finish { _ in count += 1 }
  } catch {
    return 0
  }
  return count
}

/// What a stage emits when it is called by hand; nil when it throws.
private func callByHand<S: Stage>(_ stage: S, _ inputs: [S.Input], finishing: Bool) -> [S.Output]? {
  var stage = stage
  var outputs: [S.Output] = []
  do {
    for element in inputs where stage.demand > 0 { try stage.process(element) { outputs.append($0) } }
    if finishing || stage.demand <= 0 { try stage.finish { outputs.append($0) } }
  } catch {
    return nil
  }
  return outputs
}

/// The caller's function of right outputs, as the suite holds it.
func oracle<Input, Output>(
  _ expected: (@Sendable ([Input]) -> [Output])?
) -> (@Sendable ([Input]) -> [Output]?)? {
  guard let expected else { return nil }
  return { expected($0) }
}
