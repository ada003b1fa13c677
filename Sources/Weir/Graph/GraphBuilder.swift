import Synchronization

/// Collects the nodes and connections of one blueprint while its closure runs.
///
/// Ports hold on to it, and nothing may be added after the closure has returned: the blueprint takes what is there.
public final class GraphBuilder {
  @usableFromInline
  struct Port {
    let node: Int
    let leg: String?
    let location: SourceLocation
    var consumed = false
  }

  let name: String
  var nodes: [NodeDescription] = []
  var edges: [EdgeDescription] = []
  var faults: [GraphFault] = []
  var ports: [Port] = []
  var roots: [Root] = []
  var traits: [NodeTraits] = []
  var deadLetterNode: Int?
  /// Names of the kill switches, by handle.
  var switches: [Int: String] = [:]
  /// Ledgers, by handle, with the tracker of each that has one.
  var ledgers: [Int: String?] = [:]
  /// Set-up of the ways back of feedback nodes.
  var feedbackPolicies: [Int: Root] = [:]
  /// Which node each port was wired to.
  var wiring: [(port: Int, node: Int)] = []
  /// Run after all other roots of a run.
  var lateRoots: [Root] = []

  /// What starts a task chain when the blueprint runs: a sink, or a feedback inlet.
  typealias Root = @Sendable (RunContext) -> Void

  init(name: String) { self.name = name }

  // MARK: Nodes

  @usableFromInline
  func addNode(
    _ name: String, _ kind: NodeKind, _ operation: String, _ location: SourceLocation, tasks: Int = 1, holds: Int? = 0,
    traits nodeTraits: NodeTraits = NodeTraits(), faults stageFaults: [String] = []
  ) -> Int {
    nodes.append(
      NodeDescription(name: name, kind: kind, operation: operation, location: location, tasks: tasks, holds: holds))
    traits.append(nodeTraits)
    for fault in stageFaults { addFault(.badStage, name, fault, location) }
    return nodes.count - 1
  }

  @usableFromInline
  func addFault(_ kind: GraphFault.Kind, _ node: String, _ message: String, _ location: SourceLocation?) {
    faults.append(GraphFault(kind: kind, node: node, message: message, location: location))
  }

  /// Checks a limit and makes the description of a link.
  @usableFromInline
  func link(
    _ name: String, _ limit: LinkLimit, _ policy: String, written: Bool, _ location: SourceLocation
  ) -> LinkDescription {
    if let fault = limit.fault { addLimitFault(name, fault, location) }
    if policy == "expire", limit.age == nil {
      addFault(.badLimit, name, "the policy expire without a limit of age expires nothing; give the link one", location)
    }
    return LinkDescription(name: name, limit: limit, policy: policy, isWritten: written)
  }

  @usableFromInline
  func addLimitFault(_ name: String, _ fault: String, _ location: SourceLocation) {
    addFault(.badLimit, name, "\(fault); write a positive limit, or .unbounded if you mean it", location)
  }

  // MARK: Ports

  @usableFromInline
  func openPort(_ node: Int, leg: String? = nil, _ location: SourceLocation) -> Int {
    ports.append(Port(node: node, leg: leg, location: location))
    return ports.count - 1
  }

  /// Wires an outlet to a node.
  @usableFromInline
  func connect(
    _ port: Int, of owner: GraphBuilder, to node: Int, element: Any.Type, stride: Int, link: LinkDescription?
  ) {
    guard owner === self else {
      addFault(
        .foreignPort, nodes[node].name, "node \"\(nodes[node].name)\" is fed by a port of blueprint \"\(owner.name)\"",
        nodes[node].location)
      return
    }
    ports[port].consumed = true
    wiring.append((port, node))
    edges.append(
      EdgeDescription(
        from: ports[port].node, to: node, leg: ports[port].leg, element: "\(element)", stride: stride, link: link))
  }

  /// Takes a port back to be replaced by one with a link: its node and leg.
  @usableFromInline
  func rewire(_ port: Int) -> (node: Int, leg: String?) {
    ports[port].consumed = true
    return (ports[port].node, ports[port].leg)
  }

  @usableFromInline
  func addRoot(_ root: @escaping @Sendable (RunContext) -> Void) { roots.append(root) }

  func addLateRoot(_ root: @escaping @Sendable (RunContext) -> Void) { lateRoots.append(root) }

  @usableFromInline
  func newHandle() -> Int { Self.handles.add(1, ordering: .relaxed).oldValue }

  /// One number after the other for all blueprints, so that a run knows a handle of another one as such.
  private static let handles = Atomic<Int>(0)

  // MARK: Checking

  /// Ports through which elements leave a cycle.
  func cycleExits() -> Set<Int> {
    let topology = Topology(nodes: nodes, edges: edges, traits: traits)
    var exits: Set<Int> = []
    for node in nodes.indices where traits[node].isFeedback {
      let inside = topology.cyclic(through: node)
      for (port, target) in wiring where inside.contains(ports[port].node) && !inside.contains(target) {
        exits.insert(port)
      }
    }
    return exits
  }

  /// Every fault of the finished graph.
  func check() -> [GraphFault] {
    var all = faults
    if nodes.isEmpty {
      all.append(GraphFault(kind: .empty, node: name, message: "the blueprint has no nodes", location: nil))
    }
    var seen: [String: SourceLocation] = [:]
    for node in nodes {
      if node.name.isEmpty {
        let message = "a node has an empty name; traces, errors and the drawing name it, so give it one"
        all.append(GraphFault(kind: .emptyName, node: node.name, message: message, location: node.location))
      } else if let first = seen[node.name] {
        let message = "two nodes are named \"\(node.name)\"; the first is at \(first)"
        all.append(GraphFault(kind: .duplicateName, node: node.name, message: message, location: node.location))
      } else {
        seen[node.name] = node.location
      }
    }
    for port in ports where !port.consumed {
      let node = nodes[port.node]
      let leg = port.leg.map { " (leg \"\($0)\")" } ?? ""
      let message =
        "the output of \"\(node.name)\"\(leg) goes nowhere; wire it to a sink, or to .ignore() if you mean it"
      all.append(GraphFault(kind: .openPort, node: node.name, message: message, location: port.location))
    }
    let topology = Topology(nodes: nodes, edges: edges, traits: traits)
    all += topology.faults()
    if let deadLetterNode { all += topology.joinsWaiting(forDeadLettersOf: deadLetterNode) }
    return all
  }
}
