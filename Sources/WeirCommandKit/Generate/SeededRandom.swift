/// SplitMix64: a small generator that gives the same numbers for a seed on every machine and in every process.
struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A generator for one thing among many, such as message 7 of seed 42: the same whenever it is asked for.
  init(seed: UInt64, stream: UInt64) {
    state = Self.mix(seed ^ Self.mix(stream &+ 0x9E37_79B9_7F4A_7C15))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A number from 0 up to but without `bound`, which is at least 1. The bias is below `bound` / 2^64.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: max(1, bound))).high)
  }

  /// True with the given probability.
  mutating func chance(_ probability: Double) -> Bool {
    probability > 0 && unit() < probability
  }

  /// A number from 0 up to but without 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// One of `choices`, which is not empty.
  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  /// The finishing step of SplitMix64: spreads a number over all 64 bits, one to one.
  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
