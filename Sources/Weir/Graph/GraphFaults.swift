/// Something wrong with a blueprint, found before anything runs.
public struct GraphFault: CodedError, Hashable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Kind: String, Sendable, CaseIterable {
    /// A port is wired to nothing.
    case openPort = "open-port"
    /// A node has no name, so that no trace or error could name it.
    case emptyName = "empty-name"
    /// Two nodes have one name.
    case duplicateName = "duplicate-name"
    /// A limit can never admit an element.
    case badLimit = "bad-limit"
    /// A stage's parameters, or the building closure itself, are wrong.
    case badStage = "bad-stage"
    /// A node is fed by a port of another blueprint.
    case foreignPort = "foreign-port"
    /// A join waits for one leg of a fan-out while another leg fills.
    case starvingJoin = "starving-join"
    /// A node feeds itself without a feedback node.
    case cycle = "cycle"
    /// The blueprint has no nodes.
    case empty = "empty-graph"
  }

  /// What kind of fault it is.
  public let kind: Kind
  /// Name of the node concerned.
  public let node: String
  /// What is wrong and what to do.
  public let message: String
  /// Where the node stands in the user's code; nil where the fault belongs to the whole graph.
  public let location: SourceLocation?

  /// The kind, as a stable text.
  public var code: String { kind.rawValue }

  public var description: String {
    let place = location.map { "\($0): " } ?? ""
    return "\(place)\(kind.rawValue): \(message)"
  }
}

/// Every fault of a blueprint at once, in the order of the nodes.
public struct GraphFaults: CodedError, CustomStringConvertible {
  public let code = "graph-faults"
  /// Name of the blueprint.
  public let graph: String
  /// The faults, at least one.
  public let faults: [GraphFault]

  public var description: String {
    let count = faults.count == 1 ? "1 fault" : "\(faults.count) faults"
    return (["blueprint \"\(graph)\" has \(count):"] + faults.map { "  \($0)" }).joined(separator: "\n")
  }
}
