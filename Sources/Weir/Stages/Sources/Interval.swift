/// A tick of an interval.
public struct Tick: Sendable, Hashable {
  /// Number of the tick: 1 for the first that was due, counted whether or not it was delivered.
  public let number: Int
  /// Ticks that were due since the one delivered before this one, and were not delivered: the consumer was slow, or the
  /// process was suspended.
  public let missed: Int
  /// When it was due, on the run's clock.
  public let due: Duration
}

extension GraphBuilder {
  /// A source that emits a tick at regular times of the run's clock.
  ///
  /// The times do not drift: tick `n` is due at the start plus `first` plus `n - 1` periods, whatever was late before.
  ///
  /// - Emits when: a tick is due. While downstream is slow one tick waits at most: a later one takes its place and counts
  ///   it as missed.
  /// - Waits when: never.
  /// - Finishes when: the run is drained.
  /// - Cancels when: downstream does.
  /// - Memory: one tick.
  /// - Errors: none; a period of 0 or less is a fault of the blueprint.
  /// - Parameters:
  ///   - period: time from one tick to the next.
  ///   - first: time from the start to the first tick; nil for one period, zero for a tick at once.
  public func interval(
    _ name: String, every period: Duration, startingAfter first: Duration? = nil, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Outlet<Tick> {
    let location = SourceLocation(file, line)
    var faults = durationFaults(period, "ticking")
    if let first, first < .zero || first > .longest {
      faults.append("a first tick after \(first) is not possible; use from zero to a hundred years")
    }
    let node = addNode(name, .source, "interval", location, faults: faults)
    let policy = OverflowPolicy<Tick>.conflate { waiting, new in
      Tick(number: new.number, missed: waiting.missed + 1 + new.missed, due: new.due)
    }
    let link = link(name, .elements(1), policy.name, written: false, location)
    return Outlet(self, node, location, link: link) { segment in
      let run = segment.runContext
      let ring = run.makeLink(link, node: node, policy: policy)
      let own = run.newSegment()
      let counter = own.addNode(node)
      let writer = WriterPort(ring, segment: own)
      own.seal(isIntake: true) {
        await tick(every: period, startingAfter: first ?? period, counter, writer)
      }
      return ReaderPort(ring, segment: segment)
    }
  }
}

/// The loop of an interval.
private func tick(
  every period: Duration, startingAfter first: Duration, _ node: NodeRun, _ writer: WriterPort<Tick>
) async {
  let clock = node.segment.runContext.clock
  let schedule = TickSchedule(first: clock.now + first, period: period)
  var next = 1
  while true {
    do { try await clock.sleep(until: schedule.time(of: next)) } catch { break }
    if node.segment.isIntakeStopped { break }
    node.enter()
    let due = max(next, schedule.lastDue(at: clock.now))
    let tick = Tick(number: due, missed: due - next, due: schedule.time(of: due))
    node.meter.countOut(1)
    node.showTaps(tick)
    if !(await writer.send(tick)) { break }
    node.segment.enterIdle()
    next = due + 1
  }
  writer.finish(node.segment.isIntakeStopped ? .finished : .cancelled)
}

/// When ticks are due.
struct TickSchedule {
  let first: Duration
  let period: Duration

  func time(of number: Int) -> Duration { first + period * (number - 1) }

  /// Number of the last tick due at a time; 0 before the first.
  func lastDue(at now: Duration) -> Int {
    guard now >= first else { return 0 }
    return Int(clamping: (now - first).attoseconds / period.attoseconds + 1)
  }
}
