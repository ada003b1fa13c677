/// What a link tells of itself from outside, and what may be changed of it while elements move.
extension Link {
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
