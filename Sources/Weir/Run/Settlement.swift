import Synchronization

/// The token that rides beside a tracked element from its source to the end of every copy.
///
/// One token stands for one element of the source, or, after a batch, for all the elements merged into one. It counts
/// its copies; when the last one is settled, the worst outcome is reported to the ledger. A token whose last reference
/// goes away unsettled reports ``Outcome/lost``: forgetting is a fault, not a success.
@usableFromInline
final class Settlement: Sendable {
  private enum Origin {
    case ledger(SettlementLedger, UInt64)
    case parents(MergedTokens)
    case cycle(CycleMonitor, Settlement?)
  }

  private let copies = Atomic<Int>(1)
  private let worst = Atomic<UInt16>(0)
  private let origin: Origin

  init(ledger: SettlementLedger, position: UInt64) {
    origin = .ledger(ledger, position)
  }

  /// A token for an element inside a cycle; `parent` is the one it had outside.
  init(cycle monitor: CycleMonitor, parent: Settlement?) {
    origin = .cycle(monitor, parent)
  }

  private init(parents: [Settlement]) {
    origin = .parents(MergedTokens(parents))
  }

  /// One token that settles all of `tokens`; the token itself where there is one, nil where there is none.
  @usableFromInline
  static func merging(_ tokens: [Settlement]) -> Settlement? {
    tokens.count > 1 ? Settlement(parents: tokens) : tokens.first
  }

  /// One token for an element that takes the place of one that waits, of two elements in all. However many replace one
  /// another, their tokens stand in one list: a chain of them would be as deep as it is long.
  @usableFromInline
  static func replacing(_ waiting: Settlement?, by token: Settlement) -> Settlement {
    guard let waiting else { return token }
    // A copy that ended worse than stored must not spoil what comes later.
    if case .parents(let parents) = waiting.origin, waiting.copies.load(ordering: .acquiring) == 1,
      waiting.worst.load(ordering: .relaxed) <= Outcome.stored.code
    {
      parents.append(token)
      return waiting
    }
    return Settlement(parents: [waiting, token])
  }

  /// Announces that `number` more copies of the element exist.
  @usableFromInline
  func fork(_ number: Int) {
    copies.add(number, ordering: .relaxed)
  }

  /// Ends one copy.
  @usableFromInline
  func settle(_ outcome: Outcome) {
    worst.max(outcome.code, ordering: .relaxed)
    // Acquire-release: the thread that ends the last copy must see every other copy's outcome.
    guard copies.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    report(Outcome(code: worst.load(ordering: .relaxed)) ?? .lost)
  }

  private func report(_ outcome: Outcome) {
    switch origin {
    case .ledger(let ledger, let position): ledger.settled(position, outcome)
    case .parents(let parents): for parent in parents.all { parent.settle(outcome) }
    case .cycle(let monitor, let parent):
      parent?.settle(outcome)
      monitor.left()
    }
  }

  /// The token with which a copy leaves a cycle: what it had outside. This copy's own token is settled.
  @usableFromInline
  func leavingCycle() -> Settlement? {
    let outer = outside()
    settle(.stored)
    return outer
  }

  private func outside() -> Settlement? {
    switch origin {
    case .ledger:
      fork(1)
      return self
    case .parents(let parents): return Settlement.merging(parents.all.compactMap { $0.outside() })
    case .cycle(_, let parent): return parent?.outside()
    }
  }

  deinit {
    if copies.load(ordering: .acquiring) > 0 { report(.lost) }
  }
}

/// The tokens that one token settles.
private final class MergedTokens: Sendable {
  private let tokens: Mutex<[Settlement]>

  init(_ tokens: [Settlement]) { self.tokens = Mutex(tokens) }

  var all: [Settlement] { tokens.withLock { $0 } }
  func append(_ token: Settlement) { tokens.withLock { $0.append(token) } }
}
