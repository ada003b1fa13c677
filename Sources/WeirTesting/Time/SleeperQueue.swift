/// The sleepers of a virtual clock in waking order: by deadline, and at one instant by a tie-breaker drawn when the sleep
/// began, so that the order of ties is a matter of the seed.
///
/// A pure value. Memory: one entry a sleeper, removed the moment it wakes or is cancelled.
struct SleeperQueue<Waiter> {
  private struct Entry {
    let deadline: Duration
    let tieBreaker: UInt64
    let id: UInt64
    let waiter: Waiter

    func wakesAfter(_ other: Entry) -> Bool {
      (deadline, tieBreaker, id) > (other.deadline, other.tieBreaker, other.id)
    }
  }

  // Latest first, so that the next to wake is popped from the end.
  private var entries: [Entry] = []

  var count: Int { entries.count }
  var nextDeadline: Duration? { entries.last?.deadline }

  mutating func insert(id: UInt64, deadline: Duration, tieBreaker: UInt64, waiter: Waiter) {
    let entry = Entry(deadline: deadline, tieBreaker: tieBreaker, id: id, waiter: waiter)
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].wakesAfter(entry) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    entries.insert(entry, at: low)
  }

  mutating func remove(id: UInt64) -> Waiter? {
    guard let index = entries.lastIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index).waiter
  }

  /// Removes and returns, in waking order, everyone whose deadline is not after `instant`.
  mutating func removeDue(at instant: Duration) -> [Waiter] {
    var due: [Waiter] = []
    while let last = entries.last, last.deadline <= instant {
      due.append(last.waiter)
      entries.removeLast()
    }
    return due
  }

  mutating func removeAll() -> [Waiter] {
    let all = entries.reversed().map(\.waiter)
    entries.removeAll()
    return all
  }
}
