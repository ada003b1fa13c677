/// Something wrong with a blueprint, found before anything runs.
public struct GraphFault: CodedError, Hashable, CustomStringConvertible {
  /// The kinds of fault.
  public enum Kind: String, Sendable, CaseIterable {
    case openPort = "open-port"
    case duplicateName = "duplicate-name"
    case badLimit = "bad-limit"
    case badStage = "bad-stage"
    case foreignPort = "foreign-port"
    case starvingJoin = "starving-join"
    case cycle = "cycle"
    case empty = "empty-graph"
  }

  public let kind: Kind
  /// Name of the node concerned.
  public let node: String
  /// What is wrong and what to do.
  public let message: String
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
  public let faults: [GraphFault]

  public var description: String {
    let count = faults.count == 1 ? "1 fault" : "\(faults.count) faults"
    return (["blueprint \"\(graph)\" has \(count):"] + faults.map { "  \($0)" }).joined(separator: "\n")
  }
}
