/// Tests of asynchronous sequences by diagrams that show elements and their times.
///
/// ```swift
/// try Marble.check(inputs: ["ab--cd-e-f---gh|"], expected: "------------f--[h|]") { inputs, clock in
///   inputs[0].debounce(for: Marble.ticks(3), clock: clock)
/// }
/// ```
public enum Marble {
  /// The virtual time of one tick: a second.
  public static let tick: Duration = .seconds(1)

  /// The virtual time of `count` ticks.
  public static func ticks(_ count: Int) -> Duration {
    .seconds(count)
  }

  /// Plays the inputs, consumes the sequence made from them, and compares with the expectation, for every seed.
  ///
  /// A run lasts for twice the longest diagram; then the consumer is stopped, and what the sequence does about that is not
  /// part of the comparison. An event between two ticks counts for the later one, within a
  /// microsecond of the earlier one for that: timed stages act an instant beyond their deadlines. After an end the
  /// sequence is asked once more and must return nil.
  ///
  /// - Parameters:
  ///   - inputs: diagrams of the sources, see ``MarbleDiagram``.
  ///   - expected: the diagram of the consumer.
  ///   - seeds: the interleavings to try.
  ///   - makeSequence: called once a run, inside the consuming task.
  /// - Throws: ``MarbleSyntaxError`` for a faulty diagram; ``SeedFailure`` with a ``MarbleMismatch``, or with a
  ///   ``SimulationError`` when the sequence hangs even though it was cancelled.
  public static func check<Base: AsyncSequence & SendableMetatype>(
    inputs: [String],
    expected: String,
    seeds: Seeds = .sweep(25),
    options: SimulationOptions = SimulationOptions(),
    fileID: String = #fileID,
    function: String = #function,
    _ makeSequence: @escaping @Sendable ([MarbleInput], VirtualClock) -> Base
  ) throws where Base.Element == String {
    try check(
      inputs: inputs, expected: expected, seeds: seeds, options: options, fileID: fileID, function: function
    ) { inputs, simulation, consumer in
      await consumer.consume(makeSequence(inputs, simulation.clock))
    }
  }

  /// Does what the other form does, for things that live in a scope, such as a running graph: `scope` builds it from the inputs
  /// and connects the consumer to it, by pulling or by pushing.
  ///
  /// The scope runs in the task that `;` and the end of the diagram cancel. An error it throws counts as a failure seen
  /// by the consumer, unless the consumer has already seen an end.
  ///
  /// - Throws: as the other form.
  public static func check(
    inputs: [String],
    expected: String,
    seeds: Seeds = .sweep(25),
    options: SimulationOptions = SimulationOptions(),
    fileID: String = #fileID,
    function: String = #function,
    in scope: @escaping @Sendable ([MarbleInput], Simulation, MarbleConsumer) async throws -> Void
  ) throws {
    let run = try MarbleRun(inputs: inputs, expected: expected)
    try forEachSeed(in: seeds, options: options, fileID: fileID, function: function) { simulation in
      let recording = await run.perform(in: simulation, scope)
      if let mismatch = MarbleMismatch(inputs: run.inputs, expected: run.expected, recording: recording) {
        throw mismatch
      }
    }
  }

  /// Plays the inputs for twice the longest of them and returns what a consumer saw, in one run.
  ///
  /// - Throws: ``MarbleSyntaxError`` for a faulty diagram; ``SimulationError`` when the sequence hangs.
  public static func record<Base: AsyncSequence & SendableMetatype>(
    inputs: [String],
    seed: UInt64? = nil,
    options: SimulationOptions = SimulationOptions(),
    fileID: String = #fileID,
    function: String = #function,
    _ makeSequence: @escaping @Sendable ([MarbleInput], VirtualClock) -> Base
  ) throws -> MarbleDiagram where Base.Element == String {
    let run = try MarbleRun(inputs: inputs, expected: "")
    let recording = try simulate(seed: seed, options: options, fileID: fileID, function: function) { simulation in
      await run.perform(in: simulation) { inputs, simulation, consumer in
        await consumer.consume(makeSequence(inputs, simulation.clock))
      }
    }
    return MarbleDiagram(entries: recording.entries, length: run.inputs.map(\.length).max() ?? 0)
  }

  static func instant(ofTick tick: Int) -> VirtualClock.Instant {
    VirtualClock.Instant(offset: ticks(tick))
  }

  /// How far beyond a tick something still belongs to it.
  static var tolerance: Duration { .microseconds(1) }

  /// The tick on which something at `instant` is first seen.
  static func tick(at instant: VirtualClock.Instant) -> Int {
    let (whole, rest) = instant.offset.attoseconds.quotientAndRemainder(dividingBy: tick.attoseconds)
    return Int(clamping: whole + (rest > tolerance.attoseconds ? 1 : 0))
  }
}
