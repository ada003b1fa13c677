/// A blueprint as a Graphviz digraph.
struct DotDescription {
  let name: String
  let nodes: [NodeDescription]
  let edges: [EdgeDescription]

  var text: String {
    var lines = [
      "digraph \(quoted(name)) {",
      "  rankdir=LR;",
      "  node [fontname=\"Helvetica\", fontsize=11, style=filled, fillcolor=\"#f4f6f8\", color=\"#51606e\"];",
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#51606e\"];",
    ]
    for (index, node) in nodes.enumerated() {
      let tasks = node.tasks > 1 ? "\\n×\(node.tasks)" : ""
      let label = "\(escaped(node.name))\\n\(escaped(node.operation))\(tasks)"
      lines.append("  n\(index) [label=\"\(label)\", shape=\(shape(node.kind))];")
    }
    for edge in edges {
      let label = edge.lines.map(escaped).joined(separator: "\\n")
      lines.append("  n\(edge.from) -> n\(edge.to) [label=\"\(label)\", style=\(style(edge))];")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private func style(_ edge: EdgeDescription) -> String {
    if nodes[edge.from].operation == "dead letters" { return "dotted" }
    return edge.link == nil ? "dashed" : "solid"
  }

  private func shape(_ kind: NodeKind) -> String {
    switch kind {
    case .source: "cds"
    case .sink: "house"
    case .boundary: "cylinder"
    case .fanOut: "triangle"
    case .fanIn: "invtriangle"
    case .asynchronous: "component"
    case .process: "box3d"
    case .timed: "octagon"
    case .feedback: "doublecircle"
    case .killSwitch: "Mdiamond"
    case .stage, .tracker: "box"
    }
  }

  private func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n", "\r": result += " "
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
