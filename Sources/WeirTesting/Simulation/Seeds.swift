/// Which seeds a test runs.
public struct Seeds: Sendable {
  private enum Choice: Sendable {
    case sweep(Int)
    case fixed(ClosedRange<UInt64>)
  }

  private let choice: Choice

  /// The seeds 1 to `count`, unless the environment says otherwise: `WEIR_SEED` runs just that one seed, `WEIR_SEEDS`
  /// replaces the count.
  public static func sweep(_ count: Int = 100) -> Seeds {
    Seeds(choice: .sweep(count))
  }

  /// Exactly these seeds, whatever the environment says.
  public static func range(_ seeds: ClosedRange<UInt64>) -> Seeds {
    Seeds(choice: .fixed(seeds))
  }

  /// Exactly this seed, whatever the environment says.
  public static func only(_ seed: UInt64) -> Seeds {
    Seeds(choice: .fixed(seed...seed))
  }

  /// The seeds to run.
  ///
  /// - Throws: `SimulationError.invalidSeeds` when a variable is no number, or when there would be no seed at all, since
  ///   a sweep that runs nothing must not pass.
  public func resolved() throws(SimulationError) -> ClosedRange<UInt64> {
    try resolved(environment: ProcessEnvironment.value(of:))
  }

  func resolved(environment: (String) -> String?) throws(SimulationError) -> ClosedRange<UInt64> {
    switch choice {
    case .fixed(let range):
      return range
    case .sweep(let count):
      if let text = environment("WEIR_SEED"), !text.isEmpty {
        guard let seed = UInt64(text) else { throw .invalidSeeds(name: "WEIR_SEED", value: text) }
        return seed...seed
      }
      if let text = environment("WEIR_SEEDS"), !text.isEmpty {
        guard let count = UInt64(text), count > 0 else { throw .invalidSeeds(name: "WEIR_SEEDS", value: text) }
        return 1...count
      }
      guard count > 0 else { throw .invalidSeeds(name: "The number of seeds", value: "\(count)") }
      return 1...UInt64(count)
    }
  }
}
