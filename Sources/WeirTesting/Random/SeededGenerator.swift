import Weir

/// A random number generator whose whole output is fixed by its seed, on every platform and in every release.
///
/// The algorithm is xoshiro256** (Blackman and Vigna); its four state words are the first four outputs of SplitMix64
/// started at the seed, so neighbouring seeds give unrelated streams and seed 0 is as good as any other. It is fast and
/// repeatable, and not fit for secrets.
///
/// Whole-number draws are made by ``index(below:)`` and not by the standard library's `random(in:using:)`, whose mapping
/// from bits to values is not promised to stay the same between releases.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var s0: UInt64
  private var s1: UInt64
  private var s2: UInt64
  private var s3: UInt64

  /// Makes the generator of `seed`. Every seed is valid.
  public init(seed: UInt64) {
    var mixer = SplitMix64(state: seed)
    s0 = mixer.next()
    s1 = mixer.next()
    s2 = mixer.next()
    s3 = mixer.next()
  }

  /// Makes a generator in a given state, to compare it with published outputs of the algorithm.
  init(state: (UInt64, UInt64, UInt64, UInt64)) {
    (s0, s1, s2, s3) = state
  }

  /// Makes the generator of a named stream of `seed`: streams of different names are unrelated, and what one task draws
  /// from its stream does not depend on how often other tasks drew from theirs.
  public init(seed: UInt64, stream: String) {
    self.init(seed: seed ^ StableHash.hash(stream))
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    let scrambled = s1 &* 5
    let result = ((scrambled << 7) | (scrambled >> 57)) &* 9
    let shifted = s1 << 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << 45) | (s3 >> 19)
    return result
  }

  /// A number in `0..<bound`, each equally likely; 0 when `bound` is 1 or less.
  ///
  /// The high half of a 64×64-bit product, drawn again while the low half falls in the uneven rest (Lemire's method).
  public mutating func index(below bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let range = UInt64(bound)
    let uneven = (0 &- range) % range
    var product = next().multipliedFullWidth(by: range)
    while product.low < uneven {
      product = next().multipliedFullWidth(by: range)
    }
    return Int(product.high)
  }

  /// A number in the closed range `range`, each equally likely.
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    let span = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
    guard span < UInt64(Int.max) else { return wideNumber(in: range) }
    return range.lowerBound &+ index(below: Int(span) + 1)
  }

  /// True once in `count` draws on average; always true when `count` is 1 or less.
  public mutating func oneIn(_ count: Int) -> Bool {
    index(below: count) == 0
  }

  /// One element of `elements`, each equally likely; nil when there is none.
  public mutating func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element? {
    guard !elements.isEmpty else { return nil }
    return elements[elements.index(elements.startIndex, offsetBy: index(below: elements.count))]
  }

  /// The elements in an order fixed by the seed (Fisher and Yates), all orders equally likely.
  public mutating func shuffled<Elements: Sequence>(_ elements: Elements) -> [Elements.Element] {
    var result = Array(elements)
    var remaining = result.count
    while remaining > 1 {
      let chosen = index(below: remaining)
      remaining -= 1
      result.swapAt(chosen, remaining)
    }
    return result
  }

  // Ranges wider than half of the number line: draw whole words until one falls inside.
  private mutating func wideNumber(in range: ClosedRange<Int>) -> Int {
    var candidate = Int(truncatingIfNeeded: next())
    while !range.contains(candidate) {
      candidate = Int(truncatingIfNeeded: next())
    }
    return candidate
  }
}

/// Steele, Lea and Flood's SplitMix64: spreads one seed over the state of a larger generator.
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
