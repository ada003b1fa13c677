import Synchronization

/// Divides the life of one task of a run into busy (in one of its nodes), idle (waiting for input) and blocked (waiting
/// for room downstream). It begins when the task is set up: waiting for a thread counts as idle.
///
/// It stands in its ``Segment``, which knows the nodes. The task itself moves the clock on, once a node and chunk; the end of one interval is the start of the next, so the
/// intervals sum to the elapsed time. A reader adds the interval that is still open.
struct SegmentClock: ~Copyable, Sendable {
  private static let idle = -1
  private static let blocked = -2
  private static let stopped = -3

  private let trace: TraceClock
  private let version = Atomic<UInt64>(0)
  /// Index of the busy node in ``meters``, or one of the states above.
  private let current = Atomic<Int>(SegmentClock.idle)
  private let since: Atomic<UInt64>
  private let started: UInt64
  private let idleTime = Atomic<UInt64>(0)
  private let blockedTime = Atomic<UInt64>(0)
  private let longestBlock = Atomic<UInt64>(0)

  init(trace: TraceClock) {
    self.trace = trace
    let now = trace.now()
    since = Atomic(now)
    started = now
  }

  /// From now on the node at `index` works. Returns the stamp.
  @discardableResult
  borrowing func enterBusy(_ index: Int, _ meters: Few<NodeMeter>) -> UInt64 { enter(index, meters) }
  borrowing func enterIdle(_ meters: Few<NodeMeter>) { enter(SegmentClock.idle, meters) }
  borrowing func enterBlocked(_ meters: Few<NodeMeter>) { enter(SegmentClock.blocked, meters) }
  borrowing func stop(_ meters: Few<NodeMeter>) { enter(SegmentClock.stopped, meters) }

  var now: UInt64 { trace.now() }

  @discardableResult
  private borrowing func enter(_ next: Int, _ meters: Few<NodeMeter>) -> UInt64 {
    let now = trace.now()
    let before = since.load(ordering: .relaxed)
    let elapsed = now > before ? now &- before : 0
    version.store(version.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    switch current.load(ordering: .relaxed) {
    case SegmentClock.idle: add(elapsed, to: idleTime)
    case SegmentClock.blocked:
      add(elapsed, to: blockedTime)
      if elapsed > longestBlock.load(ordering: .relaxed) { longestBlock.store(elapsed, ordering: .relaxed) }
    case SegmentClock.stopped: break
    case let index: meters[index]?.addBusy(elapsed)
    }
    since.store(max(now, before), ordering: .relaxed)
    current.store(next, ordering: .relaxed)
    version.store(version.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    return now
  }

  private borrowing func add(_ elapsed: UInt64, to sum: borrowing Atomic<UInt64>) {
    sum.store(sum.load(ordering: .relaxed) &+ elapsed, ordering: .relaxed)
  }

  /// A node of the task is idle while nodes before it work, and blocked while nodes after it work.
  borrowing func times(_ meters: [NodeMeter]) -> [NodeTimes] {
    while true {
      let before = version.load(ordering: .acquiring)
      if before & 1 == 1 { continue }
      let state = current.load(ordering: .relaxed)
      let sinceStamp = since.load(ordering: .relaxed)
      var idle = idleTime.load(ordering: .relaxed)
      var blocked = blockedTime.load(ordering: .relaxed)
      var longest = longestBlock.load(ordering: .relaxed)
      var busy = meters.map { $0.busy.load(ordering: .relaxed) }
      let longestBusy = meters.map { $0.longestBusy.load(ordering: .relaxed) }
      atomicMemoryFence(ordering: .acquiring)
      guard version.load(ordering: .relaxed) == before else { continue }
      let now = trace.now()
      let open = state == SegmentClock.stopped || now < sinceStamp ? 0 : now - sinceStamp
      switch state {
      case SegmentClock.idle: idle &+= open
      case SegmentClock.blocked:
        blocked &+= open
        longest = max(longest, open)
      case SegmentClock.stopped: break
      case let index: busy[index] &+= open
      }
      let end = state == SegmentClock.stopped ? sinceStamp : max(now, sinceStamp)
      return busy.indices.map { index in
        NodeTimes(
          busy: busy[index],
          idle: idle &+ busy[..<index].reduce(0, &+),
          blocked: blocked &+ busy[(index + 1)...].reduce(0, &+),
          longestBlock: longest, longestBusy: longestBusy[index], elapsed: end - started)
      }
    }
  }
}

/// Times of one node in one task, in nanoseconds.
struct NodeTimes: Sendable {
  var busy: UInt64
  var idle: UInt64
  var blocked: UInt64
  var longestBlock: UInt64
  var longestBusy: UInt64
  var elapsed: UInt64
}
