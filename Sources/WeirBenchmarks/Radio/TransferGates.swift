import WeirRadio

/// The gates of the radio study that are about files. Each count is a number of seeds.
enum TransferGates {
  /// The mean share of the limit over some seeds; zero when any transfer was not whole, since all have to be.
  static func share(
    _ bench: TransferBench, seeds: Int, of part: KeyPath<TransferBench.Outcome, Double> = \.share
  ) throws -> Double {
    var sum = 0.0
    for seed in 1...seeds {
      let outcome = try bench.run(bytes: RadioFamily.fileBytes, seed: UInt64(seed))
      guard outcome.isWhole else { return 0 }
      sum += outcome[keyPath: part]
    }
    return sum / Double(seeds)
  }

  /// Q7: the wait that 99 of 100 chat messages to the same peer do not exceed while a file is on its way, in seconds.
  static func chatWait(seeds: Int) throws -> Double {
    var waits: [Duration] = []
    for seed in 1...seeds {
      let bench = try TransferBench.lora(7, chat: .milliseconds(4_700))
      let outcome = try bench.run(bytes: RadioFamily.fileBytes, seed: UInt64(seed))
      guard outcome.isWhole else { return .infinity }
      waits += outcome.chatWaits
    }
    waits.sort()
    guard let wait = waits.isEmpty ? nil : waits[(waits.count - 1) * 99 / 100] else { return .infinity }
    return wait / .seconds(1)
  }
}

extension RadioFamily {
  static let transfer = [
    Case("Q1 SF7, nothing lost", unit: .limit, count: 3) { try TransferGates.share(.lora(7), seeds: $0) },
    Case("Q2 SF7, p = 0.3", unit: .limit, count: 20) {
      try TransferGates.share(.lora(7, loss: .independent(0.3)), seeds: $0)
    },
    Case("Q3 SF7, p = 0.3 in bad times of 8 frames", unit: .limit, count: 20) {
      try TransferGates.share(.lora(7, loss: .gilbertElliott(mean: 0.3)), seeds: $0)
    },
    Case("Q4 rate 18, nothing lost", unit: .limit, count: 3) {
      try TransferGates.share(
        TransferBench(dialect: .turMass, modulation: modulation(nil), baud: 921_600), seeds: $0)
    },
    Case("Q5 SF7, p = 0.5", unit: .limit, count: 10) {
      try TransferGates.share(.lora(7, loss: .independent(0.5)), seeds: $0)
    },
    Case("Q7 wait of chat beside a file, p99", unit: .seconds, count: 10) { try TransferGates.chatWait(seeds: $0) },
  ]

  /// The same without the line, which a transfer still waits for: nothing is asked of it.
  static let transferOnAir = [
    Case("file, SF7, p = 0.0, line and turn-around not counted", unit: .limit, count: 3) {
      try TransferGates.share(.lora(7), seeds: $0, of: \.airShare)
    },
    Case("file, rate 18, p = 0.0, line and turn-around not counted", unit: .limit, count: 3) {
      try TransferGates.share(
        TransferBench(dialect: .turMass, modulation: modulation(nil), baud: 921_600), seeds: $0, of: \.airShare)
    },
  ]

  static let transferComparisons: [Comparison] = [
    .atLeast("Q1 SF7, nothing lost", goal: 0.94),
    .atLeast("Q2 SF7, p = 0.3", goal: 0.94),
    .atLeast("Q3 SF7, p = 0.3 in bad times of 8 frames", goal: 0.92),
    .atLeast("Q4 rate 18, nothing lost", goal: 0.97),
    .atLeast("Q5 SF7, p = 0.5", goal: 0.93),
    .reading("Q7 wait of chat beside a file, p99", goal: 0.5),
  ]
}
