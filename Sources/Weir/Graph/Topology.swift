/// What the checks of a graph need to know about a node.
@usableFromInline
struct NodeTraits: Sendable {
  /// Exactly one element out for each element in, in order.
  @usableFromInline var isOneToOne: Bool
  /// How the node joins its inputs.
  @usableFromInline var join: Join
  /// Whether its legs share one task that waits for the slowest.
  @usableFromInline var isFanOut: Bool
  /// Whether every leg of the fan-out gets every element.
  @usableFromInline var copiesToAll: Bool
  @usableFromInline var isFeedback: Bool

  @usableFromInline
  enum Join: Sendable {
    case none
    /// Needs one element of each input (zip).
    case pairs
    /// Waits for a certain input while others fill (sorted merge).
    case waitsForOne
    /// The same, and takes all of an input before any of the next (concat).
    case inTurn
  }

  @usableFromInline
  init(
    isOneToOne: Bool = false, join: Join = .none, isFanOut: Bool = false, copiesToAll: Bool = false,
    isFeedback: Bool = false
  ) {
    self.isOneToOne = isOneToOne
    self.join = join
    self.isFanOut = isFanOut
    self.copiesToAll = copiesToAll
    self.isFeedback = isFeedback
  }
}

/// Checks that need the whole graph: joins that can starve, and cycles.
struct Topology {
  let nodes: [NodeDescription]
  let edges: [EdgeDescription]
  let traits: [NodeTraits]

  func faults() -> [GraphFault] { starvingJoins() + cycles() }

  /// A join that needs certain inputs hangs when two of them come from one fan-out whose task waits for the slowest
  /// leg, unless both get exactly the same number of elements.
  private func starvingJoins() -> [GraphFault] {
    var faults: [GraphFault] = []
    for node in nodes.indices where traits[node].join != .none {
      let inputs = edges.filter { $0.to == node }
      var seen: [Int: (input: Int, path: Path)] = [:]
      var culprits: Set<Int> = []
      for (index, input) in inputs.enumerated() {
        for path in paths(above: input) {
          let fanOut = path.fanOut
          guard let other = seen[fanOut] else {
            seen[fanOut] = (index, path)
            continue
          }
          if other.input == index { continue }
          let exact = path.exact && other.path.exact && traits[fanOut].copiesToAll
          let neverWaits = path.drops && other.path.drops
          if !(traits[node].join == .pairs && exact) && !neverWaits { culprits.insert(fanOut) }
        }
      }
      for culprit in culprits.sorted() {
        let message =
          "join \"\(nodes[node].name)\" waits for one leg of \"\(nodes[culprit].name)\" while another leg fills: it can "
          + "starve; give every leg a dropping policy, or use merge or combineLatest"
        faults.append(
          GraphFault(kind: .starvingJoin, node: nodes[node].name, message: message, location: nodes[node].location))
      }
    }
    return faults
  }

  /// The way from a fan-out down to a join.
  private struct Path {
    let fanOut: Int
    /// Every node on the way is one to one, and nothing on the way drops.
    let exact: Bool
    /// A link on the way drops, so the fan-out never waits for this leg.
    let drops: Bool
  }

  /// Every way from a fan-out down to an edge.
  private func paths(above edge: EdgeDescription) -> [Path] {
    var found: [Path] = []
    var visited: Set<Int> = []
    func climb(_ edge: EdgeDescription, exact: Bool, drops: Bool) {
      let exact = exact && (edge.link.map { $0.policy == "wait" } ?? true)
      let drops = drops || edge.link?.drops == true
      let node = edge.from
      if traits[node].isFanOut { found.append(Path(fanOut: node, exact: exact, drops: drops)) }
      guard visited.insert(node).inserted else { return }
      for input in edges where input.to == node {
        climb(input, exact: exact && (traits[node].isOneToOne || traits[node].isFanOut), drops: drops)
      }
    }
    climb(edge, exact: true, drops: false)
    return found
  }

  /// Cycles that do not pass a feedback node.
  private func cycles() -> [GraphFault] {
    var color = [Int](repeating: 0, count: nodes.count)
    var faults: [GraphFault] = []
    func visit(_ node: Int) {
      color[node] = 1
      for edge in edges where edge.from == node && !traits[edge.to].isFeedback {
        if color[edge.to] == 1 {
          let message = "\"\(nodes[edge.to].name)\" feeds itself without a feedback node; use graph.feedback"
          faults.append(
            GraphFault(kind: .cycle, node: nodes[edge.to].name, message: message, location: nodes[edge.to].location))
        } else if color[edge.to] == 0 {
          visit(edge.to)
        }
      }
      color[node] = 2
    }
    for node in nodes.indices where color[node] == 0 { visit(node) }
    return faults
  }

  /// Nodes that can be reached from a node.
  static func behind(_ node: Int, _ edges: [EdgeDescription]) -> Set<Int> {
    var seen: Set<Int> = []
    var open = [node]
    while let next = open.popLast() {
      for edge in edges where edge.from == next && seen.insert(edge.to).inserted { open.append(edge.to) }
    }
    return seen
  }

  /// Nodes that lie on a cycle through a feedback node.
  func cyclic(through feedback: Int) -> Set<Int> {
    let before = Topology.behind(feedback, edges.map(\.reversed))
    return Topology.behind(feedback, edges).intersection(before).union([feedback])
  }
}

extension EdgeDescription {
  var reversed: EdgeDescription {
    EdgeDescription(from: to, to: from, leg: leg, element: element, stride: stride, link: link)
  }
}
