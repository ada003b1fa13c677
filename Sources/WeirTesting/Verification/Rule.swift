/// The rules that every stage and every graph keeps: the Reactive Streams rules as they read for a graph that pulls
/// chunks, and three of our own (R20 to R22). `request(n)` is one pull of a chunk, `subscribe` is a run, `cancel` is the
/// cancellation of a task or an abort.
public enum Rule: String, Sendable, Hashable, CaseIterable {
  /// A link holds no more than its limits, a graph no more than its bound.
  case r01 = "R01"
  /// A source may end early and empty; the end arrives without being asked for again.
  case r02 = "R02"
  /// Calls on one copy of a stage never overlap, and each sees what the one before it wrote.
  case r03 = "R03"
  /// A failure arrives once, with the node's name, after what was emitted before it.
  case r04 = "R04"
  /// Each port ends exactly once; after the end there is nothing for ever.
  case r05 = "R05"
  /// Upstream is released before the run returns.
  case r06 = "R06"
  /// After an abort at most the chunk in hand is still processed.
  case r07 = "R07"
  /// A finished run keeps no stage, closure or message alive.
  case r08 = "R08"
  /// Runs of one blueprint share no state, also at the same time.
  case r09 = "R09"
  /// A fan-out's policy belongs to the fan-out, not to a stage.
  case r10 = "R10"
  /// Ports are noncopyable, so a second wiring does not compile.
  case r11 = "R11"
  /// A consumer that stops early cancels upstream, also one that waits in send.
  case r12 = "R12"
  /// No element vanishes: each one is settled exactly once, also when cancelled.
  case r13 = "R13"
  /// Nothing traps, and late errors go to one observer.
  case r14 = "R14"
  /// Long inputs run in constant stack.
  case r15 = "R15"
  /// Abort and cancel may be called again, by any task, and do not block.
  case r16 = "R16"
  /// Drain, abort and kill do nothing after the end.
  case r17 = "R17"
  /// Needs parameters that are out of range; pass them to verifyRefused.
  case r18 = "R18"
  /// 64-bit counters; what is unbounded is a property of the whole graph's description.
  case r19 = "R19"
  /// Needs real time on two processors.
  case r20 = "R20"
  /// Counters balance at every scrape.
  case r21 = "R21"
  /// Busy, idle and blocked sum to the elapsed time.
  case r22 = "R22"

  /// What the rule asks for, in one line.
  public var summary: String {
    switch self {
    case .r01: "a link holds no more than its limits, a graph no more than its bound"
    case .r02: "a source may end early and empty; the end arrives without being asked for again"
    case .r03: "calls on one copy of a stage never overlap, and each sees what the one before it wrote"
    case .r04: "a failure arrives once, with the node's name, after what was emitted before it"
    case .r05: "each port ends exactly once; after the end there is nothing for ever"
    case .r06: "upstream is released before the run returns"
    case .r07: "after an abort at most the chunk in hand is still processed"
    case .r08: "a finished run keeps no stage, closure or message alive"
    case .r09: "runs of one blueprint share no state, also at the same time"
    case .r10: "a fan-out says what a slow leg does to the others"
    case .r11: "an inlet accepts one outlet"
    case .r12: "a consumer that stops early cancels upstream, also one that waits in send"
    case .r13: "no element vanishes: each one is settled exactly once, also when cancelled"
    case .r14: "nothing traps, and late errors go to one observer"
    case .r15: "long inputs run in constant stack"
    case .r16: "abort and cancel may be called again, by any task, and do not block"
    case .r17: "drain, abort and kill do nothing after the end"
    case .r18: "impossible parameters are faults of the blueprint"
    case .r19: "counters do not overflow; what is unbounded says so"
    case .r20: "a busy stage delays no other segment by more than a chunk"
    case .r21: "counters balance at every scrape"
    case .r22: "busy, idle and blocked sum to the elapsed time"
    }
  }

  /// Why the rule cannot be checked on one stage or fragment alone; nil when it can.
  public var whyNotApplicable: String? {
    switch self {
    case .r10: "a fan-out's policy belongs to the fan-out, not to a stage"
    case .r11: "ports are noncopyable, so a second wiring does not compile"
    case .r18: "needs parameters that are out of range; pass them to verifyRefused"
    case .r19: "64-bit counters; what is unbounded is a property of the whole graph's description"
    case .r20: "needs real time on two processors"
    default: nil
    }
  }
}
