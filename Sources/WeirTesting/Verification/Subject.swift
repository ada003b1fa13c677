import Weir

/// What is verified: a part of a graph with one way in and one way out, its inputs, and what is known about its outputs.
struct Subject<Input: Sendable, Output: Sendable & Equatable>: Sendable {
  typealias Fragment =
    @Sendable (GraphBuilder, consuming Outlet<Input>, Witness, Simulation) -> Outlet<Output>
  typealias Oracle = @Sendable ([Input]) -> [Output]?

  let name: String
  let options: VerificationOptions
  let inputs: [Input]
  let fragment: Fragment
  /// The outputs for given inputs, when the input ends normally.
  var oracle: Oracle?
  /// The outputs for given inputs, when the input has not ended.
  var oracleWithoutEnd: (@Sendable ([Input], Simulation) async -> [Output]?)?

  /// The inputs over and over, `count` of them.
  func repeatedInputs(_ count: Int) -> [Input] {
    guard !inputs.isEmpty else { return [] }
    return (0..<count).map { inputs[$0 % inputs.count] }
  }

  /// Throws unless `seen` is what the inputs give.
  func compare(_ seen: [Output], with expected: [Output], _ what: String) throws {
    guard options.isDeterministic else { return }
    if options.keepsOrder, seen == expected { return }
    let hasSameElements = seen.count == expected.count && Self.difference(seen, expected).isEmpty
    if !options.keepsOrder, hasSameElements { return }
    let advice =
      hasSameElements
      ? "If the stage promises no order, say so: set `keepsOrder` of the options to false."
      : "If its outputs depend on the interleaving by design, say so: set `isDeterministic` of the options to false."
    throw Violation(
      expected: "\(what): \(Self.shortened(expected))", seen: Self.shortened(seen), finding: .wrongOutputs,
      advice: advice)
  }

  /// Throws unless `seen` could be the beginning of what the inputs give.
  func compare(_ seen: [Output], withBeginningOf expected: [Output], _ what: String) throws {
    guard options.isDeterministic, !options.dependsOnTime else { return }
    let fits = options.keepsOrder ? expected.starts(with: seen) : Self.difference(seen, expected).isEmpty
    if fits { return }
    throw Violation(
      expected: "\(what): a beginning of \(Self.shortened(expected))", seen: Self.shortened(seen),
      finding: .wrongOutputs,
      advice: "If time alone makes or drops elements, say so: set `dependsOnTime` of the options to true.")
  }

  /// Elements of `seen` that `expected` does not have, with counts.
  private static func difference(_ seen: [Output], _ expected: [Output]) -> [Output] {
    var rest = expected
    return seen.filter { element in
      guard let index = rest.firstIndex(of: element) else { return true }
      rest.remove(at: index)
      return false
    }
  }

  static func shortened(_ elements: [Output]) -> String {
    elements.count <= 20 ? "\(elements)" : "\(elements.prefix(20))… (\(elements.count) elements)"
  }
}
