import Synchronization
import WeirRadio

/// The gates of the radio study that are about files. Each count is a number of seeds.
enum TransferGates {
  /// A bench whose runs are needed for more than one figure.
  struct Runs: Sendable {
    let make: @Sendable () throws -> TransferBench
    private let known = Known()

    private final class Known: Sendable {
      let outcomes = Mutex<[Int: [TransferBench.Outcome]]>([:])
    }

    init(_ make: @escaping @Sendable () throws -> TransferBench) { self.make = make }

    /// The outcomes of the first seeds; each is the same every time.
    func outcomes(_ seeds: Int) throws -> [TransferBench.Outcome] {
      if let known = known.outcomes.withLock({ $0[seeds] }) { return known }
      let bench = try make()
      let outcomes = try (1...seeds).map { try bench.run(bytes: RadioFamily.fileBytes, seed: UInt64($0)) }
      known.outcomes.withLock { $0[seeds] = outcomes }
      return outcomes
    }

    /// The mean part of the limit.
    func share(_ seeds: Int, of part: KeyPath<TransferBench.Outcome, Double> = \.share) throws -> Double {
      try outcomes(seeds).reduce(0) { $0 + $1[keyPath: part] } / Double(seeds)
    }

    /// The part of the files that arrived.
    func whole(_ seeds: Int) throws -> Double { Double(try outcomes(seeds).count(where: \.isWhole)) / Double(seeds) }
  }

  static let clean = Runs { try .lora(7) }
  static let lossy = Runs { try .lora(7, loss: .independent(0.3)) }
  static let rough = Runs { try .lora(7, loss: .gilbertElliott(mean: 0.3)) }
  static let worst = Runs { try .lora(7, loss: .independent(0.5)) }
  static let fast = Runs {
    TransferBench(dialect: .turMass, modulation: try RadioFamily.modulation(nil), baud: 921_600)
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
    Case("Q1 SF7, nothing lost", unit: .limit, count: 3) { try TransferGates.clean.share($0) },
    Case("Q2 SF7, p = 0.3", unit: .limit, count: 20) { try TransferGates.lossy.share($0) },
    Case("Q2 files that arrived", unit: .runs, count: 20) { try TransferGates.lossy.whole($0) },
    Case("Q3 SF7, p = 0.3 in bad times of 8 frames", unit: .limit, count: 20) { try TransferGates.rough.share($0) },
    Case("Q3 files that arrived", unit: .runs, count: 20) { try TransferGates.rough.whole($0) },
    Case("Q4 rate 18, nothing lost", unit: .limit, count: 3) { try TransferGates.fast.share($0) },
    Case("Q5 SF7, p = 0.5", unit: .limit, count: 10) { try TransferGates.worst.share($0) },
    Case("Q5 files that arrived", unit: .runs, count: 10) { try TransferGates.worst.whole($0) },
    Case("Q7 wait of chat beside a file, p99", unit: .seconds, count: 10) { try TransferGates.chatWait(seeds: $0) },
  ]

  /// The same without the line, which a transfer still waits for: nothing is asked of it.
  static let transferOnAir = [
    Case("file, SF7, p = 0.0, line and turn-around not counted", unit: .limit, count: 3) {
      try TransferGates.clean.share($0, of: \.airShare)
    },
    Case("file, rate 18, p = 0.0, line and turn-around not counted", unit: .limit, count: 3) {
      try TransferGates.fast.share($0, of: \.airShare)
    },
  ]

  static let transferComparisons: [Comparison] = [
    .atLeast("Q1 SF7, nothing lost", goal: 0.94),
    .atLeast("Q2 SF7, p = 0.3", goal: 0.94),
    .atLeast("Q2 files that arrived"),
    .atLeast("Q3 SF7, p = 0.3 in bad times of 8 frames", goal: 0.92),
    .atLeast("Q3 files that arrived"),
    .atLeast("Q4 rate 18, nothing lost", goal: 0.97),
    .atLeast("Q5 SF7, p = 0.5", goal: 0.93),
    .atLeast("Q5 files that arrived"),
    .reading("Q7 wait of chat beside a file, p99", goal: 0.5),
  ]
}
