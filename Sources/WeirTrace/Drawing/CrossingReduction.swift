/// Orders the places of each layer so that few edges cross: sweeps down and up by the mean place of the neighbours, the best
/// order seen is kept.
extension LayeredGraph {
  mutating func reduceCrossings(sweeps: Int = 12) {
    var best = layers
    var fewest = crossings
    for sweep in 0..<sweeps where fewest > 0 {
      let isDownward = sweep % 2 == 0
      let order = isDownward ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed()
      for layer in order { sort(layer, by: isDownward ? above : below) }
      let number = crossings
      if number < fewest {
        fewest = number
        best = layers
      }
    }
    layers = best
  }

  private mutating func sort(_ layer: Int, by neighbours: [[Int]]) {
    let positions = self.positions
    let keyed = layers[layer].enumerated().map { index, place -> (mean: Double, index: Int, place: Int) in
      let near = neighbours[place]
      // Whoever has no neighbours keeps its place.
      let mean = near.isEmpty ? Double(index) : Double(near.reduce(0) { $0 + positions[$1] }) / Double(near.count)
      return (mean, index, place)
    }
    layers[layer] = keyed.sorted { ($0.mean, $0.index) < ($1.mean, $1.index) }.map(\.place)
  }

  /// Index of each place in its layer.
  var positions: [Int] {
    var positions = Array(repeating: 0, count: places.count)
    for layer in layers { for (index, place) in layer.enumerated() { positions[place] = index } }
    return positions
  }

  /// Number of pairs of edges that cross.
  var crossings: Int {
    let positions = self.positions
    var total = 0
    for layer in layers {
      // The targets in the order of their sources: each inversion is a crossing.
      var seen: [Int] = []
      for place in layer {
        let targets = below[place].map { positions[$0] }.sorted()
        for target in targets { total += seen.count { $0 > target } }
        seen += targets
      }
    }
    return total
  }
}
