/// A point of a drawing, in pixels from its upper left corner.
struct Point: Sendable, Hashable {
  var x: Double
  var y: Double
}

/// Gives every place of a layered graph its middle: layers from top to bottom, places beside each other without touching, each
/// as near to its neighbours as that allows.
struct Placement: Sendable {
  /// Room between neighbours of a layer, and between layers.
  static let gap = 28.0
  static let rise = 76.0

  private(set) var middles: [Point]
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// - Parameter sizes: width and height of each place.
  init(_ graph: LayeredGraph, sizes: [(width: Double, height: Double)]) {
    middles = Array(repeating: Point(x: 0, y: 0), count: graph.places.count)
    var top = 0.0
    for layer in graph.layers {
      let tallest = layer.map { sizes[$0].height }.max() ?? 0
      var left = 0.0
      for place in layer {
        middles[place] = Point(x: left + sizes[place].width / 2, y: top + tallest / 2)
        left += sizes[place].width + Placement.gap
      }
      top += tallest + Placement.rise
    }
    for sweep in 0..<24 {
      let isDownward = sweep % 2 == 0
      for layer in isDownward ? graph.layers : graph.layers.reversed() {
        align(layer, to: isDownward ? graph.above : graph.below, sizes)
      }
    }
    let left = graph.places.indices.map { middles[$0].x - sizes[$0].width / 2 }.min() ?? 0
    for place in middles.indices { middles[place].x -= left }
    width = graph.places.indices.map { middles[$0].x + sizes[$0].width / 2 }.max() ?? 0
    height = max(0, top - Placement.rise)
  }

  /// Moves a layer so that each place is near the mean of its neighbours: places that would touch form a block, which goes where
  /// its members would go on average.
  private mutating func align(_ layer: [Int], to neighbours: [[Int]], _ sizes: [(width: Double, height: Double)]) {
    struct Block {
      var members: [Int]
      /// Where its first member wants to be, summed over the members.
      var wish: Double
      var width: Double
      var start: Double { wish / Double(members.count) }
    }
    var blocks: [Block] = []
    for place in layer {
      let near = neighbours[place]
      let wanted = near.isEmpty ? middles[place].x : near.reduce(0) { $0 + middles[$1].x } / Double(near.count)
      var block = Block(
        members: [place], wish: wanted - sizes[place].width / 2, width: sizes[place].width + Placement.gap)
      while let before = blocks.last, before.start + before.width > block.start {
        blocks.removeLast()
        block = Block(
          members: before.members + block.members,
          wish: before.wish + block.wish - before.width * Double(block.members.count), width: before.width + block.width
        )
      }
      blocks.append(block)
    }
    for block in blocks {
      var left = block.start
      for place in block.members {
        middles[place].x = left + sizes[place].width / 2
        left += sizes[place].width + Placement.gap
      }
    }
  }
}
