/// A set of seqs as sorted closed ranges that neither overlap nor touch. Seqs are 1 and up; what lies below is left out.
///
/// Memory and file: a few bytes a range, so a conversation without holes is one range whatever its length.
public struct SeqIntervals: Sendable, Equatable {
  /// The ranges, in order.
  public private(set) var ranges: [ClosedRange<Int64>] = []

  /// The greatest seq a set can hold, so that the one after it is still a number.
  static let greatest = Int64.max - 1

  /// The empty set.
  public init() {}

  /// The set of all seqs in the ranges.
  public init(_ ranges: some Sequence<ClosedRange<Int64>>) {
    for range in ranges { insert(range) }
  }

  /// Whether it holds nothing.
  public var isEmpty: Bool { ranges.isEmpty }

  /// How many seqs it holds; `Int64.max` at most.
  public var count: Int64 {
    ranges.reduce(0) { sum, range in
      let (total, overflows) = sum.addingReportingOverflow(range.upperBound - range.lowerBound + 1)
      return overflows ? .max : total
    }
  }

  /// The greatest seq; 0 for none.
  public var last: Int64 { ranges.last?.upperBound ?? 0 }

  /// Whether it holds a seq.
  public func contains(_ seq: Int64) -> Bool {
    let index = firstIndex(endingAtOrAfter: seq)
    return index < ranges.count && ranges[index].lowerBound <= seq
  }

  /// Adds one seq.
  public mutating func insert(_ seq: Int64) {
    if seq > 0 { insert(seq...seq) }
  }

  /// Adds the seqs of a range.
  public mutating func insert(_ range: ClosedRange<Int64>) {
    guard let range = Self.legal(range) else { return }
    // Mostly the next seq of a conversation: it lengthens the last range.
    if let last = ranges.last, range.lowerBound > last.upperBound {
      if range.lowerBound == last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      } else {
        ranges.append(range)
      }
      return
    }
    let first = firstIndex(endingAtOrAfter: range.lowerBound - 1)
    var end = first
    var (low, high) = (range.lowerBound, range.upperBound)
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound + 1 {
      low = min(low, ranges[end].lowerBound)
      high = max(high, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(low...high))
  }

  /// Adds another set.
  public mutating func formUnion(_ other: SeqIntervals) {
    for range in other.ranges { insert(range) }
  }

  /// What it holds that another set does not.
  public func subtracting(_ other: SeqIntervals) -> SeqIntervals {
    var result = SeqIntervals()
    for range in ranges { result.ranges += other.gaps(in: range).ranges }
    return result
  }

  /// What of a range it does not hold.
  public func gaps(in range: ClosedRange<Int64>) -> SeqIntervals {
    var result = SeqIntervals()
    guard let range = Self.legal(range) else { return result }
    var next = range.lowerBound
    for held in ranges[firstIndex(endingAtOrAfter: next)...] {
      if held.lowerBound > range.upperBound { break }
      if held.lowerBound > next { result.ranges.append(next...(held.lowerBound - 1)) }
      next = held.upperBound + 1
      if next > range.upperBound { return result }
    }
    result.ranges.append(next...range.upperBound)
    return result
  }

  private static func legal(_ range: ClosedRange<Int64>) -> ClosedRange<Int64>? {
    let (low, high) = (max(range.lowerBound, 1), min(range.upperBound, greatest))
    return low <= high ? low...high : nil
  }

  /// The first range that ends at or after `seq`.
  private func firstIndex(endingAtOrAfter seq: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < seq { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
