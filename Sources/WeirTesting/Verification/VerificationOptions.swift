/// What a stage under verification promises beyond the rules.
public struct VerificationOptions: Sendable {
  /// Whether outputs leave in one order, whatever the interleaving. If not, they are compared as a set with counts.
  public var keepsOrder = true
  /// Whether equal inputs give equal outputs, whatever the interleaving. If not, outputs are not compared.
  public var isDeterministic = true
  /// Whether the stage may finish before its input does, as a prefix does.
  public var mayFinishEarly = false
  /// Whether elements may be created or dropped by time alone, so that a run that is drained or aborted proves nothing
  /// about outputs.
  public var dependsOnTime = false
  /// Sizes of the chunks in the graphs; each seed draws one.
  public var chunkSizes = [1, 2, 7, 256]
  /// How many elements the long run of R15 has. Reached by repeating the inputs.
  public var longRun = 20_000
  /// Real time to wait for a stage that is resumed by something the simulation does not see: its own timer, another
  /// thread, a plain `Task`. Zero counts such a wait as a stall at once. Each wait takes real time, so give few seeds; a
  /// stage that takes its clock and its threads from the ``Simulation`` that `verify` hands out needs none.
  public var stallPatience: Duration = .zero
  /// Rules to leave out, each with the reason, which the report repeats.
  public var exceptions: [Rule: String] = [:]

  /// A stage that keeps order, is deterministic, and finishes with its input.
  public init() {}
}
