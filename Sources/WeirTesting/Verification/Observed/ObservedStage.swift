import Weir

/// A stage whose calls are seen by a witness.
struct ObservedStage<S: Stage>: Stage {
  private var stage: S
  private var log: CallLog?
  private var calls = 0
  private let witness: Witness

  init(_ stage: S, _ witness: Witness) {
    self.stage = stage
    self.witness = witness
  }

  mutating func process(_ element: S.Input, _ emit: (S.Output) -> Void) throws(S.Failure) {
    let log = enter("process")
    defer { log.leave() }
    try stage.process(element, emit)
    witness.look(held: stage.held, holds: stage.holds)
  }

  mutating func finish(_ emit: (S.Output) -> Void) throws(S.Failure) {
    let log = enter("finish")
    defer { log.leave() }
    try stage.finish(emit)
    witness.lookAfterFinish(held: stage.held)
  }

  private mutating func enter(_ call: String) -> CallLog {
    let log = self.log ?? CallLog(witness)
    self.log = log
    log.enter(call, written: calls)
    calls += 1
    return log
  }

  var demand: Int { stage.demand }
  var held: Int { stage.held }
  var holds: Int? { stage.holds }
  var isOneToOne: Bool { stage.isOneToOne }
  var faults: [String] { stage.faults }
}
