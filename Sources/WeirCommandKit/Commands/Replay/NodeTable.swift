import Weir

/// What each node of a run did and how it spent its time.
enum NodeTable {
  /// The table, one string a line.
  static func lines(_ snapshot: GraphSnapshot, width: Int) -> [String] {
    var table = TextTable([
      .init("node", shrinksTo: 8), .init("in", .right), .init("out", .right), .init("busy", .right),
      .init("idle", .right), .init("blocked", .right), .init("retries", .right),
    ])
    for node in snapshot.nodes {
      table.append([
        node.name, Humane.count(node.elementsIn), Humane.count(node.elementsOut), share(node.busy, of: node),
        share(node.idle, of: node), share(node.blocked, of: node), node.retries > 0 ? Humane.count(node.retries) : "",
      ])
    }
    return table.lines(width: width)
  }

  /// Share of the time that a node's tasks have existed, between 0 and 1.
  static func ratio(_ time: Duration, of node: NodeSnapshot) -> Double {
    node.elapsed > .zero ? min(1, time / node.elapsed) : 0
  }

  private static func share(_ time: Duration, of node: NodeSnapshot) -> String {
    Humane.percent(ratio(time, of: node))
  }
}
