/// What a finished run did; equal seeds give equal reports unless other threads took part.
public struct SimulationReport: Equatable, Sendable {
  /// The seed of the run.
  public var seed: UInt64
  /// How many jobs ran.
  public var steps: Int
  /// The virtual time that passed.
  public var elapsed: Duration
  /// How many jobs came from other threads than the driving one; above zero the run depends on real time.
  public var foreignEnqueues: Int
  /// How many tasks still slept on the virtual clock when the root task had ended. They were cancelled.
  public var leftoverSleepers: Int
  /// The names of external work still pending when the root task had ended.
  public var leftoverExternalWork: [String]
}
