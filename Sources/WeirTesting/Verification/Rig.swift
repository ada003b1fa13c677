import Synchronization
import Weir

/// One simulated run of a subject in a small graph: options with virtual time, and what is watched meanwhile.
struct Rig<Input: Sendable, Output: Sendable & Equatable>: Sendable {
  let subject: Subject<Input, Output>
  let simulation: Simulation
  let witness = Witness()
  /// Failures that came too late for anyone.
  let late = Recorder<String>()
  /// What the subject emits for all its inputs; nil when nothing is known.
  let reference: [Output]?
  let chunkSize: Int

  init(_ subject: Subject<Input, Output>, _ simulation: Simulation, reference: [Output]?) {
    self.subject = subject
    self.simulation = simulation
    self.reference = reference
    var generator = simulation.generator("chunk")
    chunkSize = generator.element(of: subject.options.chunkSizes) ?? 256
  }

  /// Options of a run: the simulation's clock for everything, its executor by inheritance. A stage that waits in real time
  /// needs a graph that does, or virtual deadlines would pass while it sleeps.
  var options: RunOptions {
    let isPatient = subject.options.stallPatience > .zero
    return RunOptions(
      clock: isPatient ? .continuous : GraphClock(simulation.clock), trace: steppingTrace(), executor: nil,
      chunkSize: chunkSize,
      failureGrace: .seconds(86_400), onLateError: { [late] in late.append("\($0)") })
  }

  /// Virtual time in nanoseconds, and one more for every look, so that work takes time.
  private func steppingTrace() -> TraceClock {
    let looks = Counter()
    let clock = simulation.clock
    return TraceClock { UInt64(clamping: clock.now.offset.attoseconds / 1_000_000_000) &+ looks.next() }
  }

  /// The subject's part of a graph.
  func wire(_ graph: GraphBuilder, _ source: consuming Outlet<Input>) -> Outlet<Output> {
    subject.fragment(graph, source, witness, simulation)
  }

  /// Runs the subject over some inputs and gathers what it emits.
  func run(_ inputs: [Input]) async throws -> (outputs: [Output], snapshot: GraphSnapshot) {
    let blueprint = try Blueprint("verification") { graph in
      wire(graph, graph.source("source", inputs)).collect("sink")
    }
    return try await blueprint.run(options) { live in
      await live.waitUntilEnded()
      return (try live[live.handles].value, live.snapshot())
    }
  }

  /// What the subject is known to emit for some inputs.
  func expected(_ inputs: [Input]) -> [Output]? { subject.oracle.flatMap { $0(inputs) } }

  /// Lets a random number of jobs run.
  func pause(_ stream: String, atMost most: Int) async {
    var generator = simulation.generator(stream)
    for _ in 0..<generator.index(below: most) { await Task.yield() }
  }
}

/// Things noted by several tasks.
final class Recorder<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  var all: [Element] { state.withLock { $0 } }
  func append(_ element: Element) { state.withLock { $0.append(element) } }
}

/// Numbers from 1.
final class Counter: Sendable {
  private let state = Atomic<UInt64>(0)
  var value: UInt64 { state.load(ordering: .relaxed) }
  @discardableResult
  func next() -> UInt64 { state.add(1, ordering: .relaxed).newValue }
}
