import Weir

/// The work of the chains: cheap enough that the framework is what is measured, and not foldable into nothing.
enum Arithmetic {
  @inline(__always) static func scale(_ value: Int) -> Int { value &* 3 &+ 1 }
  @inline(__always) static func isKept(_ value: Int) -> Bool { value & 15 != 7 }
  @inline(__always) static func fold(_ value: Int) -> Int { value ^ (value &>> 7) }
  @inline(__always) static func shift(_ value: Int) -> Int { value &+ 0x5bd1 }
  @inline(__always) static func isWanted(_ value: Int) -> Bool { value & 31 != 3 }
  @inline(__always) static func mix(_ value: Int) -> Int { value &* 0x9e37 ^ (value &>> 3) }

  /// The chain of six as one function: map, filter, map, map, filter, map.
  @inline(__always)
  static func six(_ value: Int) -> Int? {
    let scaled = scale(value)
    guard isKept(scaled) else { return nil }
    let shifted = shift(fold(scaled))
    guard isWanted(shifted) else { return nil }
    return mix(shifted)
  }

  /// The sum of what the chain lets through: the result every variant must give.
  @Sendable
  static func sumOfSix(_ count: Int) -> Int {
    var sum = 0
    for value in 0..<count { if let kept = six(value) { sum &+= kept } }
    return sum
  }

  /// The same for the chain applied twice.
  @Sendable
  static func sumOfTwelve(_ count: Int) -> Int {
    var sum = 0
    for value in 0..<count { if let once = six(value), let twice = six(once) { sum &+= twice } }
    return sum
  }

  /// The sum of the numbers themselves, for workloads without operators.
  @Sendable
  static func sum(_ count: Int) -> Int { count &* (count &- 1) / 2 }
}

// The stages as a library would write them: nominal types.
struct Scale: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(Arithmetic.scale(element)) }
}
struct Keep: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { if Arithmetic.isKept(element) { emit(element) } }
}
struct Fold: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(Arithmetic.fold(element)) }
}
struct Shift: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(Arithmetic.shift(element)) }
}
struct Want: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { if Arithmetic.isWanted(element) { emit(element) } }
}
struct Mix: Stage {
  mutating func process(_ element: Int, _ emit: (Int) -> Void) { emit(Arithmetic.mix(element)) }
}
