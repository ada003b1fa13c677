/// The forms in which a blueprint can be described.
public enum DescriptionForm: String, Sendable, CaseIterable {
  /// Lines for people.
  case text
  /// Graphviz.
  case dot
  /// Mermaid flowchart.
  case mermaid
}

extension Blueprint {
  /// The graph in words or as the source of a diagram. The same blueprint gives the same text, always.
  ///
  /// Edges carry element types and limits; links between tasks are drawn solid, neighbours in one task dotted; the
  /// memory bound is the sum of all limits.
  public func describe(as form: DescriptionForm = .text) -> String {
    switch form {
    case .text: TextDescription(name: name, nodes: nodes, edges: edges, bound: memoryBound()).text
    case .dot: DotDescription(name: name, nodes: nodes, edges: edges).text
    case .mermaid: MermaidDescription(name: name, nodes: nodes, edges: edges).text
    }
  }

  /// The most memory a run can hold in links, chunks and stages.
  /// - Parameter chunkSize: as in ``RunOptions/chunkSize``.
  public func memoryBound(chunkSize: Int = 256) -> MemoryBound {
    MemoryBound(nodes: nodes, edges: edges, chunkSize: chunkSize)
  }
}

extension EdgeDescription {
  /// What stands on the edge: the element type, and the link where there is one.
  var lines: [String] {
    var lines = [element]
    if let leg { lines.append("leg \(leg)") }
    if let link {
      lines.append(link.isWritten ? "\(link.name): \(link.limit)" : "\(link.limit)")
      if link.policy != "wait" { lines.append(link.policy) }
    }
    return lines
  }
}
