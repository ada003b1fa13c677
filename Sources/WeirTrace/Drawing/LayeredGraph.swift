/// A directed graph in layers: every edge leads from a layer to the next one, long edges through waypoints.
///
/// After Sugiyama: edges that would lead back are turned round, layers follow from the longest way to a node, and waypoints
/// stand for edges in the layers they pass. A pure value; the same graph gives the same layers.
struct LayeredGraph: Sendable {
  /// A place in a layer: a node of the graph, or a waypoint of an edge.
  enum Place: Sendable, Hashable {
    case node(Int)
    case waypoint(edge: Int)
  }

  /// Places, the nodes of the graph first.
  private(set) var places: [Place]
  /// Layer of each place.
  private(set) var layerOf: [Int]
  /// Places of each layer, from left to right.
  var layers: [[Int]] = []
  /// Places behind and before each place.
  private(set) var below: [[Int]]
  private(set) var above: [[Int]]
  /// For each edge of the graph the places it passes, from its source to its target.
  private(set) var routes: [[Int]]

  /// - Parameter edges: pairs of indices below `count`; loops and repetitions are allowed.
  init(count: Int, edges: [(from: Int, to: Int)]) {
    places = (0..<count).map(Place.node)
    let forward = LayeredGraph.turned(count: count, edges: edges)
    layerOf = LayeredGraph.longestWays(count: count, edges: forward.filter { $0.from != $0.to })
    below = Array(repeating: [], count: count)
    above = Array(repeating: [], count: count)
    routes = []
    for (index, edge) in edges.enumerated() {
      let (first, last) = (forward[index].from, forward[index].to)
      if first == last {
        routes.append([first])
        continue
      }
      var route = [first]
      for layer in (layerOf[first] + 1)..<max(layerOf[first] + 1, layerOf[last]) {
        route.append(places.count)
        places.append(.waypoint(edge: index))
        layerOf.append(layer)
        below.append([])
        above.append([])
      }
      route.append(last)
      for (one, next) in zip(route, route.dropFirst()) {
        below[one].append(next)
        above[next].append(one)
      }
      routes.append(edge.from == first ? route : route.reversed())
    }
    layers = Array(repeating: [], count: (layerOf.max() ?? -1) + 1)
    for place in places.indices { layers[layerOf[place]].append(place) }
  }

  /// The edges with those turned round that close a cycle, found by a walk in depth in the order of declaration.
  private static func turned(count: Int, edges: [(from: Int, to: Int)]) -> [(from: Int, to: Int)] {
    enum Mark { case new, open, done }
    var leaving: [[Int]] = Array(repeating: [], count: count)
    for (index, edge) in edges.enumerated() { leaving[edge.from].append(index) }
    var marks = Array(repeating: Mark.new, count: count)
    var result = edges
    for start in 0..<count where marks[start] == .new {
      // By a list of its own: a long chain would be too deep for the call stack.
      var path: [(node: Int, next: Int)] = [(start, 0)]
      marks[start] = .open
      while let (node, next) = path.last {
        guard next < leaving[node].count else {
          marks[node] = .done
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let edge = leaving[node][next]
        let target = edges[edge].to
        switch marks[target] {
        case .new:
          marks[target] = .open
          path.append((target, 0))
        case .open: result[edge] = (target, node)
        case .done: break
        }
      }
    }
    return result
  }

  private static func longestWays(count: Int, edges: [(from: Int, to: Int)]) -> [Int] {
    var entering = Array(repeating: 0, count: count)
    var leaving: [[Int]] = Array(repeating: [], count: count)
    for edge in edges {
      entering[edge.to] += 1
      leaving[edge.from].append(edge.to)
    }
    var layers = Array(repeating: 0, count: count)
    var ready = (0..<count).filter { entering[$0] == 0 }
    var next = 0
    while next < ready.count {
      let node = ready[next]
      next += 1
      for target in leaving[node] {
        layers[target] = max(layers[target], layers[node] + 1)
        entering[target] -= 1
        if entering[target] == 0 { ready.append(target) }
      }
    }
    // A source stands right before what it feeds, not at the top of the drawing.
    var sources = Array(repeating: true, count: count)
    for edge in edges { sources[edge.to] = false }
    for node in 0..<count where sources[node] {
      if let nearest = leaving[node].map({ layers[$0] }).min() { layers[node] = max(0, nearest - 1) }
    }
    return layers
  }
}
