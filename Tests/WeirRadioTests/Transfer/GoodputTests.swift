import Foundation
import Testing
import WeirTesting

@testable import WeirRadio

/// How much of the channel becomes content (radio study, section 4): against what frames of the full length, back to back and
/// without any header, would carry of what the channel lets through. In virtual time, so the figures are exact.
@Suite struct GoodputTests {
  private static let isSoak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"

  /// The share of the limit that a transfer has reached; nil when it did not end well.
  private static func share(_ bytes: Int, seed: UInt64, loss: Double) throws -> Double? {
    let content = MachineAir.noise(bytes, seed: seed)
    var air = try MachineAir.burst(content, seed: seed, link: MachineAir.Link(loss: loss))
    air.run()
    guard air.endings == [.sent, .received(content)] else { return nil }
    let frame = air.pacing.modulation.timeOnAir(bytes: air.pacing.frameLimit)
    let realised = Double(air.lostCount) / Double(max(1, air.frameTotal))
    let limit = (1 - realised) * Double(air.pacing.frameLimit) / (frame / .seconds(1))
    return Double(bytes) / (air.now / .seconds(1)) / limit
  }

  @Test(.timeLimit(.minutes(30)), arguments: [(0.0, 0.90), (0.1, 0.88), (0.3, 0.88), (0.5, 0.80)])
  func `Q1 Q2 Q5 nearly all of what the air lets through is content`(loss: Double, gate: Double) throws {
    let seeds: Range<UInt64> = 0..<(Self.isSoak ? 20 : 2)
    var shares: [Double] = []
    for seed in seeds {
      let share = try Self.share(Self.isSoak ? 524_287 : 150_000, seed: seed, loss: loss)
      shares.append(try #require(share, "seed \(seed) does not end well"))
    }
    let least = shares.min() ?? 0
    if Self.isSoak {
      print("Q1 Q2 Q5 loss \(loss): least \(least), mean \(shares.reduce(0, +) / Double(shares.count))")
    }
    #expect(least >= gate, "\(shares)")
  }
}
