/// A sequence did not do what its diagram says.
public struct MarbleMismatch: Error, Equatable, Sendable, CustomStringConvertible {
  /// The inputs that were played.
  public var inputs: [MarbleDiagram]
  /// What should have happened.
  public var expected: MarbleDiagram
  /// What happened.
  public var received: MarbleDiagram
  /// The differences in the order of their ticks, one sentence each.
  public var differences: [String]

  /// A stable word for the kind of failure.
  public var code: String { "marble-mismatch" }

  /// All diagrams one under the other, tick by tick, and the differences.
  public var description: String {
    var rows = inputs.enumerated().map { (label: "input \($0.offset + 1)", diagram: $0.element) }
    rows.append((label: "expected", diagram: expected))
    rows.append((label: "received", diagram: received))
    return "the sequence differs from its diagram\n" + MarbleDiagram.align(rows) + "\n"
      + differences.map { "  " + $0 }.joined(separator: "\n")
  }

  /// Compares; nil when everything agrees.
  init?(inputs: [MarbleDiagram], expected: MarbleDiagram, recording: MarbleRecording) {
    let seen = recording.entries
    let wanted = expected.entries.filter { $0.event != .cancel && $0.event != .delay }
    let ticks = Set(seen.map(\.tick)).union(wanted.map(\.tick)).sorted()
    var differences: [String] = []
    for tick in ticks {
      let want = wanted.filter { $0.tick == tick }.map(\.event.notation).joined()
      let got = seen.filter { $0.tick == tick }.map(\.event.notation).joined()
      guard want != got else { continue }
      var sentence = "tick \(tick): expected \(want.isEmpty ? "nothing" : want)"
      sentence += ", received \(got.isEmpty ? "nothing" : got)"
      if let error = recording.error, got.hasSuffix("^") { sentence += " (\(error))" }
      differences.append(sentence)
    }
    differences += recording.violations
    guard !differences.isEmpty else { return nil }
    self.inputs = inputs
    self.expected = expected
    self.received = MarbleDiagram(entries: seen, length: expected.length)
    self.differences = differences
  }
}
