import Testing

@testable import WeirTrace

/// The drawing's geometry, on random graphs.
@Suite struct LayoutTests {
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Spread.mixed(state)
    }
  }

  /// Chains with forks, joins, shortcuts and ways back.
  private static func edges(_ count: Int, seed: UInt64) -> [(from: Int, to: Int)] {
    var generator = Generator(state: seed)
    var edges: [(from: Int, to: Int)] = []
    for node in 1..<count { edges.append((Int.random(in: max(0, node - 6)..<node, using: &generator), node)) }
    for _ in 0..<(count / 3) {
      let (one, other) = (Int.random(in: 0..<count, using: &generator), Int.random(in: 0..<count, using: &generator))
      edges.append((one, other))
    }
    return edges
  }

  @Test(arguments: 1...40) func `every edge leads one layer on, in each of its steps`(seed: UInt64) {
    let edges = Self.edges(30, seed: seed)
    let graph = LayeredGraph(count: 30, edges: edges)
    for (edge, route) in zip(edges, graph.routes) {
      #expect(route.first == edge.from && route.last == edge.to)
      for (one, next) in zip(route, route.dropFirst()) { #expect(abs(graph.layerOf[one] - graph.layerOf[next]) == 1) }
    }
    for (layer, places) in graph.layers.enumerated() {
      #expect(!places.isEmpty)
      #expect(places.allSatisfy { graph.layerOf[$0] == layer })
    }
  }

  @Test(arguments: 1...20) func `sorting layers never makes more crossings, and mostly far fewer`(seed: UInt64) {
    var graph = LayeredGraph(count: 60, edges: Self.edges(60, seed: seed))
    let before = graph.crossings
    let places = graph.layers.map { Set($0) }
    graph.reduceCrossings()
    #expect(graph.crossings <= before * 3 / 4)
    #expect(graph.layers.map { Set($0) } == places)
  }

  @Test func `counting crossings agrees with looking at every pair of edges`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      let graph = LayeredGraph(count: 25, edges: Self.edges(25, seed: seed))
      let positions = graph.positions
      var pairs = 0
      for layer in graph.layers {
        let steps = layer.flatMap { place in graph.below[place].map { (positions[place], positions[$0]) } }
        for one in steps.indices {
          for other in steps.indices where one < other {
            let (first, second) = (steps[one], steps[other])
            if (first.0 - second.0) * (first.1 - second.1) < 0 { pairs += 1 }
          }
        }
      }
      #expect(graph.crossings == pairs)
    }
  }

  @Test(arguments: 1...10) func `boxes of 200 nodes do not touch`(seed: UInt64) {
    var generator = Generator(state: seed)
    var graph = LayeredGraph(count: 200, edges: Self.edges(200, seed: seed))
    graph.reduceCrossings()
    let sizes = graph.places.map { _ in
      (width: Double.random(in: 10...200, using: &generator), height: Double.random(in: 10...80, using: &generator))
    }
    let placement = Placement(graph, sizes: sizes)
    for layer in graph.layers {
      for (left, right) in zip(layer, layer.dropFirst()) {
        let room =
          placement.middles[right].x - sizes[right].width / 2 - (placement.middles[left].x + sizes[left].width / 2)
        #expect(room > Placement.gap - 0.001)
      }
    }
    for (above, below) in zip(graph.layers, graph.layers.dropFirst()) {
      let lowest = above.map { placement.middles[$0].y + sizes[$0].height / 2 }.max() ?? 0
      let highest = below.map { placement.middles[$0].y - sizes[$0].height / 2 }.min() ?? 0
      #expect(highest - lowest > Placement.rise - 0.001)
    }
    for place in graph.places.indices {
      #expect(placement.middles[place].x - sizes[place].width / 2 > -0.001)
      #expect(placement.middles[place].x + sizes[place].width / 2 < placement.width + 0.001)
    }
  }

  @Test func `a chain stands in one column`() {
    let graph = LayeredGraph(count: 12, edges: (1..<12).map { ($0 - 1, $0) })
    let placement = Placement(graph, sizes: (0..<12).map { (width: Double(60 + $0 * 10), height: 40) })
    let columns = Set(placement.middles.map { ($0.x * 10).rounded() })
    #expect(columns.count == 1)
  }

  @Test func `a loop, a graph without edges and no graph at all can be laid out`() {
    #expect(LayeredGraph(count: 0, edges: []).layers.isEmpty)
    #expect(LayeredGraph(count: 3, edges: []).layers == [[0, 1, 2]])
    #expect(LayeredGraph(count: 1, edges: [(0, 0)]).routes == [[0]])
  }

  @Test func `a chain of 100,000 nodes needs no deep stack`() {
    let graph = LayeredGraph(count: 100_000, edges: (1..<100_000).map { ($0 - 1, $0) })
    #expect(graph.layers.count == 100_000)
  }

  @Test func `lines are no wider than allowed, whatever the text`() {
    let letters = Lettering(size: 12)
    for text in [
      "projection", "a-very-long-name.with/many(parts)<of:it>", "会话列表投影写入器与失效提示发射器", "العربية نص طويل جدا هنا",
      String(repeating: "x", count: 500), "", " ", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦",
    ] {
      for limit in [40.0, 100, 190] {
        for most in 1...3 {
          let lines = letters.wrapped(text, to: limit, lines: most)
          #expect(lines.count <= most)
          #expect(lines.allSatisfy { letters.width($0) <= limit })
        }
        let all = letters.wrapped(text, to: limit, lines: .max).joined()
        #expect(all.filter { $0 != " " } == text.filter { $0 != " " })
      }
    }
  }
}
