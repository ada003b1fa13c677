import Synchronization

/// What became of the elements of one tracked source: counts by outcome, and the settled prefix.
///
/// Positions count from 0 in the order in which the elements passed the tracking node. A source may forget, or move its
/// cursor over, everything below ``settledPrefix``: each of those elements has reached its end in every copy.
///
/// Memory: one slot for each element under way, which the limits of the graph bound.
public final class SettlementLedger: Sendable {
  private struct State {
    var issued: UInt64 = 0
    var prefix: UInt64 = 0
    var window = Deque<Outcome?>()
    var counts: [Outcome: UInt64] = [:]
  }

  private let state = Mutex(State())
  private let onAdvance: (@Sendable (UInt64) -> Void)?

  /// - Parameter onAdvance: called after the settled prefix has moved, with its new value, from the task that settled
  ///   the element and outside every lock. Calls from several tasks may overtake each other: keep the largest value.
  init(onAdvance: (@Sendable (UInt64) -> Void)? = nil) {
    self.onAdvance = onAdvance
  }

  /// Every element at a position below this one has been settled.
  public var settledPrefix: UInt64 { state.withLock { $0.prefix } }

  /// Number of elements that have passed the tracking node.
  public var issued: UInt64 { state.withLock { $0.issued } }

  /// Number of settled elements by outcome.
  public var counts: [Outcome: UInt64] { state.withLock { $0.counts } }

  /// Positions still under way, oldest first, at most `limit` of them.
  public func unsettled(limit: Int = 1_000) -> [UInt64] {
    state.withLock { state in
      var open: [UInt64] = []
      for index in 0..<state.window.count where open.count < limit && state.window[index] == nil {
        open.append(state.prefix + UInt64(index))
      }
      return open
    }
  }

  func issue() -> Settlement {
    let position = state.withLock { state in
      state.window.append(nil)
      state.issued += 1
      return state.issued - 1
    }
    return Settlement(ledger: self, position: position)
  }

  func settled(_ position: UInt64, _ outcome: Outcome) {
    let advanced: UInt64? = state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.window[Int(position - state.prefix)] = outcome
      guard position == state.prefix else { return nil }
      while !state.window.isEmpty, state.window[0] != nil {
        state.window.removeFirst()
        state.prefix += 1
      }
      return state.prefix
    }
    if let advanced { onAdvance?(advanced) }
  }
}
