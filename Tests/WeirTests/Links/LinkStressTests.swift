import Foundation
import Testing
import WeirTesting

/// Randomised rounds over one link in which a writer or a reader is cancelled at a random point.
@Suite struct LinkStressTests {
  static let isSoak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"

  @Test func `stochastic_R13 rounds on the seeded executor lose, repeat and reorder nothing`() throws {
    // 100,000 rounds, five times as many in a soak.
    let rounds = Self.isSoak ? 2_500 : 500
    try forEachSeed(in: .range(1...200)) { simulation in
      var random = simulation.generator("rounds")
      for _ in 0..<rounds { try await LinkRound(&random, most: 2).play() }
    }
  }

  @Test func `stochastic_R13 rounds on the pool lose and repeat nothing`() async throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<(Self.isSoak ? 40_000 : 3_000) { try await LinkRound(&random, most: 3).play() }
  }
}
