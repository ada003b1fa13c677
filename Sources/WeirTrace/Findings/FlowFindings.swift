import Weir

/// What holds a running graph up, in words: from its shape and two looks at its counters.
public struct FlowFindings: Sendable, Hashable {
  /// The node that sets the pace; nil while nothing waits for room.
  public let culprit: Culprit?
  /// One sentence for each thing worth knowing, the culprit first.
  public let sentences: [String]

  /// The node after a blocked one that is not blocked itself: those before it are its victims (graph spec §2, idea 3).
  public struct Culprit: Sendable, Hashable {
    /// Its name.
    public let node: String
    /// The node before it that waits for room.
    public let victim: String
    /// Share of the time the culprit was at work, from 0 to 1.
    public let busy: Double
    /// Share of the time the victim waited for room, from 0 to 1.
    public let blocked: Double
  }

  /// - Parameters:
  ///   - earlier: a look at the same run some time before; nil to judge the run from its beginning.
  ///   - later: the look to judge by.
  public init<Handles>(_ blueprint: Blueprint<Handles>, from earlier: GraphSnapshot? = nil, to later: GraphSnapshot) {
    self.init(nodes: blueprint.nodes, edges: blueprint.edges, from: earlier, to: later)
  }

  init(nodes: [NodeDescription], edges: [EdgeDescription], from earlier: GraphSnapshot?, to later: GraphSnapshot) {
    let flow = Flow(nodes: nodes, edges: edges, earlier: earlier, later: later)
    let culprit = flow.culprit()
    self.culprit = culprit
    sentences = flow.pace(culprit) + flow.losses()
  }
}

/// A graph with what each node did in an interval.
private struct Flow {
  /// Share of the time from which on a node counts as blocked: below it a full link is a moment and not a state.
  static let notable = 0.2

  let nodes: [NodeDescription]
  let edges: [EdgeDescription]
  let later: GraphSnapshot
  let earlier: GraphSnapshot?
  let shares: [Shares]

  struct Shares {
    var busy = 0.0
    var idle = 0.0
    var blocked = 0.0
  }

  init(nodes: [NodeDescription], edges: [EdgeDescription], earlier: GraphSnapshot?, later: GraphSnapshot) {
    self.nodes = nodes
    self.edges = edges
    self.later = later
    self.earlier = earlier
    shares = nodes.indices.map { index in
      guard later.nodes.indices.contains(index) else { return Shares() }
      let now = later.nodes[index]
      let before = earlier.flatMap { $0.nodes.indices.contains(index) ? $0.nodes[index] : nil }
      let elapsed = seconds(now.elapsed) - seconds(before?.elapsed ?? .zero)
      guard elapsed > 0 else { return Shares() }
      return Shares(
        busy: (seconds(now.busy) - seconds(before?.busy ?? .zero)) / elapsed,
        idle: (seconds(now.idle) - seconds(before?.idle ?? .zero)) / elapsed,
        blocked: (seconds(now.blocked) - seconds(before?.blocked ?? .zero)) / elapsed)
    }
  }

  /// The busiest of the nodes that follow a blocked one and are not blocked.
  func culprit() -> FlowFindings.Culprit? {
    var best: FlowFindings.Culprit?
    for edge in edges where shares[edge.from].blocked >= Flow.notable {
      let (from, to) = (shares[edge.from], shares[edge.to])
      if to.blocked >= Flow.notable && to.blocked >= to.busy { continue }
      let found = FlowFindings.Culprit(
        node: nodes[edge.to].name, victim: nodes[edge.from].name, busy: to.busy, blocked: from.blocked)
      if let known = best, (known.busy, known.blocked) >= (found.busy, found.blocked) { continue }
      best = found
    }
    return best
  }

  func pace(_ culprit: FlowFindings.Culprit?) -> [String] {
    if let culprit {
      let fill =
        edges.first { nodes[$0.from].name == culprit.victim && nodes[$0.to].name == culprit.node }?.link
        .flatMap { later[link: $0.name] }.map(filling) ?? ""
      let work =
        culprit.busy < Flow.notable
        ? "it takes nothing, and is at work only \(percent(culprit.busy)) of the time"
        : "it is at work \(percent(culprit.busy)) of the time"
      return [
        "\(quoted(culprit.node)) holds the flow up: \(work), while \(quoted(culprit.victim)) before it waits for room "
          + "\(percent(culprit.blocked)) of it\(fill)"
      ]
    }
    // Judged by those they feed: a source that waits for its network inside a call of its own looks as though it worked.
    let sources = nodes.indices.filter { nodes[$0].kind == .source }
    let fed = edges.filter { nodes[$0.from].kind == .source }.map(\.to)
    if !fed.isEmpty, fed.allSatisfy({ shares[$0].idle >= 0.8 }) {
      let names = sources.map { quoted(nodes[$0].name) }.joined(separator: ", ")
      return ["nothing holds the flow up: it waits for what \(names) \(sources.count == 1 ? "brings" : "bring")"]
    }
    let busiest = nodes.indices.max { shares[$0].busy < shares[$1].busy }
    guard let busiest, shares[busiest].busy >= 0.8 else { return [] }
    return ["\(quoted(nodes[busiest].name)) sets the pace: it is at work \(percent(shares[busiest].busy)) of the time"]
  }

  /// What ended where nobody wanted it to.
  func losses() -> [String] {
    var sentences: [String] = []
    for (index, node) in later.nodes.enumerated() {
      let before = earlier.flatMap { $0.nodes.indices.contains(index) ? $0.nodes[index] : nil }
      let name = quoted(node.name)
      let lost = node.discarded &- (before?.discarded ?? 0)
      if lost > 0 { sentences.append("\(name) has given up \(lost) \(elements(lost))") }
      let dead = node.deadLettered &- (before?.deadLettered ?? 0)
      if dead > 0 { sentences.append("\(name) has sent \(dead) \(elements(dead)) to the dead letters") }
      let retries = node.retries &- (before?.retries ?? 0)
      if retries > 0 { sentences.append("\(name) has tried again \(retries) \(retries == 1 ? "time" : "times")") }
    }
    for (index, link) in later.links.enumerated() {
      let before = earlier.flatMap { $0.links.indices.contains(index) ? $0.links[index].counters : nil }
      let dropped = link.counters.overflowed &- (before?.overflowed ?? 0)
      if dropped > 0 {
        sentences.append("link \(quoted(link.name)) has dropped \(dropped) \(elements(dropped)) for want of room")
      }
      let expired = link.counters.expired &- (before?.expired ?? 0)
      if expired > 0 { sentences.append("\(expired) \(elements(expired)) grew too old in link \(quoted(link.name))") }
    }
    return sentences
  }

  private func filling(_ link: LinkSnapshot) -> String {
    if let most = link.limit.elements { return "; \(link.depth) of \(most) elements wait in link \(quoted(link.name))" }
    if let most = link.limit.bytes { return "; \(link.bytes) of \(most) bytes wait in link \(quoted(link.name))" }
    return "; \(link.depth) \(elements(UInt64(clamping: link.depth))) wait in link \(quoted(link.name))"
  }

  private func elements(_ count: UInt64) -> String { count == 1 ? "element" : "elements" }
  private func percent(_ share: Double) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded())) %" }
  private func quoted(_ name: String) -> String { "\"\(name)\"" }
}

/// A duration in seconds.
func seconds(_ duration: Duration) -> Double {
  let (whole, attoseconds) = duration.components
  return Double(whole) + Double(attoseconds) / 1e18
}
