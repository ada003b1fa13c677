/// Joins that wait for dead letters and thereby for themselves.
extension Topology {
  /// Dead letters end when every task that may post one has ended. A join that waits for them, while such a task waits
  /// for the join or is the join's own, never gets to that end.
  func joinsWaiting(forDeadLettersOf outlet: Int) -> [GraphFault] {
    let behind = Topology.behind(outlet, edges).union([outlet])
    return nodes.indices.filter { traits[$0].join != .none && waitsForItself($0, behind) }.map { node in
      let remedy =
        traits[node].join == .inTurn
        ? "use merge, or put that flow first, with a boundary behind it"
        : "use merge or combineLatest, or let that flow end in a boundary with a dropping policy"
      let message =
        "join \"\(nodes[node].name)\" waits for the dead letters of \"\(nodes[outlet].name)\", which end after the flow "
        + "that it joins them with: it can wait for itself; \(remedy)"
      return GraphFault(kind: .starvingJoin, node: nodes[node].name, message: message, location: nodes[node].location)
    }
  }

  /// - Parameter behind: the nodes behind the dead-letter outlet, which post nothing to it.
  private func waitsForItself(_ join: Int, _ behind: Set<Int>) -> Bool {
    let inputs = edges.filter { $0.to == join }
    let letters = inputs.indices.filter { behind.contains(inputs[$0].from) }
    return inputs.indices.contains { flow in
      guard letters.contains(where: { $0 != flow }) else { return false }
      let isTakenFirst = traits[join].join == .inTurn && letters.allSatisfy { flow <= $0 }
      let posts = { (node: Int) in !behind.contains(node) }
      return reaches(above: inputs[flow], through: { $0.link == nil }, posts)
        || (!isTakenFirst && reaches(above: inputs[flow], through: { $0.link?.drops != true }, posts))
    }
  }

  /// Whether a node that fits lies above an edge, climbing only edges that may be climbed.
  private func reaches(
    above edge: EdgeDescription, through mayClimb: (EdgeDescription) -> Bool, _ fits: (Int) -> Bool
  ) -> Bool {
    var visited: Set<Int> = []
    var open = [edge]
    while let edge = open.popLast() {
      guard mayClimb(edge), visited.insert(edge.from).inserted else { continue }
      if fits(edge.from) { return true }
      open += edges.filter { $0.to == edge.from }
    }
    return false
  }
}

extension LinkDescription {
  /// Whether the writer never waits, because something is thrown away instead.
  var drops: Bool { ["drop oldest", "drop newest", "conflate"].contains(policy) }
}
