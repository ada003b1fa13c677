/// A blueprint as lines for people.
struct TextDescription {
  let name: String
  let nodes: [NodeDescription]
  let edges: [EdgeDescription]
  let bound: MemoryBound

  var text: String {
    let width = nodes.map(\.name.count).max() ?? 0
    let kinds = nodes.map { $0.kind.rawValue.count }.max() ?? 0
    var lines = ["graph \"\(name)\": \(nodes.count) nodes, \(edges.count) edges"]
    for (index, node) in nodes.enumerated() {
      let tasks = node.tasks > 1 ? ", \(node.tasks) tasks" : ""
      let holds = node.holds.map { $0 > 0 ? ", holds up to \($0)" : "" } ?? ", holds what it likes"
      lines.append("  \(pad(node.name, width))  \(pad(node.kind.rawValue, kinds))  \(node.operation)\(tasks)\(holds)")
      for link in node.innerLinks {
        lines.append(
          "  \(pad("", width))    inside: \(link.name)  [\(link.limit)\(link.policy == "wait" ? "" : "; \(link.policy)")]"
        )
      }
      for edge in edges where edge.from == index {
        let arrow = edge.link == nil ? "·>" : "=>"
        lines.append("  \(pad("", width))    \(arrow) \(nodes[edge.to].name)  [\(edge.lines.joined(separator: "; "))]")
      }
    }
    lines.append("  => link between two tasks, ·> same task")
    lines.append("memory bound: \(bound)")
    return lines.joined(separator: "\n") + "\n"
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
