/// A blueprint as lines for people.
struct TextDescription {
  let name: String
  let nodes: [NodeDescription]
  let edges: [EdgeDescription]
  let bound: MemoryBound

  var text: String {
    let names = nodes.map { plain($0.name) }
    let width = names.map(\.count).max() ?? 0
    let kinds = nodes.map { $0.kind.rawValue.count }.max() ?? 0
    var lines = ["graph \"\(plain(name))\": \(nodes.count) nodes, \(edges.count) edges"]
    for (index, node) in nodes.enumerated() {
      let tasks = node.tasks > 1 ? ", \(node.tasks) tasks" : ""
      let holds = node.holds.map { $0 > 0 ? ", holds up to \($0)" : "" } ?? ", holds what it likes"
      let kind = pad(node.kind.rawValue, kinds)
      lines.append("  \(pad(names[index], width))  \(kind)  \(node.operation)\(tasks)\(holds)")
      for edge in edges where edge.from == index {
        let arrow = edge.link == nil ? "·>" : "=>"
        let what = edge.lines.map(plain).joined(separator: "; ")
        lines.append("  \(pad("", width))    \(arrow) \(names[edge.to])  [\(what)]")
      }
    }
    lines.append("  => link between two tasks, ·> same task")
    lines.append("memory bound: \(plain(bound.description))")
    return lines.joined(separator: "\n") + "\n"
  }

  /// One line, whatever a name has in it.
  private func plain(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
