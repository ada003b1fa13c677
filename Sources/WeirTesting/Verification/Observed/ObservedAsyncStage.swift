import Weir

/// An asynchronous stage whose calls are seen by a witness.
struct ObservedAsyncStage<S: AsyncStage>: AsyncStage {
  private var stage: S
  private var log: CallLog?
  private var calls = 0
  private let witness: Witness

  init(_ stage: S, _ witness: Witness) {
    self.stage = stage
    self.witness = witness
  }

  mutating func process(_ element: S.Input, _ emit: (S.Output) -> Void) async throws(S.Failure) {
    let log = enter("process")
    defer { log.leave() }
    try await stage.process(element, emit)
  }

  mutating func finish(_ emit: (S.Output) -> Void) async throws(S.Failure) {
    let log = enter("finish")
    defer { log.leave() }
    try await stage.finish(emit)
  }

  private mutating func enter(_ call: String) -> CallLog {
    let log = self.log ?? CallLog(witness)
    self.log = log
    log.enter(call, written: calls)
    calls += 1
    return log
  }

  var holds: Int? { stage.holds }
  var faults: [String] { stage.faults }
}

/// The same for a stage that works on all that is ready.
struct ObservedAsyncChunkStage<S: AsyncChunkStage>: AsyncChunkStage {
  private var stage: S
  private var log: CallLog?
  private var calls = 0
  private let witness: Witness

  init(_ stage: S, _ witness: Witness) {
    self.stage = stage
    self.witness = witness
  }

  mutating func process(_ elements: [S.Input], _ emit: (S.Output) -> Void) async throws(S.Failure) {
    if elements.isEmpty || elements.count > stage.maximum {
      witness.report("process was called with \(elements.count) elements; between 1 and \(stage.maximum) are promised")
    }
    let log = enter("process")
    defer { log.leave() }
    try await stage.process(elements, emit)
  }

  mutating func finish(_ emit: (S.Output) -> Void) async throws(S.Failure) {
    let log = enter("finish")
    defer { log.leave() }
    try await stage.finish(emit)
  }

  private mutating func enter(_ call: String) -> CallLog {
    let log = self.log ?? CallLog(witness)
    self.log = log
    log.enter(call, written: calls)
    calls += 1
    return log
  }

  var maximum: Int { stage.maximum }
  var holds: Int? { stage.holds }
  var faults: [String] { stage.faults }
}
