/// Who has the radio for itself: free → leased → restoring → free, or quarantined → reinitialising → free. A value; the waiting
/// is in ``RadioFrameScheduler``.
struct LeaseState: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    case free
    case leased(owner: UInt64, deadline: Duration)
    case restoring(owner: UInt64, deadline: Duration)
    case quarantined(reason: String)
    case reinitialising
  }

  private(set) var phase = Phase.free
  private var nextOwner: UInt64 = 1
  private var start: Duration = .zero
  private var hasYielded = false
  /// Leases given, and how they ended.
  private(set) var counts = LeaseCounts()

  /// Gives the radio to a new owner; nil when it is not free.
  mutating func acquire(until deadline: Duration, askedAt asked: Duration, at now: Duration) -> UInt64? {
    guard phase == .free else { return nil }
    counts.wait.record(now - asked)
    start = now
    hasYielded = false
    let owner = nextOwner
    nextOwner += 1
    phase = .leased(owner: owner, deadline: deadline)
    counts.given &+= 1
    return owner
  }

  func isHeld(by owner: UInt64) -> Bool {
    switch phase {
    case .leased(owner, _), .restoring(owner, _): true
    default: false
    }
  }

  /// The owner puts the radio back as it was: nothing more is to be sent.
  mutating func restore(_ owner: UInt64, until deadline: Duration) -> Bool {
    guard case .leased(owner, _) = phase else { return false }
    phase = .restoring(owner: owner, deadline: deadline)
    return true
  }

  /// The owner gives the radio back. Only the first end counts.
  mutating func end(_ owner: UInt64, _ ending: LeaseEnding, at now: Duration) -> Bool {
    guard isHeld(by: owner) else { return false }
    counts.hold.record(now - start)
    switch ending {
    case .restored, .notRequired:
      phase = .free
      counts.restored &+= 1
    case .quarantined(let reason):
      quarantine(reason)
    }
    return true
  }

  /// When the owner must have moved on; nil while nobody holds the radio.
  var deadline: Duration? {
    switch phase {
    case .leased(_, let deadline), .restoring(_, let deadline): deadline
    default: nil
    }
  }

  /// The owner has been asked to yield: counted once a lease.
  mutating func countYield() {
    if !hasYielded { counts.yields &+= 1 }
    hasYielded = true
  }

  /// An owner that did not move on in time has left the radio in a state that nobody knows.
  mutating func expire(at now: Duration) -> Bool {
    guard let deadline, now >= deadline else { return false }
    counts.hold.record(now - start)
    quarantine("the lease was not given back in time")
    return true
  }

  mutating func quarantine(_ reason: String) {
    phase = .quarantined(reason: reason)
    counts.quarantined &+= 1
  }

  /// The radio is being connected and set up anew.
  mutating func reinitialise() -> Bool {
    guard case .quarantined = phase else { return false }
    phase = .reinitialising
    return true
  }

  /// The radio is as it was before anybody used it.
  mutating func reinitialised() -> Bool {
    guard phase == .reinitialising else { return false }
    phase = .free
    return true
  }
}

/// How a lease ends (radio study, C11 and C23).
public enum LeaseEnding: Sendable, Hashable {
  /// Nothing was changed.
  case notRequired
  /// Every value that was changed is back, and confirmed.
  case restored
  /// The radio is in a state that nobody knows.
  case quarantined(reason: String)
}

/// How many leases were given, and how they ended.
public struct LeaseCounts: Sendable, Equatable {
  /// Leases given.
  public internal(set) var given: UInt64 = 0
  /// Leases given back with the radio as it was.
  public internal(set) var restored: UInt64 = 0
  /// Times the radio was left in an unknown state, by whomever.
  public internal(set) var quarantined: UInt64 = 0
  /// Leases that were asked to yield.
  public internal(set) var yields: UInt64 = 0
  /// From asking for a lease to having it.
  public internal(set) var wait = LatencyHistogram()
  /// From having it to its end.
  public internal(set) var hold = LatencyHistogram()
}
