import Synchronization
import WeirTesting

@testable import Weir

/// Runs a body once for every seed, with run options that take all time from the simulation. Late failures leave the
/// names of their nodes in `late`.
func runInSimulation(
  seeds: Int = 50, chunkSizes: [Int] = [1, 3, 256], stepLimit: Int = 1_000_000, fileID: String = #fileID,
  function: String = #function, late: RunLog<String>? = nil,
  _ body: @escaping @Sendable (Simulation, RunOptions) async throws -> Void
) throws {
  var options = SimulationOptions()
  options.stepLimit = stepLimit
  try forEachSeed(count: seeds, options: options, fileID: fileID, function: function) { simulation in
    var generator = simulation.generator("chunk size")
    let size = generator.element(of: chunkSizes) ?? 256
    try await body(simulation, simulation.runOptions(chunkSize: size) { late?.append($0.node) })
  }
}

extension Simulation {
  /// Lets a number of jobs run, drawn from a stream of the seed.
  func pause(_ stream: String, atMost most: Int) async {
    var generator = self.generator(stream)
    for _ in 0..<generator.index(below: most) { await Task.yield() }
  }
}

/// A number several tasks count up.
final class RunCounter: Sendable {
  private let state = Atomic<Int>(0)
  var value: Int { state.load(ordering: .relaxed) }
  @discardableResult
  func next() -> Int { state.add(1, ordering: .relaxed).newValue }
}

/// Things noted by several tasks, in the order in which they were noted.
final class RunLog<Element: Sendable>: Sendable {
  private let state = TestMutex<[Element]>([])
  var all: [Element] { state.withLock { $0 } }
  func append(_ element: Element) { state.withLock { $0.append(element) } }
}

extension GraphSnapshot {
  /// The first node or link whose counters do not balance, described; nil when all do.
  var imbalance: String? {
    for node in nodes {
      let taken = node.elementsIn &+ node.created
      let gone =
        node.elementsOut &+ node.filtered &+ node.merged &+ node.discarded &+ node.deadLettered &+ node.inFlight
      if taken != gone { return "\(node)" }
    }
    for link in links {
      let counters = link.counters
      let gone =
        counters.delivered &+ counters.conflated &+ counters.overflowed &+ counters.expired &+ counters.abandoned
      if counters.accepted != gone &+ UInt64(link.depth) { return "\(link)" }
    }
    return nil
  }
}
