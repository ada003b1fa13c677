import Synchronization

/// The counters of one node in one task of one run. Written by that task alone, once a chunk; read by anyone.
///
/// A reader retries while the writer is in the middle of an update, so that a snapshot is always balanced: elements in
/// plus created equal out plus filtered, merged, discarded and in flight.
@usableFromInline
final class NodeMeter: Sendable {
  /// Index of the node in the blueprint.
  var node: Int { Int(nodeIndex) }
  /// Its place among the nodes of its task, upstream first.
  var place: Int { Int(placeIndex) }
  // Kept small and side by side: a graph has one of these for each node and task.
  private let nodeIndex: Int32
  private let placeIndex: Int32
  private let shared = Mutex<Void>(())
  /// Set while an observer samples what the node emits.
  @usableFromInline let tapped = Atomic<Bool>(false)
  private let version = Atomic<UInt64>(0)
  private let elementsIn = Atomic<UInt64>(0)
  private let elementsOut = Atomic<UInt64>(0)
  private let chunks = Atomic<UInt64>(0)
  private let filtered = Atomic<UInt64>(0)
  private let created = Atomic<UInt64>(0)
  private let merged = Atomic<UInt64>(0)
  private let discarded = Atomic<UInt64>(0)
  private let deadLettered = Atomic<UInt64>(0)
  private let errors = Atomic<UInt64>(0)
  private let retries = Atomic<UInt64>(0)
  private let held = Atomic<UInt64>(0)
  private let lastActivity = Atomic<UInt64>(0)
  let busy = Atomic<UInt64>(0)
  let longestBusy = Atomic<UInt64>(0)

  init(node: Int, place: Int) {
    nodeIndex = Int32(clamping: node)
    placeIndex = Int32(clamping: place)
  }

  /// What one chunk did in a node.
  @frozen
  @usableFromInline
  struct Tally: Sendable {
    @usableFromInline var elementsIn = 0
    @usableFromInline var elementsOut = 0
    @usableFromInline var filtered = 0
    @usableFromInline var created = 0
    @usableFromInline var merged = 0
    @usableFromInline var discarded = 0
    @usableFromInline var deadLettered = 0
    @usableFromInline var errors = 0
    @usableFromInline var retries = 0
    @usableFromInline var held = 0

    @inlinable init() {}
  }

  @usableFromInline
  func record(_ tally: Tally, at stamp: UInt64) {
    begin()
    bump(elementsIn, tally.elementsIn)
    bump(elementsOut, tally.elementsOut)
    bump(chunks, 1)
    bump(filtered, tally.filtered)
    bump(created, tally.created)
    bump(merged, tally.merged)
    bump(discarded, tally.discarded)
    bump(deadLettered, tally.deadLettered)
    bump(errors, tally.errors)
    bump(retries, tally.retries)
    held.store(UInt64(truncatingIfNeeded: tally.held), ordering: .relaxed)
    lastActivity.store(stamp, ordering: .relaxed)
    end()
  }

  /// What a source does for each element it is given: one created, one out, in a chunk of its own.
  @usableFromInline
  func recordCreated() {
    begin()
    bump(elementsOut, 1)
    bump(chunks, 1)
    bump(created, 1)
    end()
  }

  func addBusy(_ nanoseconds: UInt64) {
    busy.store(busy.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
    if nanoseconds > longestBusy.load(ordering: .relaxed) { longestBusy.store(nanoseconds, ordering: .relaxed) }
  }

  private func bump(_ counter: borrowing Atomic<UInt64>, _ number: Int) {
    guard number != 0 else { return }
    counter.store(counter.load(ordering: .relaxed) &+ UInt64(truncatingIfNeeded: number), ordering: .relaxed)
  }

  private func begin() {
    version.store(version.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
  }

  private func end() {
    version.store(version.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Adds this meter's counts to a snapshot.
  func add(to snapshot: inout NodeSnapshot) {
    while true {
      let before = version.load(ordering: .acquiring)
      if before & 1 == 1 { continue }
      var copy = snapshot
      copy.elementsIn &+= elementsIn.load(ordering: .relaxed)
      copy.elementsOut &+= elementsOut.load(ordering: .relaxed)
      copy.chunks &+= chunks.load(ordering: .relaxed)
      copy.filtered &+= filtered.load(ordering: .relaxed)
      copy.created &+= created.load(ordering: .relaxed)
      copy.merged &+= merged.load(ordering: .relaxed)
      copy.discarded &+= discarded.load(ordering: .relaxed)
      copy.deadLettered &+= deadLettered.load(ordering: .relaxed)
      copy.errors &+= errors.load(ordering: .relaxed)
      copy.retries &+= retries.load(ordering: .relaxed)
      copy.inFlight &+= held.load(ordering: .relaxed)
      copy.lastActivity = max(copy.lastActivity, lastActivity.load(ordering: .relaxed))
      atomicMemoryFence(ordering: .acquiring)
      if version.load(ordering: .relaxed) == before {
        snapshot = copy
        return
      }
    }
  }
}

extension NodeMeter {
  /// Counts for nodes that several tasks may touch at once: sources fed by callbacks, processes.
  /// Elements a process takes in are consumed there, and what it sends is created there.
  @usableFromInline
  func count(_ tally: Tally) {
    shared.withLock { _ in record(tally, at: TraceClock.monotonicNanoseconds()) }
  }

  /// Counts a throw at the moment it happens: what becomes of the element may be known only after a wait.
  @usableFromInline
  func countError() {
    shared.withLock { _ in
      begin()
      bump(errors, 1)
      end()
    }
  }

  @usableFromInline
  func countIn(_ number: Int) {
    var tally = Tally()
    tally.elementsIn = number
    tally.merged = number
    count(tally)
  }

  @usableFromInline
  func countOut(_ number: Int) {
    var tally = Tally()
    tally.elementsOut = number
    tally.created = number
    count(tally)
  }
}
