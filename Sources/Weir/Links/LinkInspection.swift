/// What a link tells of itself from outside, and what may be changed of it while elements move.
extension Link: InspectableLink {
  /// Number of elements waiting.
  public var depth: Int { state.withLock { $0.count } }

  /// What has gone through so far.
  public var counters: LinkCounters { state.withLock { $0.counters } }

  /// From now on failures of the link name this node.
  func rename(_ name: String) { state.withLock { $0.name = name } }

  /// What happens at the limit, in a word.
  @usableFromInline var policyName: String { state.withLock { $0.policy.name } }

  /// The limits in force.
  public var limit: LinkLimit { state.withLock { $0.limit } }

  /// Changes the limits while elements move. Shrinking discards nothing: senders wait until there is room again. A limit
  /// that can never admit an element, or one in bytes for a link that was made without one and weighs nothing, is ignored.
  public func setLimit(_ limit: LinkLimit) {
    guard limit.fault == nil, limit.bytes == nil || weigh != nil else { return }
    resume(state.withLock { $0.change(limit: limit) })
  }
}

/// A link as a run sees it, whatever its elements are.
protocol InspectableLink: Sendable {
  /// Whether it knows what its elements weigh.
  var weighs: Bool { get }
  func setLimit(_ limit: LinkLimit)
  func snapshot(name: String, now: UInt64) -> LinkSnapshot
}

extension Link {
  var weighs: Bool { weigh != nil }

  func snapshot(name: String, now: UInt64) -> LinkSnapshot {
    state.withLock { state in
      let oldest = state.queue.firstStamp
      let age = state.queue.isEmpty || now < oldest ? 0 : now - oldest
      return LinkSnapshot(
        name: name, depth: state.count, bytes: state.weight, limit: state.limit, counters: state.counters,
        oldestAge: .nanoseconds(Int64(clamping: age)))
    }
  }
}
