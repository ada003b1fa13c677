@testable import Weir

/// What an offer came to, without the waiters.
enum OfferResult: Equatable { case accepted, full, closed }

/// A link state to be called by hand, with a memory of what it discarded. Used by one test.
final class LinkBench {
  private var state: LinkState<Int>
  private(set) var discarded: [Int] = []

  init(_ state: consuming LinkState<Int>) { self.state = state }

  var weight: Int { state.weight }
  var count: Int { state.count }
  var readers: Int { state.readers }
  var end: LinkEnd? { state.end }
  var counters: LinkCounters { state.counters }

  var isBalanced: Bool {
    let counters = state.counters
    let gone = counters.delivered + counters.conflated + counters.overflowed + counters.expired + counters.abandoned
    return counters.accepted == gone + UInt64(state.count)
  }

  func add(_ element: Int, weight: Int = 0, at time: UInt64 = 1) -> OfferResult {
    var discards = Chunk<Int>()
    let offer = state.offer(element, token: nil, weight: weight, stamp: time, discards: &discards)
    discarded += discards.array()
    return result(offer)
  }

  func pushIfRoom(_ element: Int, at time: UInt64) -> Bool { state.pushIfRoom(element, stamp: time) }

  /// Offers a chunk; returns what did not fit.
  func add(contentsOf elements: [Int], at time: UInt64 = 1) -> [Int] {
    var chunk = Chunk(elements)
    _ = state.offer(&chunk, stamp: time)
    return chunk.array()
  }

  /// One take: at most one chunk.
  func takeAll(_ limit: Int = .max, at time: UInt64 = 1) -> [Int] {
    var chunk = Chunk<Int>()
    var discards = Chunk<Int>()
    _ = state.take(into: &chunk, limit: limit, stamp: time, discards: &discards)
    discarded += discards.array()
    return chunk.array()
  }

  /// Takes until nothing is left.
  func drain(at time: UInt64 = 1) -> [Int] {
    var all: [Int] = []
    while true {
      let next = takeAll(at: time)
      if next.isEmpty { return all }
      all += next
    }
  }

  func finish(_ end: LinkEnd) {
    var discards = Chunk<Int>()
    _ = state.finishWriter(end, discards: &discards)
    discarded += discards.array()
  }

  func close() {
    var discards = Chunk<Int>()
    _ = state.closeReader(discards: &discards)
    discarded += discards.array()
  }

  func change(_ limit: LinkLimit) { _ = state.change(limit: limit) }

  private func result(_ offer: Offer) -> OfferResult {
    switch offer {
    case .accepted: .accepted
    case .full: .full
    case .closed: .closed
    }
  }
}
