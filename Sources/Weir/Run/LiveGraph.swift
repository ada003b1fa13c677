/// A running graph, as the body of its run sees it. Everything on it may be called from any task; after the run has
/// ended, commands do nothing and looks show the last state.
public struct LiveGraph<Handles: Sendable>: Sendable {
  let context: RunContext
  /// What the building closure of the blueprint returned.
  public let handles: Handles

  init(_ context: RunContext, handles: Handles) {
    self.context = context
    self.handles = handles
  }

  /// What a handle stands for in this run.
  /// - Throws: ``RunError/unknownHandle`` when the handle is from another blueprint.
  public subscript<Value: Sendable>(handle: Handle<Value>) -> Value {
    get throws(RunError) {
      guard let value = context.handle(handle.id) as? Value else { throw .unknownHandle }
      return value
    }
  }

  /// Counters, clocks and link depths at this moment.
  public func snapshot() -> GraphSnapshot { context.snapshot() }

  /// Whether every task of the run has ended.
  public var isEnded: Bool { context.isEnded }

  /// Waits until every task of the run has ended, or the calling task is cancelled.
  public func waitUntilEnded() async { _ = await context.waitForEnd(until: nil, cancellable: true) }

  /// Stops the graph from source to sink: sources are interrupted, half-full batches flush, what is under way settles,
  /// sinks close. After the deadline what is left is aborted.
  /// - Returns: whether it ended in time, and what did not settle.
  @discardableResult
  public func drain(deadline: Duration) async -> DrainReport {
    let until = context.clock.now + min(deadline, .longest)
    context.stopIntake()
    let inTime = await context.waitForEnd(until: until, cancellable: true)
    let unsettled = context.ledgers.flatMap { $0.unsettled() }
    if !inTime {
      context.abort()
      await context.waitForEnd()
    }
    return DrainReport(endedInTime: inTime, unsettled: inTime ? [] : unsettled)
  }

  /// Stops the graph at once: at most the chunk in hand is still processed. Elements under way are abandoned.
  public func abort() { context.abort() }

  /// Changes the limits of the link of a boundary, or of the link a node writes into, while elements move.
  /// - Throws: ``RunError/unknownLink(_:)``, ``RunError/badLimit(_:)``.
  public func setLimit(_ limit: LinkLimit, of link: String) throws(RunError) {
    if let fault = limit.fault { throw .badLimit(fault) }
    let matching = context.links.filter { $0.name == link }
    if matching.isEmpty { throw .unknownLink(link) }
    if limit.bytes != nil, matching.contains(where: { !$0.link.weighs }) {
      throw .badLimit("\"\(link)\" was made without a limit in bytes and weighs nothing; give it a limit in elements")
    }
    for named in matching { named.link.setLimit(limit) }
  }

  /// Watches what nodes emit: a bounded, lossy sample that never makes the graph wait.
  /// - Parameters:
  ///   - pattern: name of a node; `*` stands for any text.
  ///   - capacity: most samples waiting; when it is full the oldest goes, and is counted.
  /// - Throws: ``RunError/unknownNode(_:)`` when no node matches.
  public func tap(_ pattern: String, capacity: Int = 64) throws(RunError) -> Tap {
    let matching = context.nodes.indices.filter { TapRegistry.matches(context.nodes[$0].name, pattern) }
    if matching.isEmpty { throw .unknownNode(pattern) }
    if capacity <= 0 { throw .badLimit("a tap of \(capacity) samples can hold none") }
    return context.taps.open(
      Set(matching), names: matching.map { context.nodes[$0].name }, capacity: capacity, in: context)
  }
}

/// What a drain came to.
public struct DrainReport: Sendable, Hashable {
  /// Whether everything had ended at the deadline.
  public let endedInTime: Bool
  /// Positions of tracked elements that had not settled at the deadline, at most 1,000 for each tracker.
  public let unsettled: [UInt64]
}

/// A run could not begin, or a command to a running graph could not be carried out.
public enum RunError: CodedError, Hashable, CustomStringConvertible {
  /// The handle is from another blueprint.
  case unknownHandle
  /// No node has this name.
  case unknownNode(String)
  /// No link has this name.
  case unknownLink(String)
  /// The limit can never admit an element; the text says why.
  case badLimit(String)

  public var code: String {
    switch self {
    case .unknownHandle: "unknown-handle"
    case .unknownNode: "unknown-node"
    case .unknownLink: "unknown-link"
    case .badLimit: "bad-limit"
    }
  }

  public var description: String {
    switch self {
    case .unknownHandle: "the handle is from another blueprint; use one that this blueprint's closure returned"
    case .unknownNode(let name): "no node is named \"\(name)\"; describe() lists the names"
    case .unknownLink(let name): "no link is named \"\(name)\"; describe() lists the names"
    case .badLimit(let fault): fault
    }
  }
}
