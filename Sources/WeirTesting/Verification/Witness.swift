import Synchronization

/// Sees every call into the copies of a stage, and whether the copies go away.
final class Witness: Sendable {
  private let faults = Recorder<(rule: Rule, fault: String)>()
  let leaks = LeakCheck()

  func report(_ fault: String, rule: Rule = .r03) { faults.append((rule, fault)) }

  /// Throws the first fault against a rule.
  func require(_ rule: Rule, _ expected: String) throws {
    guard let first = faults.all.first(where: { $0.rule == rule }) else { return }
    throw Violation(expected: expected, seen: first.fault, rule: rule)
  }

  /// After any call: a stage holds no more than it says it may.
  func look(held: Int, holds: Int?) {
    guard let holds, held > holds else { return }
    report("the stage holds \(held) elements, more than its bound of \(holds)", rule: .r01)
  }

  /// After `finish`: a stage holds nothing any more.
  func lookAfterFinish(held: Int) {
    if held != 0 { report("the stage still holds \(held) elements after finish", rule: .r13) }
  }
}

/// The calls into one copy of a stage. Made by the copy at its first call, so that no two copies share one.
final class CallLog: Sendable {
  private struct State {
    var calls = 0
    var inCall = false
    var finished = false
  }

  private let state = Mutex(State())
  private let witness: Witness

  init(_ witness: Witness) {
    self.witness = witness
    witness.leaks.track(self, "a copy of the stage")
  }

  /// A call begins.
  /// - Parameter written: how many calls the copy itself has counted: its own state.
  func enter(_ call: String, written: Int) {
    state.withLock { state in
      if state.inCall { witness.report("\(call) was called while another call was under way") }
      if state.finished { witness.report("\(call) was called after finish") }
      if state.calls != written { witness.report("call \(state.calls + 1) does not see what earlier calls wrote") }
      state.inCall = true
      state.calls += 1
      if call == "finish" { state.finished = true }
    }
  }

  func leave() { state.withLock { $0.inCall = false } }
}
