import Testing

@testable import Weir

/// The state machine of a link, without lock or tasks.
@Suite struct LinkStateTests {
  private func state(
    _ limit: LinkLimit, _ policy: OverflowPolicy<Int> = .wait, weighs: Bool = false, writers: Int = 1, readers: Int = 1
  ) -> LinkBench {
    LinkBench(
      LinkState(limit: limit, policy: policy, weighs: weighs, chunkSize: 4, writers: writers, readers: readers))
  }

  @Test func `a limit of elements refuses the next one until room is made`() {
    let state = state(.elements(3))
    for element in 1...3 { #expect(state.add(element) == .accepted) }
    #expect(state.add(4) == .full)
    #expect(state.takeAll(2) == [1, 2])
    #expect(state.add(4) == .accepted)
    #expect(state.takeAll() == [3, 4])
    #expect(state.takeAll() == [])
    #expect(state.isBalanced)
  }

  @Test func `a limit of bytes counts weights`() {
    let state = state(.bytes(10), weighs: true)
    #expect(state.add(1, weight: 6) == .accepted)
    #expect(state.add(2, weight: 5) == .full)
    #expect(state.add(3, weight: 4) == .accepted)
    #expect(state.weight == 10)
    #expect(state.takeAll(1) == [1])
    #expect(state.weight == 4)
    #expect(state.add(2, weight: 5) == .accepted)
  }

  @Test func `an element heavier than the limit gets in when the link is empty and only then`() {
    let state = state(.bytes(10), weighs: true)
    #expect(state.add(1, weight: 1) == .accepted)
    #expect(state.add(2, weight: 1_000) == .full)
    #expect(state.takeAll() == [1])
    #expect(state.add(2, weight: 1_000) == .accepted)
    #expect(state.add(3, weight: 1) == .full)
    #expect(state.takeAll() == [2])
    #expect(state.weight == 0)
  }

  @Test func `a limit of age refuses while the oldest is too old`() {
    let state = state(LinkLimit(age: .nanoseconds(100)))
    #expect(state.add(1, at: 1) == .accepted)
    #expect(state.add(2, at: 101) == .accepted)
    #expect(state.add(3, at: 102) == .full)
    #expect(state.pushIfRoom(3, at: 102) == false)
    #expect(state.takeAll() == [1])
    #expect(state.add(3, at: 102) == .accepted)
  }

  @Test func `drop oldest keeps the newest`() {
    let state = state(.elements(2), .dropOldest)
    for element in 1...5 { #expect(state.add(element) == .accepted) }
    #expect(state.discarded == [1, 2, 3])
    #expect(state.drain() == [4, 5])
    #expect(state.counters.overflowed == 3)
  }

  @Test func `drop newest keeps the oldest`() {
    let state = state(.elements(2), .dropNewest)
    for element in 1...5 { #expect(state.add(element) == .accepted) }
    #expect(state.discarded == [3, 4, 5])
    #expect(state.drain() == [1, 2])
  }

  @Test func `fail ends the link after what waits`() {
    let state = state(.elements(1), .fail)
    #expect(state.add(1) == .accepted)
    _ = state.add(2)
    #expect(state.add(3) == .closed)
    #expect(state.takeAll() == [1])
    guard case .failed(let failure) = state.end else {
      Issue.record("the link did not fail")
      return
    }
    #expect(failure.code == "link-overflow")
    #expect(state.isBalanced)
  }

  @Test func `expire discards what is too old, and only that`() {
    let state = state(LinkLimit(elements: 3, age: .nanoseconds(100)), .expire)
    for (element, time) in [(1, 1), (2, 50), (3, 60)] { #expect(state.add(element, at: UInt64(time)) == .accepted) }
    #expect(state.add(4, at: 90) == .full)
    #expect(state.add(4, at: 102) == .accepted)
    #expect(state.discarded == [1])
    #expect(state.takeAll(at: 155) == [3])
    #expect(state.discarded == [1, 2])
    #expect(state.counters.expired == 2)
  }

  @Test func `a cancelled writer abandons what waits, a finished one does not`() {
    let cancelled = state(.elements(4))
    _ = cancelled.add(1)
    cancelled.finish(.cancelled)
    #expect(cancelled.discarded == [1])
    #expect(cancelled.takeAll() == [])
    let finished = state(.elements(4))
    _ = finished.add(1)
    finished.finish(.finished)
    #expect(finished.add(2) == .closed)
    #expect(finished.takeAll() == [1])
    #expect(cancelled.isBalanced && finished.isBalanced)
  }

  @Test func `the link ends with its last writer, and closes with its last reader`() {
    let state = state(.elements(4), writers: 2, readers: 2)
    state.finish(.finished)
    #expect(state.add(1) == .accepted)
    state.close()
    #expect(state.add(2) == .accepted)
    state.close()
    #expect(state.discarded == [1, 2])
    #expect(state.add(3) == .closed)
    state.close()
    #expect(state.readers == 0)
    #expect(state.counters.abandoned == 2)
  }

  @Test func `shrinking a limit discards nothing`() {
    let state = state(.elements(4))
    for element in 1...4 { _ = state.add(element) }
    state.change(.elements(1))
    #expect(state.add(5) == .full)
    #expect(state.drain() == [1, 2, 3, 4])
    #expect(state.add(5) == .accepted)
    #expect(state.add(6) == .full)
  }
}
