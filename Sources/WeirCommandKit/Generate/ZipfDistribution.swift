/// Picks ranks so that rank k comes up in proportion to 1/(k + 1), as the popularity of chats does.
///
/// An alias table (Vose): constant time a pick, 12 bytes a rank.
struct ZipfDistribution: Sendable {
  private let thresholds: [Double]
  private let aliases: [Int32]

  /// Ranks 0 up to but without `count`, which is from 1 to `Int32.max`.
  init(count: Int) {
    let count = min(max(count, 1), Int(Int32.max))
    let total = (1...count).reduce(0.0) { $0 + 1 / Double($1) }
    var thresholds = (1...count).map { Double(count) / (Double($0) * total) }
    var aliases = (0..<count).map { Int32($0) }
    // Weights fall with rank: walk the light ones with one index and fill them up from the heavy ones with the other.
    var light = thresholds.indices.filter { thresholds[$0] < 1 }
    var heavy = thresholds.indices.filter { thresholds[$0] >= 1 }
    while let poor = light.popLast(), let rich = heavy.last {
      aliases[poor] = Int32(rich)
      thresholds[rich] -= 1 - thresholds[poor]
      if thresholds[rich] < 1 {
        heavy.removeLast()
        light.append(rich)
      }
    }
    for rank in heavy { thresholds[rank] = 1 }
    self.thresholds = thresholds
    self.aliases = aliases
  }

  func pick(using random: inout SeededRandom) -> Int {
    let rank = random.below(thresholds.count)
    return random.unit() < thresholds[rank] ? rank : Int(aliases[rank])
  }
}
