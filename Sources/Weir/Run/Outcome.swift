/// Why an element was discarded on purpose.
public enum DiscardReason: UInt8, Sendable, Hashable, CaseIterable {
  /// A full link with a dropping policy had no room.
  case overflow = 1
  /// A newer element took its place (debounce, throttle, conflate).
  case superseded
  /// No leg of a route wanted it.
  case unmatched
  /// It failed in a node whose supervision skips failures.
  case failed
  /// It waited longer than its link's age limit.
  case expired
  /// The consumer had left.
  case closed

  /// The reason in one word, as exports and tables show it.
  public var name: String {
    switch self {
    case .overflow: "overflow"
    case .superseded: "superseded"
    case .unmatched: "unmatched"
    case .failed: "failed"
    case .expired: "expired"
    case .closed: "closed"
    }
  }
}

/// How an element's way through the graph ended. Copies of one element share one fate and the worst outcome wins;
/// the cases stand from best to worst.
public enum Outcome: Sendable, Hashable {
  /// A sink took it.
  case stored
  /// A stage decided that it goes no further.
  case filtered
  /// It outlived its link's age limit.
  case expired
  /// It was discarded on purpose.
  case dropped(DiscardReason)
  /// It failed and went to the dead letters.
  case deadLettered
  /// The node that had it failed, and with it the run: nobody decided to go on without it.
  case failed
  /// The run was aborted, or its consumer left, while it was under way.
  case abandoned
  /// Its last copy vanished without an outcome: a fault in a stage.
  case lost

  @usableFromInline var code: UInt16 {
    switch self {
    case .stored: 1 << 8
    case .filtered: 2 << 8
    case .expired: 3 << 8
    case .dropped(let reason): 4 << 8 | UInt16(reason.rawValue)
    case .deadLettered: 5 << 8
    case .failed: 6 << 8
    case .abandoned: 7 << 8
    case .lost: 8 << 8
    }
  }

  /// Whether the element is done with, so that a source may forget it: it was stored, or somebody decided that it should not
  /// be. One that failed with its node, was abandoned or got lost has to come again.
  public var isFinal: Bool {
    switch self {
    case .stored, .filtered, .expired, .dropped, .deadLettered: true
    case .failed, .abandoned, .lost: false
    }
  }

  @usableFromInline init?(code: UInt16) {
    switch code >> 8 {
    case 1: self = .stored
    case 2: self = .filtered
    case 3: self = .expired
    case 4: self = .dropped(DiscardReason(rawValue: UInt8(truncatingIfNeeded: code)) ?? .overflow)
    case 5: self = .deadLettered
    case 6: self = .failed
    case 7: self = .abandoned
    case 8: self = .lost
    default: return nil
    }
  }
}
