import Weir

/// A graph as a picture: an SVG of its own layout, in light and dark, with what each node is doing where a snapshot is given.
///
/// The picture needs nothing from outside, and the same graph gives the same text. Drawn solid: edges between tasks, with the
/// limits of their link; dashed: neighbours in one task; dotted: dead letters.
public struct GraphDrawing: Sendable {
  private let name: String
  private let nodes: [NodeDescription]
  private let edges: [EdgeDescription]
  private let snapshot: GraphSnapshot?
  private let findings: FlowFindings?

  /// - Parameters:
  ///   - snapshot: a look at a run: then nodes show how they spent their time, edges how full they are.
  ///   - earlier: a look some time before, for the sentence about what holds the flow up.
  public init<Handles>(
    _ blueprint: Blueprint<Handles>, snapshot: GraphSnapshot? = nil, since earlier: GraphSnapshot? = nil
  ) {
    name = blueprint.name
    nodes = blueprint.nodes
    edges = blueprint.edges
    self.snapshot = snapshot
    findings = snapshot.map { FlowFindings(blueprint, from: earlier, to: $0) }
  }

  /// The picture.
  public var svg: String {
    let boxes = nodes.indices.map {
      NodeBox(nodes[$0], state($0), isCulprit: nodes[$0].name == findings?.culprit?.node)
    }
    var graph = LayeredGraph(count: nodes.count, edges: edges.map { ($0.from, $0.to) })
    graph.reduceCrossings()
    let labels = self.labels
    let sizes = graph.places.map { place -> (width: Double, height: Double) in
      switch place {
      case .node(let index): (max(boxes[index].width, room(for: labels, at: index)), boxes[index].height)
      case .waypoint: (NodeBox.waypoint, 1)
      }
    }
    let placement = Placement(graph, sizes: sizes)
    let head = Heading(name: name, sentences: findings?.sentences ?? [], width: placement.width)
    let margin = 24.0
    let width = max(placement.width, head.width) + 2 * margin
    let height = placement.height + head.height + 2 * margin
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(height))\" "
        + "width=\"\(number(width))\" height=\"\(number(height))\" role=\"img\" aria-label=\"\(Markup.escaped(name))\">",
      Style.sheet,
      "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>",
      "<g transform=\"translate(\(number(margin)) \(number(margin)))\">",
    ]
    lines += head.lines
    lines.append(
      "<g transform=\"translate(\(number((width - 2 * margin - placement.width) / 2)) \(number(head.height)))\">")
    for (index, edge) in edges.enumerated() {
      lines +=
        EdgePath(
          edge, label: labels[index], route: graph.routes[index], placement, heights: sizes.map(\.height),
          isDeadLetters: nodes[edge.from].operation == "dead letters"
        ).lines
    }
    for index in nodes.indices { lines += boxes[index].lines(at: placement.middles[index]) }
    lines += ["</g>", "</g>", "</svg>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private var labels: [EdgeLabel] {
    let leaving = Dictionary(edges.map { ($0.from, 1) }, uniquingKeysWith: +)
    let entering = Dictionary(edges.map { ($0.to, 1) }, uniquingKeysWith: +)
    return edges.map { edge in
      EdgeLabel(
        edge, leaving: leaving[edge.from] ?? 0, entering: entering[edge.to] ?? 0,
        link: edge.link.flatMap { snapshot?[link: $0.name] })
    }
  }

  /// The widest label that stands over or under a node.
  private func room(for labels: [EdgeLabel], at node: Int) -> Double {
    zip(edges, labels).reduce(0) { widest, pair in
      let (edge, label) = pair
      let stands = (label.anchor == .target && edge.to == node) || (label.anchor == .source && edge.from == node)
      return stands ? max(widest, label.width) : widest
    }
  }

  private func state(_ index: Int) -> NodeSnapshot? {
    snapshot.flatMap { $0.nodes.indices.contains(index) ? $0.nodes[index] : nil }
  }
}

/// Coordinates with one decimal: enough for a pixel, and the same on every machine.
func number(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

/// The name of the graph and what was found about its flow, above the drawing.
private struct Heading {
  let lines: [String]
  let width: Double
  let height: Double

  init(name: String, sentences: [String], width: Double) {
    let title = Lettering(size: 16)
    let body = Lettering(size: 12)
    let room = max(width, 480)
    var lines: [String] = []
    var top = 16.0
    for line in title.wrapped(name, to: room, lines: 2) {
      lines.append("<text class=\"title\" x=\"0\" y=\"\(number(top))\">\(Markup.escaped(line))</text>")
      top += 22
    }
    for sentence in sentences.prefix(6) {
      for line in body.wrapped(sentence, to: room, lines: 4) {
        lines.append("<text class=\"finding\" x=\"0\" y=\"\(number(top))\">\(Markup.escaped(line))</text>")
        top += 17
      }
    }
    self.lines = lines
    self.width = min(room, max(title.width(name), sentences.map { body.width($0) }.max() ?? 0))
    height = top + 8
  }
}

/// The colours: those of Flink for the state of a node (busy red, blocked dark, idle blue), in light and dark.
private enum Style {
  static let sheet = """
    <style>
    .ground{fill:#ffffff}
    text{font:12px Helvetica,Arial,"Noto Sans CJK SC",sans-serif;fill:#1d2733;unicode-bidi:plaintext}
    .title{font-size:16px;font-weight:bold}
    .node rect.body{fill:#f4f6f8;stroke:#51606e}
    .node.boundary rect.body{stroke-width:2.5}
    .node.culprit rect.body{stroke:#c92a2a;stroke-width:3}
    .operation,.label{font-size:10px;fill:#51606e}
        .edge{fill:none;stroke:#51606e}
    .same-task{stroke-dasharray:5 4}
    .dead{stroke-dasharray:1.5 4}
    .arrow{fill:#51606e}
    .busy{fill:#e03131}.blocked{fill:#343a40}.idle{fill:#4dabf7}.full{fill:#e8590c}.lost{fill:#c92a2a}
    @media (prefers-color-scheme:dark){
    .ground{fill:#14181d}
    text{fill:#e6ebf0}
    .node rect.body{fill:#232a32;stroke:#93a1b0}
    .operation,.label{fill:#a9b6c3}
    .edge{stroke:#93a1b0}.arrow{fill:#93a1b0}
    .blocked{fill:#ced4da}.lost{fill:#ff8787}
    .node.culprit rect.body{stroke:#ff6b6b}
    }
    </style>
    <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path \
    class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>
    """
}
