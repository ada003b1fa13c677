/// How a simulated run behaves; every default is strict.
public struct SimulationOptions: Sendable {
  /// Who moves virtual time. With `.manual`, only ``Simulation/advance(by:)`` and ``VirtualClock/advance(by:)`` do.
  public var time: VirtualClock.Mode = .automatic

  /// The number of jobs after which the run counts as a livelock. A job is the stretch of a task between two suspensions;
  /// a loop that never suspends cannot be stopped.
  public var stepLimit: Int = 1_000_000

  /// The real time that pending ``ExternalWork`` may take before the run fails.
  public var externalTimeout: Duration = .seconds(10)

  /// The real time to wait for a job from another thread before a run without pending ``ExternalWork`` is declared
  /// stalled. Zero fits code that stays on the executor; for code that is resumed by threads of its own and cannot
  /// announce it, give it a fraction of a second.
  public var stallPatience: Duration = .zero

  /// Whether sleepers and external work may be left when the root task has ended. If not, they are an error, because
  /// someone started a task that nobody waits for.
  public var allowsLeftovers: Bool = false

  /// Receives the lines printed about a failed run; writes to standard error by default.
  public var report: @Sendable (String) -> Void = { ProcessEnvironment.printError($0) }

  /// The defaults.
  public init() {}

  /// Strict defaults, with time moved only by the test.
  public static var manualTime: SimulationOptions {
    var options = SimulationOptions()
    options.time = .manual
    return options
  }

  /// Strict defaults, printing nothing about failures: for runs that are expected to fail.
  public static var quiet: SimulationOptions {
    var options = SimulationOptions()
    options.report = { _ in }
    return options
  }
}
