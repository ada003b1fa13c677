/// The counters and clocks of one node at one moment of a run. Counts are elements unless said.
///
/// At every moment `elementsIn + created = elementsOut + filtered + merged + discarded + deadLettered + inFlight`.
public struct NodeSnapshot: Sendable, Hashable {
  /// Name in the blueprint.
  public let name: String
  /// What the node does.
  public let kind: NodeKind
  /// Number of tasks that run the node (parallel workers, lanes).
  public internal(set) var tasks = 0
  /// Taken in.
  public internal(set) var elementsIn: UInt64 = 0
  /// Emitted.
  public internal(set) var elementsOut: UInt64 = 0
  /// Chunks processed.
  public internal(set) var chunks: UInt64 = 0
  /// Taken in and, by the node's own decision, not passed on.
  public internal(set) var filtered: UInt64 = 0
  /// Emitted beyond one for each element taken in (expand, a sequence of copies).
  public internal(set) var created: UInt64 = 0
  /// Taken in and made part of an emitted element together with others (batch).
  public internal(set) var merged: UInt64 = 0
  /// Discarded on purpose: skipped failures without a dead-letter outlet, unmatched routes, elements nobody wanted.
  public internal(set) var discarded: UInt64 = 0
  /// Sent to the dead letters.
  public internal(set) var deadLettered: UInt64 = 0
  /// Times the node threw, or was told to fail.
  public internal(set) var errors: UInt64 = 0
  /// Times an element was tried again.
  public internal(set) var retries: UInt64 = 0
  /// Held inside the node.
  public internal(set) var inFlight: UInt64 = 0
  /// Stamp of the last chunk, in nanoseconds of the trace clock; zero before the first.
  public internal(set) var lastActivity: UInt64 = 0
  /// Time at work. The three times sum to `elapsed * tasks`.
  public internal(set) var busy: Duration = .zero
  /// Time waiting for input.
  public internal(set) var idle: Duration = .zero
  /// Time waiting for room downstream.
  public internal(set) var blocked: Duration = .zero
  /// The longest single wait for room.
  public internal(set) var longestBlock: Duration = .zero
  /// The longest single chunk.
  public internal(set) var longestBusy: Duration = .zero
  /// Time since the node's task started, until now or until it ended; the sum over its tasks.
  public internal(set) var elapsed: Duration = .zero

  init(name: String, kind: NodeKind) {
    self.name = name
    self.kind = kind
  }

  mutating func add(_ times: NodeTimes) {
    tasks += 1
    busy += .nanoseconds(Int64(clamping: times.busy))
    idle += .nanoseconds(Int64(clamping: times.idle))
    blocked += .nanoseconds(Int64(clamping: times.blocked))
    elapsed += .nanoseconds(Int64(clamping: times.elapsed))
    longestBlock = max(longestBlock, .nanoseconds(Int64(clamping: times.longestBlock)))
    longestBusy = max(longestBusy, .nanoseconds(Int64(clamping: times.longestBusy)))
  }
}

/// One link at one moment of a run.
public struct LinkSnapshot: Sendable, Hashable {
  /// Name of the boundary, or of the node that writes into it.
  public let name: String
  /// Elements waiting, read from the link itself.
  public let depth: Int
  /// Weight of what waits, in bytes; zero where the link does not weigh.
  public let bytes: Int
  /// The limits in force.
  public let limit: LinkLimit
  /// What has gone through.
  public let counters: LinkCounters
  /// How long the oldest waiting element has waited; zero when empty.
  public let oldestAge: Duration
}

/// Everything the always-on tracing knows at one moment.
public struct GraphSnapshot: Sendable, Hashable {
  /// Name of the blueprint.
  public let graph: String
  /// Nodes in the order in which the blueprint declares them.
  public let nodes: [NodeSnapshot]
  /// Links in the order in which the run created them.
  public let links: [LinkSnapshot]

  /// The node of a name.
  public subscript(node name: String) -> NodeSnapshot? { nodes.first { $0.name == name } }
  /// The link of a name.
  public subscript(link name: String) -> LinkSnapshot? { links.first { $0.name == name } }
}
