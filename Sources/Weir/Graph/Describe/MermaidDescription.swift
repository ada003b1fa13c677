/// A blueprint as a Mermaid flowchart.
struct MermaidDescription {
  let name: String
  let nodes: [NodeDescription]
  let edges: [EdgeDescription]

  var text: String {
    var lines = ["---", "title: \"\(title(name))\"", "---", "flowchart LR"]
    for (index, node) in nodes.enumerated() {
      let tasks = node.tasks > 1 ? "<br/>×\(node.tasks)" : ""
      let (open, close) = shape(node.kind)
      lines.append("  n\(index)\(open)\"\(escaped(node.name))<br/>\(escaped(node.operation))\(tasks)\"\(close)")
    }
    for edge in edges {
      let label = edge.lines.map(escaped).joined(separator: "<br/>")
      lines.append("  n\(edge.from) \(arrow(edge))|\"\(label)\"| n\(edge.to)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func arrow(_ edge: EdgeDescription) -> String {
    if nodes[edge.from].operation == "dead letters" { return "--x" }
    return edge.link == nil ? "-.->" : "-->"
  }

  private func shape(_ kind: NodeKind) -> (String, String) {
    switch kind {
    case .source: ("([", "])")
    case .sink: ("[/", "\\]")
    case .boundary: ("[(", ")]")
    case .fanOut, .fanIn: ("{{", "}}")
    case .asynchronous, .process: ("[[", "]]")
    case .timed, .feedback: ("((", "))")
    case .killSwitch: ("{", "}")
    case .stage, .tracker: ("[", "]")
    }
  }

  private func title(_ text: String) -> String {
    String(text.unicodeScalars.map { $0 == "\"" || $0 == "\\" || $0 == "\n" || $0 == "\r" ? " " : Character($0) })
  }

  /// Mermaid reads `#quot;` and decimal codes inside quotes; anything that could end the quotes or start markup is
  /// written so.
  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "<", ">", "&", "#", ";", "`", "\\", "{", "}", "[", "]", "|": result += "#\(scalar.value);"
      case "\n", "\r": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
