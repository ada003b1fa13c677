import Weir

/// Shows how a running replay gets on, until its task is cancelled: the status line, and remarks above it.
struct ReplayProgress: Sendable {
  /// Time between two looks.
  static let interval = Duration.milliseconds(100)

  let tally: ReplayTally
  let refusals: RefusalLog
  let notices: Notices
  /// Bytes to read in all, where they are known.
  let totalBytes: Int64?
  /// The run's clock, which started with the run.
  let clock: GraphClock

  /// Looks until cancelled. The status line is given back as it was left.
  func run(_ live: LiveGraph<Void>, status: inout StatusLine, isDraining: @Sendable () -> Bool) async -> ProgressMeter {
    var meter = ProgressMeter(counting: "lines", total: totalBytes.map { .bytes($0) } ?? .unknown)
    var gauge = BackpressureGauge()
    while true {
      let isLast = Task.isCancelled
      for notice in notices.take() { status.print("weir: " + notice) }
      let elapsed = clock.now
      let snapshot = live.snapshot()
      var sample = sample(snapshot)
      sample.pressure = gauge.read(snapshot, at: elapsed)
      if isDraining() { sample.pressure = .draining }
      meter.observe(sample, at: elapsed)
      if isLast { return meter }
      status.update(at: elapsed) { meter.line(width: $0) }
      try? await clock.sleep(for: Self.interval)
    }
  }

  /// Counts what is settled, not what was read: the links between hold thousands of lines.
  private func sample(_ snapshot: GraphSnapshot) -> ProgressMeter.Sample {
    let refused = refusals.report.total
    let counts = tally.counts
    let settled = max(0, counts.settled(merged: snapshot.mergedByWindow, refused: refused) - counts.more)
    let share = counts.lines > 0 ? min(1, Double(settled) / Double(counts.lines)) : 1
    return ProgressMeter.Sample(
      elements: settled, bytes: Int64(Double(counts.bytes) * share), refused: refused)
  }
}
