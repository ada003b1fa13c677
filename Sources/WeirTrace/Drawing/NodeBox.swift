import Weir

/// The box of one node: its name, what it does, and how it spent its time.
struct NodeBox: Sendable {
  /// Room that an edge on its way past a layer takes.
  static let waypoint = 18.0
  private static let widest = 190.0
  private static let nameLetters = Lettering(size: 12)
  private static let smallLetters = Lettering(size: 10)

  let width: Double
  let height: Double
  private let name: [String]
  private let details: [String]
  private let node: NodeDescription
  private let state: NodeSnapshot?
  private let isCulprit: Bool

  init(_ node: NodeDescription, _ state: NodeSnapshot?, isCulprit: Bool) {
    self.node = node
    self.state = state
    self.isCulprit = isCulprit
    name = NodeBox.nameLetters.wrapped(node.name, to: NodeBox.widest, lines: 3)
    var details = NodeBox.smallLetters.wrapped(node.operation, to: NodeBox.widest, lines: 2)
    if node.tasks > 1 { details.append("×\(node.tasks)") }
    if let state { details.append("\(state.elementsIn) in, \(state.elementsOut) out") }
    if let state {
      let lost = state.discarded &+ state.deadLettered
      if lost > 0 || state.errors > 0 { details.append("\(lost) lost, \(state.errors) errors") }
    }
    self.details = details
    let widest = max(
      name.map { NodeBox.nameLetters.width($0) }.max() ?? 0, details.map { NodeBox.smallLetters.width($0) }.max() ?? 0)
    width = max(90, widest + 28)
    height = 14 + Double(name.count) * 15 + Double(details.count) * 13 + (state == nil ? 0 : 8)
  }

  func lines(at middle: Point) -> [String] {
    let (left, top) = (middle.x - width / 2, middle.y - height / 2)
    let classes = "node \(node.kind.rawValue)\(isCulprit ? " culprit" : "")"
    let round = node.kind == .source || node.kind == .sink ? min(height / 2, 22) : 6
    var lines = [
      "<g class=\"\(classes)\"><title>\(Markup.escaped("\(node.name): \(node.operation), \(node.location)"))</title>",
      "<rect class=\"body\" x=\"\(number(left))\" y=\"\(number(top))\" width=\"\(number(width))\" "
        + "height=\"\(number(height))\" rx=\"\(number(round))\"/>",
    ]
    var y = top + 19
    for line in name {
      lines.append(text(line, middle.x, y, "name"))
      y += 15
    }
    y -= 2
    for line in details {
      lines.append(text(line, middle.x, y, line.contains(" lost, ") ? "operation lost" : "operation"))
      y += 13
    }
    lines += bar(left + 10, top + height - 12)
    return lines + ["</g>"]
  }

  private func text(_ line: String, _ x: Double, _ y: Double, _ style: String) -> String {
    "<text class=\"\(style)\" text-anchor=\"middle\" x=\"\(number(x))\" y=\"\(number(y))\">\(Markup.escaped(line))</text>"
  }

  /// Busy, blocked and idle as shares of one bar.
  private func bar(_ left: Double, _ top: Double) -> [String] {
    guard let state, seconds(state.elapsed) > 0 else { return [] }
    var x = left
    return [("busy", state.busy), ("blocked", state.blocked), ("idle", state.idle)].compactMap { style, time in
      let share = min(1, max(0, seconds(time) / seconds(state.elapsed)))
      let wide = share * (width - 20)
      guard wide >= 0.05 else { return nil }
      defer { x += wide }
      return "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(top))\" width=\"\(number(wide))\" height=\"5\">"
        + "<title>\(style) \(Int((share * 100).rounded())) %</title></rect>"
    }
  }
}
