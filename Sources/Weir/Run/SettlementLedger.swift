import Synchronization

/// What became of the elements of one tracked source: counts by outcome, and the settled prefix.
///
/// Positions count from 0 in the order in which the elements passed the tracking node. A source may forget, or move its
/// cursor over, everything below ``settledPrefix``: each of those elements has reached an end in every copy that is final
/// (``Outcome/isFinal``): it was stored, or somebody decided that it should not be. The prefix stops for good at the first element
/// that failed with its node, was abandoned by an abort, a cancellation or a late drain, or got lost: those have to come again.
/// A consumer that leaves while others go on (a leg that takes only so many) abandons what waits for it, and stops the prefix
/// there too.
///
/// Memory: one slot for each element under way, which the limits of the graph bound.
public final class SettlementLedger: Sendable {
  private struct State {
    var issued: UInt64 = 0
    var prefix: UInt64 = 0
    /// From the prefix on: what has become of each element.
    var window = Deque<Outcome?>()
    /// Once the prefix can not move any more: the elements under way.
    var open: Set<UInt64>?
    var counts: [Outcome: UInt64] = [:]

    /// The element at the prefix has to come again: what lies behind it is of no use to a cursor.
    mutating func stop() {
      var under: Set<UInt64> = []
      for index in 0..<window.count where window[index] == nil { under.insert(prefix + UInt64(index)) }
      window = Deque()
      open = under
    }
  }

  private let state = Mutex(State())
  private let onAdvance: (@Sendable (UInt64) -> Void)?

  /// - Parameter onAdvance: called after the settled prefix has moved, with its new value, from the task that settled
  ///   the element and outside every lock. Calls from several tasks may overtake each other: keep the largest value.
  init(onAdvance: (@Sendable (UInt64) -> Void)? = nil) {
    self.onAdvance = onAdvance
  }

  /// Every element at a position below this one is done with.
  public var settledPrefix: UInt64 { state.withLock { $0.prefix } }

  /// Number of elements that have passed the tracking node.
  public var issued: UInt64 { state.withLock { $0.issued } }

  /// Number of settled elements by outcome.
  public var counts: [Outcome: UInt64] { state.withLock { $0.counts } }

  /// Positions still under way, oldest first, at most `limit` of them.
  public func unsettled(limit: Int = 1_000) -> [UInt64] {
    state.withLock { state in
      if let open = state.open { return Array(open.sorted().prefix(max(0, limit))) }
      var open: [UInt64] = []
      for index in 0..<state.window.count where open.count < limit && state.window[index] == nil {
        open.append(state.prefix + UInt64(index))
      }
      return open
    }
  }

  func issue() -> Settlement {
    let position = state.withLock { state in
      if state.open == nil { state.window.append(nil) } else { state.open?.insert(state.issued) }
      state.issued += 1
      return state.issued - 1
    }
    return Settlement(ledger: self, position: position)
  }

  func settled(_ position: UInt64, _ outcome: Outcome) {
    let advanced: UInt64? = state.withLock { state in
      state.counts[outcome, default: 0] += 1
      if state.open != nil {
        state.open?.remove(position)
        return nil
      }
      state.window[Int(position - state.prefix)] = outcome
      guard position == state.prefix else { return nil }
      while let next = state.window.isEmpty ? nil : state.window[0] {
        guard next.isFinal else {
          state.stop()
          break
        }
        state.window.removeFirst()
        state.prefix += 1
      }
      return state.prefix > position ? state.prefix : nil
    }
    if let advanced { onAdvance?(advanced) }
  }
}
