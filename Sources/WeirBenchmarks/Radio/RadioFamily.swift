import WeirRadio

/// The gates of the radio study, section 4, each beside what it asks for: the stored threshold is the gate and the goal the moonshot.
/// All of it is virtual time, so every run gives the same figures on every machine.
let radio = Family(
  name: "radio", title: "the radio's gates, and other protocols on the same simulated channel",
  cases: RadioFamily.transfer + RadioFamily.scheduler + RadioFamily.texts + RadioFamily.transferOnAir
    + RadioFamily.peers,
  comparisons: RadioFamily.transferComparisons + [
    .atLeast("Q9 fairness of 8 flows, SF7 to SF12", goal: 0.995),
    .reading("Q10 fullest window of 24 hours of mixed load", goal: 1),
    .atLeast("Q10 use when saturated", goal: 0.98),
    .atLeast("Q12 air of a file in a storm of speech"),
    .atLeast("Q12 speech that was out in time", goal: 1),
    .reading("Q15 chat texts on the air", goal: 0.6),
  ], rounds: 1)

enum RadioFamily {
  static let scheduler = [
    Case("Q9 fairness of 8 flows, SF7 to SF12", unit: .jain, count: 120) { try SchedulerGates.fairness(minutes: $0) },
    Case("Q10 fullest window of 24 hours of mixed load", unit: .limit, count: 24) {
      try SchedulerGates.fullestWindow(hours: max(2, $0))
    },
    Case("Q10 use when saturated", unit: .limit, count: 24) { try SchedulerGates.useWhenSaturated(hours: max(2, $0)) },
    Case("Q12 air of a file in a storm of speech", unit: .air, count: 60) {
      try SchedulerGates.storm(minutes: $0).file
    },
    Case("Q12 speech that was out in time", unit: .frames, count: 60) {
      try SchedulerGates.storm(minutes: $0).inTime
    },
  ]

  static let texts = [Case("Q15 chat texts on the air", unit: .raw, count: 1) { _ in try ChatSamples.share() }]

  /// Half a MiB at most: the longest file of one transfer.
  static let fileBytes = 524_287

  /// Other protocols, with nothing to reach.
  static let peers = [7, nil].flatMap { (factor: Int?) in
    [0, 0.1, 0.3, 0.5].flatMap { loss in
      ["stop and wait", "XMODEM"].map { name in
        let place = factor.map { "SF\($0)" } ?? "rate 18"
        return Case("\(name), \(place), p = \(loss)", unit: .limit, count: fileBytes) { bytes in
          let modulation = try modulation(factor)
          let peer = name == "XMODEM" ? RadioPeer.xmodem : .stopAndWait(modulation)
          return try peer.share(of: modulation, loss: loss, bytes: bytes)
        }
      }
    }
  }

  /// A spreading factor at 125 kHz, or TurMass's fastest rate.
  static func modulation(_ factor: Int?) throws -> Modulation {
    if let factor { return .lora(try LoRaModulation(spreadingFactor: factor)) }
    return .bitRate(try BitRateModulation(rate: 82_500, overhead: .milliseconds(8), maximumBytes: 600))
  }
}
