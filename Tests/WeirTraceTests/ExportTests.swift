import Foundation
import Testing
import Weir
import WeirTrace

#if canImport(FoundationXML)
  import FoundationXML

#endif

/// What leaves the process: well-formed, with hostile names, and with the numbers of the snapshot.
@Suite struct ExportTests {
  static let hostile = [
    "a\"b", "line\nbreak", "</script><script>alert(1)</script>", "&amp;<x y='1'>", "会话 😀", "שלום עולם", "back\\slash",
    "nul\u{0}bell\u{7}",
  ]

  /// A graph whose nodes and links bear the names, run to its end.
  private func run(_ names: [String]) async throws -> (Blueprint<Void>, GraphSnapshot) {
    let blueprint = try Blueprint(names.joined()) { graph in
      var outlet = graph.source("source \(names[0])", 0..<1_000)
      for name in names {
        outlet = outlet.filter("node \(name)") { $0 % 7 != 0 }.boundary("link \(name)", limit: .elements(16))
      }
      outlet.sink("sink \(names[0])") { _ in }
    }
    return (blueprint, try await blueprint.run())
  }

  @Test func `the picture is well-formed, says every name, and the same graph gives the same picture`() async throws {
    let (blueprint, snapshot) = try await run(Self.hostile)
    for drawing in [GraphDrawing(blueprint), GraphDrawing(blueprint, snapshot: snapshot)] {
      let svg = drawing.svg
      #expect(svg == drawing.svg)
      let parsed = try #require(XMLReader.texts(svg), "not well-formed")
      // The tooltips carry the whole names.
      for node in blueprint.nodes {
        let seen = String(
          String.UnicodeScalarView(
            node.name.unicodeScalars.map { $0.value < 0x20 ? ($0 == "\n" ? " " : "\u{fffd}") : $0 }))
        #expect(parsed.contains { $0.hasPrefix(seen) }, "\(node.name)")
      }
      #expect(!svg.contains("<script"))
      // Nothing is fetched: the only address is the name of the format.
      #expect(svg.components(separatedBy: "http").count == 2)
    }
  }

  @Test func `the exposition has each family once, each series once, and the numbers of the snapshot`() async throws {
    let (_, snapshot) = try await run(Self.hostile)
    let text = PrometheusText([snapshot, snapshot]).text
    let exposition = try Exposition(text)
    #expect(exposition.series.count == Set(exposition.series.map(\.key)).count)
    for node in snapshot.nodes {
      let labels = ["graph": snapshot.graph, "node": node.name]
      #expect(
        exposition.value("weir_node_elements_total", labels.merging(["direction": "in"]) { $1 }) == "\(node.elementsIn)"
      )
      #expect(
        exposition.value("weir_node_elements_total", labels.merging(["direction": "out"]) { $1 })
          == "\(node.elementsOut)")
      let filtered = labels.merging(["reason": "filtered", "intentional": "true"]) { $1 }
      #expect(exposition.value("weir_node_discarded_elements_total", filtered) == "\(node.filtered)")
      let times = try ["busy", "idle", "blocked"].map { state in
        try #require(
          Double(exposition.value("weir_node_time_seconds_total", labels.merging(["state": state]) { $1 }) ?? ""))
      }
      let (whole, attoseconds) = node.elapsed.components
      let elapsed = Double(whole) + Double(attoseconds) / 1e18
      let sum: Double = times.reduce(0, +)
      #expect(abs(sum - elapsed) < 1e-6)
    }
    for link in snapshot.links {
      #expect(exposition.value("weir_link_limit_elements", ["graph": snapshot.graph, "port": link.name]) == "16")
    }
    #expect(
      exposition.value("weir_node_chunks_total", ["graph": snapshot.graph + "#2", "node": snapshot.nodes[0].name])
        != nil)
  }

  @Test func `a graph of 200 nodes is drawn`() throws {
    let blueprint = try Blueprint("wide") { graph in
      graph.source("in", 0..<10).broadcast("fan", legs: (0..<50).map { Leg("\($0)") }) { index, leg in
        leg.map("first \(index)") { $0 }.map("second \(index)") { $0 }.boundary("third \(index)").ignore("end \(index)")
      }
    }
    let texts = try #require(XMLReader.texts(GraphDrawing(blueprint).svg))
    #expect(blueprint.nodes.count > 200)
    #expect(blueprint.nodes.allSatisfy { node in texts.contains { $0.hasPrefix(node.name) } })
  }
}

/// Reads XML with the platform's parser.
enum XMLReader {
  /// The texts of all elements; nil where the document is not well-formed.
  static func texts(_ document: String) -> [String]? {
    final class Collector: NSObject, XMLParserDelegate {
      var texts: [String] = []
      private var open: [String] = []
      func parser(
        _ parser: XMLParser, didStartElement: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
      ) { open.append("") }
      func parser(_ parser: XMLParser, foundCharacters string: String) {
        if !open.isEmpty { open[open.count - 1] += string }
      }
      func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        if let text = open.popLast(), !text.isEmpty { texts.append(text) }
      }
    }
    let parser = XMLParser(data: Data(document.utf8))
    let collector = Collector()
    parser.delegate = collector
    return parser.parse() ? collector.texts : nil
  }
}

/// Reads the text format as its standard has it: refuses what a reader would refuse.
struct Exposition {
  struct Malformed: Error { let line: String }
  struct Series: Hashable {
    let name: String
    let labels: [String: String]
  }

  var series: [(key: Series, value: String)] = []

  init(_ text: String) throws {
    var families: Set<String> = []
    var family = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) where !line.isEmpty {
      if line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") {
        let name = String(line.split(separator: " ")[2])
        if line.hasPrefix("# TYPE ") {
          guard families.insert(name).inserted, name == family else { throw Malformed(line: String(line)) }
        }
        family = name
        continue
      }
      let (key, value) = try Exposition.sample(line)
      guard key.name == family, Double(value) != nil else { throw Malformed(line: String(line)) }
      series.append((key, value))
    }
  }

  func value(_ name: String, _ labels: [String: String]) -> String? {
    series.first { $0.key == Series(name: name, labels: labels) }?.value
  }

  private static func sample(_ line: Substring) throws -> (Series, String) {
    guard let brace = line.firstIndex(of: "{") else { throw Malformed(line: String(line)) }
    var rest = line[line.index(after: brace)...].unicodeScalars[...]
    var labels: [String: String] = [:]
    while let first = rest.first, first != "}" {
      guard let equals = rest.firstIndex(of: "=") else { throw Malformed(line: String(line)) }
      let name = String(Substring(rest[..<equals]))
      rest = rest[equals...].dropFirst()
      guard rest.popFirst() == "\"" else { throw Malformed(line: String(line)) }
      var value = String.UnicodeScalarView()
      while let scalar = rest.popFirst(), scalar != "\"" {
        guard scalar == "\\" else {
          value.append(scalar)
          continue
        }
        switch rest.popFirst() {
        case "n": value.append("\n")
        case "\\": value.append("\\")
        case "\"": value.append("\"")
        default: throw Malformed(line: String(line))
        }
      }
      guard labels.updateValue(String(value), forKey: name) == nil else { throw Malformed(line: String(line)) }
      if rest.first == "," { rest.removeFirst() }
    }
    guard rest.popFirst() == "}", rest.popFirst() == " " else { throw Malformed(line: String(line)) }
    return (Series(name: String(line[..<brace]), labels: labels), String(Substring(rest)))
  }
}
