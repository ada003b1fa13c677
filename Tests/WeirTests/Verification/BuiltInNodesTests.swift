import Testing
import Weir
import WeirTesting

/// A built-in node as a fragment from numbers to numbers, with what it should make of them.
struct BuiltInNode: Sendable, CustomTestStringConvertible {
  typealias Fragment = @Sendable (GraphBuilder, consuming Outlet<Int>) -> Outlet<Int>

  let name: String
  var options = VerificationOptions()
  let fragment: Fragment
  /// The right outputs for a beginning of the inputs that then ends; nil where they depend on the interleaving.
  var expected: (@Sendable ([Int]) -> [Int])?

  var testDescription: String { name }

  init(
    _ name: String, expecting expected: (@Sendable ([Int]) -> [Int])?,
    configure: (inout VerificationOptions) -> Void = { _ in }, fragment: @escaping Fragment
  ) {
    self.name = name
    self.expected = expected
    self.fragment = fragment
    configure(&options)
  }

  static func early(_ options: inout VerificationOptions) { options.mayFinishEarly = true }
  static func unordered(_ options: inout VerificationOptions) { options.keepsOrder = false }
  /// The fragment has a source of its own, which a drain may stop before it has said everything.
  static func hasSource(_ options: inout VerificationOptions) { options.dependsOnTime = true }
  static func timed(_ options: inout VerificationOptions) {
    options.dependsOnTime = true
    options.isDeterministic = false
  }
}

