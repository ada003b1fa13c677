import Weir

/// A snapshot in Prometheus' text format (version 0.0.4): counters and clocks as they stand; rates are the reader's.
///
/// Labels are names of graphs, nodes and links, never of messages. Names and units as graph spec §4.
public struct PrometheusText: Sendable {
  /// The value of the header `Content-Type`.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let graphs: [(name: String, snapshot: GraphSnapshot)]

  /// - Parameter snapshots: one for each run of the process; each family is written once for all of them. Further runs of
  ///   one graph are told apart by a number, as a reader refuses the same series twice.
  public init(_ snapshots: [GraphSnapshot]) {
    var names = Numbering()
    graphs = snapshots.map { (names.next($0.graph), $0) }
  }

  public init(_ snapshot: GraphSnapshot) { self.init([snapshot]) }

  /// The whole exposition.
  public var text: String {
    var writer = Writer()
    writeNodes(&writer)
    writeLinks(&writer)
    return writer.text
  }

  private func writeNodes(_ writer: inout Writer) {
    writer.family("weir_node_elements_total", "counter", "Elements that entered and left a node.") { family in
      eachNode { graph, node in
        family.sample([("graph", graph), ("node", node.name), ("direction", "in")], node.elementsIn)
        family.sample([("graph", graph), ("node", node.name), ("direction", "out")], node.elementsOut)
      }
    }
    writer.family("weir_node_chunks_total", "counter", "Chunks a node has worked on.") { family in
      eachNode { graph, node in family.sample([("graph", graph), ("node", node.name)], node.chunks) }
    }
    writer.family("weir_node_in_flight_elements", "gauge", "Elements held inside a node.") { family in
      eachNode { graph, node in family.sample([("graph", graph), ("node", node.name)], node.inFlight) }
    }
    writer.family("weir_node_time_seconds_total", "counter", "Time at work, without input, and without room.") {
      family in
      eachNode { graph, node in
        for (state, time) in [("busy", node.busy), ("idle", node.idle), ("blocked", node.blocked)] {
          family.sample([("graph", graph), ("node", node.name), ("state", state)], seconds: time)
        }
      }
    }
    writer.family("weir_node_errors_total", "counter", "Times a node threw.") { family in
      eachNode { graph, node in family.sample([("graph", graph), ("node", node.name)], node.errors) }
    }
    writer.family("weir_node_retries_total", "counter", "Times an element was tried again.") { family in
      eachNode { graph, node in family.sample([("graph", graph), ("node", node.name)], node.retries) }
    }
    let help = "Elements that ended in a node; intentional where the node or a policy decided so."
    writer.family("weir_node_discarded_elements_total", "counter", help) { family in
      eachNode { graph, node in
        for (reason, intentional, count) in [
          ("filtered", "true", node.filtered), ("discarded", "false", node.discarded),
          ("dead_lettered", "false", node.deadLettered),
        ] {
          family.sample(
            [("graph", graph), ("node", node.name), ("reason", reason), ("intentional", intentional)], count)
        }
      }
    }
  }

  private func writeLinks(_ writer: inout Writer) {
    writer.family("weir_link_elements", "gauge", "Elements waiting in a link.") { family in
      eachLink { family.sample($0, UInt64(clamping: $1.depth)) }
    }
    writer.family("weir_link_high_water_elements", "gauge", "Most elements that have waited in a link at once.") {
      family in
      eachLink { family.sample($0, UInt64(clamping: $1.counters.highWater)) }
    }
    writer.family("weir_link_bytes", "gauge", "Weight of what waits in a link that weighs.") { family in
      eachLink { family.sample($0, UInt64(clamping: $1.bytes)) }
    }
    writer.family("weir_link_limit_elements", "gauge", "Most elements that may wait, where that is limited.") {
      family in
      eachLink { labels, link in if let most = link.limit.elements { family.sample(labels, UInt64(clamping: most)) } }
    }
    writer.family("weir_link_limit_bytes", "gauge", "Most bytes that may wait, where that is limited.") { family in
      eachLink { labels, link in if let most = link.limit.bytes { family.sample(labels, UInt64(clamping: most)) } }
    }
    writer.family("weir_link_oldest_age_seconds", "gauge", "How long the oldest element has waited.") { family in
      eachLink { family.sample($0, seconds: $1.oldestAge) }
    }
    writer.family("weir_link_waits_total", "counter", "Times a sender had to wait for room.") { family in
      eachLink { family.sample($0, $1.counters.waits) }
    }
    writer.family("weir_link_discarded_elements_total", "counter", "Elements that ended in a link.") { family in
      eachLink { labels, link in
        for (reason, count) in [
          ("overflow", link.counters.overflowed), ("expired", link.counters.expired),
          ("abandoned", link.counters.abandoned), ("conflated", link.counters.conflated),
        ] { family.sample(labels + [("reason", reason)], count) }
      }
    }
  }

  private func eachNode(_ body: (String, NodeSnapshot) -> Void) {
    for graph in graphs { for node in graph.snapshot.nodes { body(graph.name, node) } }
  }

  private func eachLink(_ body: ([(String, String)], LinkSnapshot) -> Void) {
    for graph in graphs {
      var names = Numbering()
      for link in graph.snapshot.links { body([("graph", graph.name), ("port", names.next(link.name))], link) }
    }
  }
}

extension PrometheusText {
  /// Tells things of one name apart.
  struct Numbering {
    private var seen: [String: Int] = [:]

    mutating func next(_ name: String) -> String {
      let number = seen[name, default: 0] + 1
      seen[name] = number
      return number == 1 ? name : "\(name)#\(number)"
    }
  }

  /// Collects the lines; each family once.
  struct Writer {
    private(set) var text = ""

    mutating func family(_ name: String, _ type: String, _ help: String, _ body: (inout Family) -> Void) {
      var family = Family(name: name)
      body(&family)
      if family.lines.isEmpty { return }
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(family.lines)"
    }
  }

  struct Family {
    let name: String
    var lines = ""

    mutating func sample(_ labels: [(String, String)], _ value: UInt64) { add(labels, "\(value)") }

    mutating func sample(_ labels: [(String, String)], seconds: Duration) {
      let (whole, attoseconds) = seconds.components
      let nanoseconds = String(attoseconds / 1_000_000_000)
      add(labels, "\(whole).\(String(repeating: "0", count: 9 - nanoseconds.count))\(nanoseconds)")
    }

    private mutating func add(_ labels: [(String, String)], _ value: String) {
      let list = labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
      lines += "\(name){\(list)} \(value)\n"
    }

    private func escaped(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": result += "\\\\"
        case "\"": result += "\\\""
        case "\n": result += "\\n"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }
  }
}
