import Foundation
import Testing

/// The index of the contract tells the truth: each point is there once, and the test that is named exists.
@Suite struct ContractTests {
  @Test func `each point of the contract names a test that exists`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let sources = try files.filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    let index = try String(contentsOf: folder.appendingPathComponent("CONTRACT.md"), encoding: .utf8)
    var points: [String] = []
    for row in index.split(separator: "\n") where row.hasPrefix("| C") {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      points.append(cells[0])
      let name = try #require(cells.last)
      #expect(sources.contains { $0.contains("\(name)(") || $0.contains("\(name)\n") }, "\(name)")
    }
    #expect(points == (1...44).map { "C\($0)" })
    // Whatever the spec numbers otherwise is in the names of the tests.
    let names = sources.flatMap { $0.split(separator: "`") }.filter { $0.contains(": ") && !$0.contains("\n") }
    let numbered = names.compactMap { $0.split(separator: ":").first }
    for gap in 1...21 {
      #expect(numbered.contains { $0.split(whereSeparator: { $0 == " " || $0 == "," }).contains("G\(gap)") }, "G\(gap)")
    }
  }
}