/// Every built-in node under the rules R01 to R22; `WEIR_SEEDS` sets how many interleavings each is tried with.
@Suite struct BuiltInNodesTests {
  private static let inputs = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]

  static let elementNodes: [BuiltInNode] = [
    BuiltInNode("map", expecting: { $0.map { $0 * 2 } }, fragment: { _, outlet in outlet.map("node") { $0 * 2 } }),
    BuiltInNode(
      "compactMap", expecting: { $0.compactMap { $0 > 3 ? $0 : nil } },
      fragment: { _, outlet in
        outlet.compactMap("node") { $0 > 3 ? $0 : nil }
      }),
    BuiltInNode(
      "filter", expecting: { $0.filter { $0 % 2 == 1 } },
      fragment: { _, outlet in
        outlet.filter("node") { $0 % 2 == 1 }
      }),
    BuiltInNode(
      "expand", expecting: { $0.flatMap { Array(repeating: $0, count: $0 % 4) } },
      fragment: { _, outlet in
        outlet.expand("node") { Array(repeating: $0, count: $0 % 4) }
      }),
    BuiltInNode(
      "scan",
      expecting: { numbers in
        var sum = 0
        return numbers.map { number in
          sum += number
          return sum
        }
      }, fragment: { _, outlet in outlet.scan("node", 0) { $0 += $1 } }),
    BuiltInNode("inspect", expecting: { $0 }, fragment: { _, outlet in outlet.inspect("node") { _ in } }),
    BuiltInNode(
      "take", expecting: { Array($0.prefix(5)) }, configure: BuiltInNode.early,
      fragment: { _, outlet in
        outlet.take("node", 5)
      }),
    BuiltInNode(
      "takeWhile", expecting: { Array($0.prefix { $0 < 9 }) }, configure: BuiltInNode.early,
      fragment: { _, outlet in
        outlet.takeWhile("node") { $0 < 9 }
      }),
    BuiltInNode("drop", expecting: { Array($0.dropFirst(4)) }, fragment: { _, outlet in outlet.drop("node", 4) }),
    BuiltInNode(
      "dropWhile", expecting: { Array($0.drop { $0 < 5 }) },
      fragment: { _, outlet in
        outlet.dropWhile("node") { $0 < 5 }
      }),
    BuiltInNode(
      "dedupe", expecting: { unique($0) },
      fragment: { _, outlet in
        outlet.dedupe("node", by: { $0 }, remembering: 100)
      }),
    BuiltInNode(
      "batch",
      expecting: { numbers in
        stride(from: 0, to: numbers.count, by: 3).map { numbers[$0..<min($0 + 3, numbers.count)].reduce(0, +) }
      }, configure: { $0.exceptions[.r01] = "an element of its output stands for three of its input" },
      fragment: { _, outlet in outlet.batch("node", count: 3).map("sum") { $0.reduce(0, +) } }),
    BuiltInNode(
      "batch and unbatch", expecting: { $0 },
      fragment: { _, outlet in
        outlet.batch("node", count: 4).unbatch("back")
      }),
    BuiltInNode(
      "fused", expecting: { $0.map { $0 + 1 }.filter { $0 > 3 } },
      fragment: { _, outlet in
        outlet.via(
          "node",
          Fused {
            Map<Int, Int, Never> { $0 + 1 }
            Filter<Int, Never> { $0 > 3 }
          })
      }),
  ]

  static let timedNodes: [BuiltInNode] = [
    BuiltInNode(
      "timed dedupe", expecting: { unique($0) },
      fragment: { _, outlet in
        outlet.dedupe("node", by: { $0 }, remembering: 100, forgetting: .seconds(1_000_000))
      }),
    BuiltInNode(
      "timed batch", expecting: { $0 },
      fragment: { _, outlet in
        outlet.batch("node", count: 3, within: .seconds(1)).unbatch("back")
      }),
    BuiltInNode(
      "debounce", expecting: nil, configure: BuiltInNode.timed,
      fragment: { _, outlet in
        outlet.debounce("node", for: .seconds(1))
      }),
    BuiltInNode(
      "throttle", expecting: nil, configure: BuiltInNode.timed,
      fragment: { _, outlet in
        outlet.throttle("node", for: .seconds(1))
      }),
    BuiltInNode(
      "rate limit", expecting: { $0 },
      fragment: { _, outlet in
        outlet.rateLimit("node", 1_000_000, per: .seconds(1), burst: 1_000)
      }),
    BuiltInNode(
      "timeout", expecting: { $0 }, fragment: { _, outlet in outlet.timeout("node", after: .seconds(100_000_000)) }),
  ]

  static let linkNodes: [BuiltInNode] = [
    BuiltInNode("boundary", expecting: { $0 }, fragment: { _, outlet in outlet.boundary("node", limit: .elements(3)) }),
    BuiltInNode(
      "boundary in bytes", expecting: { $0 },
      fragment: { _, outlet in
        outlet.boundary("node", limit: .bytes(12), weigh: { $0 })
      }),
    BuiltInNode(
      "conflate", expecting: nil,
      configure: { options in
        BuiltInNode.timed(&options)
        options.exceptions[.r01] = "takes everything in and keeps one"
      },
      fragment: { _, outlet in
        outlet.conflate("node", limit: .elements(2)) { $0 + $1 }
      }),
    BuiltInNode(
      "broadcast and merge", expecting: { $0.flatMap { [$0, $0] } }, configure: BuiltInNode.unordered,
      fragment: {
        graph, outlet in
        let fork = outlet.broadcast("node")
        return graph.merge("merge", fork.first, fork.second)
      }),
    BuiltInNode(
      "balance", expecting: { $0 }, configure: BuiltInNode.unordered,
      fragment: { graph, outlet in
        let legs = Legs()
        outlet.balance("node", legs: 3) { _, leg in legs.add(leg) }
        return legs.merge(in: graph)
      }),
    BuiltInNode(
      "route", expecting: { $0.filter { $0 % 3 != 2 } }, configure: BuiltInNode.unordered,
      fragment: { graph, outlet in
        let legs = Legs()
        outlet.route("node", [0, 1], by: { $0 % 3 }) { _, leg in legs.add(leg) }
        return legs.merge(in: graph)
      }),
    BuiltInNode(
      "lanes", expecting: { $0.map { $0 + 1 } }, configure: BuiltInNode.unordered,
      fragment: { _, outlet in
        outlet.lanes("node", 3, by: { "\($0)" }) { lane, outlet in outlet.map("lane \(lane)") { $0 + 1 } }
      }),
    BuiltInNode(
      "zip", expecting: { $0.map { $0 * 2 } },
      fragment: { graph, outlet in
        let fork = outlet.broadcast("fan")
        return graph.zip("node", fork.first, fork.second).map("sum") { $0.0 + $0.1 }
      }),
    BuiltInNode(
      "combineLatest", expecting: nil, configure: BuiltInNode.timed,
      fragment: { graph, outlet in
        let fork = outlet.broadcast("fan")
        return graph.combineLatest("node", fork.first, fork.second).map("sum") { $0.0 + $0.1 }
      }),
    BuiltInNode(
      "concat", expecting: { $0 + [100, 101] }, configure: BuiltInNode.hasSource,
      fragment: { graph, outlet in
        graph.concat("node", outlet, graph.source("more", [100, 101]))
      }),
    BuiltInNode(
      "prioritized merge", expecting: { $0 + [100, 101] },
      configure: {
        BuiltInNode.unordered(&$0)
        BuiltInNode.hasSource(&$0)
      },
      fragment: {
        graph, outlet in
        let legs = Legs()
        legs.add(outlet)
        return graph.prioritizedMerge("node", 2) { $0 == 0 ? legs.take(0) : graph.source("more", [100, 101]) }
      }),
    BuiltInNode(
      "sorted merge", expecting: { ($0 + [0, 100]).sorted() },
      configure: {
        BuiltInNode.unordered(&$0)
        BuiltInNode.hasSource(&$0)
      },
      fragment: {
        graph, outlet in
        graph.sortedMerge("node", outlet, graph.source("more", [0, 100]), by: <)
      }),
    BuiltInNode(
      "feedback", expecting: { $0.map { max($0, 5) } }, configure: BuiltInNode.unordered,
      fragment: { graph, outlet in
        let loop = graph.feedback("node", outlet)
        let legs = Legs()
        loop.outlet.map("count up") { $0 < 5 ? $0 + 1 : $0 }
          .route("done?", [true, false], by: { $0 >= 5 }) { _, leg in legs.add(leg) }
        legs.take(1).feed(loop.inlet)
        return legs.take(0)
      }),
    BuiltInNode(
      "sequence function", expecting: { $0.map { $0 + 1 } },
      fragment: { _, outlet in
        outlet.via("node", sequence: { $0.map { $0 + 1 } })
      }),
  ]

  @Test(arguments: elementNodes) func `required_all element nodes`(node: BuiltInNode) throws { try check(node) }
  @Test(arguments: timedNodes) func `required_all timed nodes`(node: BuiltInNode) throws { try check(node) }
  @Test(arguments: linkNodes) func `required_all nodes with links`(node: BuiltInNode) throws { try check(node) }

  private func check(_ node: BuiltInNode) throws {
    try verify(
      node.name, seeds: .sweep(15), options: node.options, fragment: node.fragment, inputs: { Self.inputs },
      expecting: node.expected)
  }

  private static func unique(_ numbers: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return numbers.filter { seen.insert($0).inserted }
  }
}

/// Keeps noncopyable outlets until they are wired.
private final class Legs {
  private var first: Outlet<Int>?
  private var second: Outlet<Int>?
  private var third: Outlet<Int>?
  private var count = 0

  func add(_ outlet: consuming Outlet<Int>) {
    switch count {
    case 0: first = consume outlet
    case 1: second = consume outlet
    default: third = consume outlet
    }
    count += 1
  }

  func take(_ index: Int) -> Outlet<Int> {
    let taken: Outlet<Int>?
    switch index {
    case 0: taken = first.take()
    case 1: taken = second.take()
    default: taken = third.take()
    }
    guard let taken else { preconditionFailure("leg \(index) is not there") }
    return taken
  }

  func merge(in graph: GraphBuilder) -> Outlet<Int> { graph.merge("merge", count) { take($0) } }
}
