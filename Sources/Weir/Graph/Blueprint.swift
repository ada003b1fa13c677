/// A whole dataflow graph as an immutable value: checked before anything moves, described without running, run as often
/// as wanted, also at the same time, each run with its own copies of the stages.
public struct Blueprint<Handles: Sendable>: Sendable {
  /// Name of the graph.
  public let name: String
  /// Nodes in the order in which they were declared.
  public let nodes: [NodeDescription]
  /// Connections in the order in which they were wired.
  public let edges: [EdgeDescription]
  /// What the building closure returned: typically handles, which a run resolves.
  public let handles: Handles
  let cycleExits: Set<Int>
  let roots: [@Sendable (RunContext) -> Void]

  /// Builds and checks a graph.
  /// - Parameter build: declares nodes and wires ports; called once, at once. What it returns becomes ``handles``.
  /// - Throws: ``GraphFaults`` with every fault of the graph; whatever `build` throws goes into it as well.
  public init(_ name: String, _ build: (GraphBuilder) throws -> Handles) throws(GraphFaults) {
    let builder = GraphBuilder(name: name)
    let result: Result<Handles, any Error> = Result { try build(builder) }
    var faults = builder.check()
    switch result {
    case .success(let handles):
      self.handles = handles
      guard faults.isEmpty else { throw GraphFaults(graph: name, faults: faults) }
    case .failure(let error):
      faults.insert(GraphFault(kind: .badStage, node: name, message: "building failed: \(error)", location: nil), at: 0)
      throw GraphFaults(graph: name, faults: faults)
    }
    self.name = name
    // Copied, so that they take no more room than they need.
    nodes = builder.nodes.map { $0 }
    edges = builder.edges.map { $0 }
    cycleExits = builder.cycleExits()
    roots = builder.roots + builder.lateRoots
  }

  /// Runs the graph until every task of it has ended.
  /// - Returns: the final counters and clocks.
  /// - Throws: ``StageFailure`` when a node failed; `CancellationError` when the calling task was cancelled;
  ///   ``RunError/badLimit(_:)`` at once for a chunk size below 1.
  @discardableResult
  public nonisolated(nonsending) func run(_ options: RunOptions = RunOptions()) async throws -> GraphSnapshot {
    try await run(options) { $0 }.snapshot()
  }

  /// Runs the graph, and `body` beside it. Returns when both have ended.
  ///
  /// `body` gets the live graph: to watch it, to drain or abort it, to use what the handles stand for. When it throws,
  /// the run is aborted.
  /// - Throws: what `body` throws; else ``StageFailure`` when a node failed; else `CancellationError` when the calling
  ///   task was cancelled. ``RunError/badLimit(_:)`` at once for a chunk size below 1.
  public nonisolated(nonsending) func run<Result: Sendable>(
    _ options: RunOptions = RunOptions(), _ body: (LiveGraph<Handles>) async throws -> Result
  ) async throws -> Result {
    if options.chunkSize < 1 {
      throw RunError.badLimit("chunks of \(options.chunkSize) elements can hold none; use 1 or more")
    }
    let context = RunContext(name: name, nodes: nodes, edges: edges, cycleExits: cycleExits, options: options)
    for root in roots { root(context) }
    let segments = context.segments
    let live = LiveGraph(context, handles: handles)
    let outcome = await withDiscardingTaskGroup(returning: Swift.Result<Result, any Error>.self) { group in
      // One handler for all tasks of the run: one in each would cost each of them memory. It is set up inside the group,
      // since the innermost hears first: a task must know that it was told to stop before what it waits for throws.
      await withTaskCancellationHandler {
        context.begin(segments)
        for segment in segments { group.add(segment, context) }
        group.addTimers(context)
        let outcome: Swift.Result<Result, any Error>
        do {
          outcome = .success(try await body(live))
        } catch {
          context.abort()
          outcome = .failure(error)
        }
        context.bodyEnded()
        await context.waitForEnd()
        return outcome
      } onCancel: {
        for segment in segments { segment.taskCancelled() }
      }
    }
    let result = try outcome.get()
    if let failure = context.failure { throw failure }
    if Task.isCancelled { throw CancellationError() }
    return result
  }
}

extension DiscardingTaskGroup {
  // A child without an executor of its own inherits the parent's, which a nil preference would not.

  fileprivate mutating func add(_ segment: Segment, _ context: RunContext) {
    if let executor = context.options.executor {
      addTask(executorPreference: executor) { await segment.perform() }
    } else {
      addTask { await segment.perform() }
    }
  }

  fileprivate mutating func addTimers(_ context: RunContext) {
    if let executor = context.options.executor {
      addTask(executorPreference: executor) { await context.timers.service.run() }
    } else {
      addTask { await context.timers.service.run() }
    }
  }
}
