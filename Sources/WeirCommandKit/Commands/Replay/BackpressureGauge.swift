import Weir

/// Tells from two looks at a running graph what holds the flow back in between. A pure value.
struct BackpressureGauge: Sendable {
  /// Waiting for room less than this share of the time is not worth a word.
  static let threshold = 0.1
  /// Time between two looks that are compared: long enough for the shares to mean something.
  static let interval = Duration.milliseconds(500)

  private var before: GraphSnapshot?
  private var time = Duration.zero
  private var latest = ProgressMeter.Pressure.flowing

  /// The state at `now`; between two comparisons the last one stands.
  mutating func read(_ snapshot: GraphSnapshot, at now: Duration) -> ProgressMeter.Pressure {
    guard let before else {
      self.before = snapshot
      time = now
      return latest
    }
    guard now - time >= Self.interval else { return latest }
    latest = Self.pressure(from: before, to: snapshot)
    self.before = snapshot
    time = now
    return latest
  }

  /// What held the flow back between two looks.
  ///
  /// Of the nodes that waited for room the last one in the flow counts, as the ones before it only pass its wait on.
  /// The culprit is not that node but the busiest one behind it.
  static func pressure(from before: GraphSnapshot, to after: GraphSnapshot) -> ProgressMeter.Pressure {
    let nodes = zip(before.nodes, after.nodes).map { old, new in
      let elapsed = max(new.elapsed - old.elapsed, .nanoseconds(1))
      return (
        name: new.name, blocked: (new.blocked - old.blocked) / elapsed, busy: (new.busy - old.busy) / elapsed
      )
    }
    guard let victim = nodes.lastIndex(where: { $0.blocked >= threshold }) else {
      let isMoving = zip(before.nodes, after.nodes).contains { $1.elementsOut != $0.elementsOut }
      return isMoving ? .flowing : .waiting
    }
    guard let culprit = nodes[(victim + 1)...].max(by: { $0.busy < $1.busy }) else { return .flowing }
    return .heldBy(culprit.name, share: min(1, nodes[victim].blocked))
  }
}
