import Weir

/// A timed stage whose calls are seen by a witness.
struct ObservedTimedStage<S: TimedStage>: TimedStage {
  private var stage: S
  private var log: CallLog?
  private var calls = 0
  private let witness: Witness

  init(_ stage: S, _ witness: Witness) {
    self.stage = stage
    self.witness = witness
  }

  mutating func process(_ element: S.Input, at now: Duration, _ emit: (S.Output) -> Void) throws(S.Failure) {
    if !stage.acceptsInput { witness.report("process was called while the stage accepts no input") }
    let log = enter("process")
    defer { log.leave() }
    try stage.process(element, at: now, emit)
    witness.look(held: stage.held, holds: stage.holds)
  }

  mutating func wake(at now: Duration, _ emit: (S.Output) -> Void) throws(S.Failure) {
    let log = enter("wake")
    defer { log.leave() }
    if let deadline = stage.deadline, now < deadline { witness.report("wake was called before the deadline") }
    try stage.wake(at: now, emit)
  }

  mutating func finish(at now: Duration, _ emit: (S.Output) -> Void) throws(S.Failure) {
    let log = enter("finish")
    defer { log.leave() }
    try stage.finish(at: now, emit)
    witness.lookAfterFinish(held: stage.held)
  }

  mutating func start(at now: Duration, look: @escaping @Sendable () -> Void) {
    stage.start(at: now, look: look)
  }

  private mutating func enter(_ call: String) -> CallLog {
    let log = self.log ?? CallLog(witness)
    self.log = log
    log.enter(call, written: calls)
    calls += 1
    return log
  }

  var deadline: Duration? { stage.deadline }
  var acceptsInput: Bool { stage.acceptsInput }
  var held: Int { stage.held }
  var holds: Int? { stage.holds }
  var isOneToOne: Bool { stage.isOneToOne }
  var faults: [String] { stage.faults }
}
