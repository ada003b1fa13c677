/// A number of a source and what it means, if this version knows. A number that is not known is kept, so that it can be
/// logged and passed on (receiving spec §3, invariant 5).
public enum Native<Known: RawRepresentable & Hashable & Sendable>: Sendable, Hashable where Known.RawValue == Int64 {
  /// A meaning that this version knows.
  case known(Known)
  /// A number from the future. Nothing may be concluded from it.
  case unknown(Int64)

  /// What a number means.
  public init(_ number: Int64) {
    self = Known(rawValue: number).map { .known($0) } ?? .unknown(number)
  }

  /// The number as the source gave it.
  public var number: Int64 {
    switch self {
    case .known(let known): known.rawValue
    case .unknown(let number): number
    }
  }

  /// The meaning; nil when this version knows none.
  public var known: Known? {
    if case .known(let known) = self { known } else { nil }
  }
}

extension Native: CustomStringConvertible {
  /// The meaning, or the number behind a number sign.
  public var description: String {
    switch self {
    case .known(let known): "\(known)"
    case .unknown(let number): "#\(number)"
    }
  }
}
