/// Random numbers fixed by a seed, for simulations that replay. Steele, Lea and Flood's SplitMix64; not fit for secrets.
public struct SimulatorGenerator: Sendable, RandomNumberGenerator {
  private var state: UInt64

  /// The generator of a seed. Streams of one seed are unrelated.
  public init(seed: UInt64, stream: UInt64 = 0) {
    var mixer = SimulatorGenerator(state: stream &* 0xD1B5_4A32_D192_ED03 ^ 0x8CB9_2BA7_2F3D_8DD7)
    state = seed ^ mixer.next()
  }

  private init(state: UInt64) { self.state = state }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to but not 1.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below a bound; 0 when the bound is 1 or less.
  public mutating func index(below bound: Int) -> Int { bound > 1 ? Int(fraction() * Double(bound)) : 0 }
}
