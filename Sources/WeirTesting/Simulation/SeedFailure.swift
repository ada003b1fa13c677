/// A seed under which a test failed, and how to run it again.
public struct SeedFailure: Error, Sendable, CustomStringConvertible {
  /// The seed of the failed run.
  public var seed: UInt64
  /// What the run threw.
  public var error: any Error
  /// How to run it again.
  public var replay: ReplayInstruction

  /// A stable word for the kind of failure.
  public var code: String { "seed-failed" }

  /// The seed, the error and the replay line.
  public var description: String { "failed with seed \(seed): \(error)\n\(replay)" }
}
