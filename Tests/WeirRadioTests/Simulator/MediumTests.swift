import Foundation
import Testing
import Weir
import WeirTesting

@testable import WeirRadio

/// The air: who hears whom.
@Suite struct MediumTests {
  private static func channel(_ frequency: Int = 470_500_000) throws -> RadioChannel {
    RadioChannel(frequency: frequency, modulation: .lora(try LoRaModulation(spreadingFactor: 7)))
  }

  /// Losses of many frames lie within five standard deviations of what the model says.
  @Test(arguments: [0.0, 0.05, 0.3, 0.5, 1.0])
  func `independent loss is as often as said, and not in runs`(loss: Double) {
    let count = 40_000
    let lost = Self.losses(.independent(loss), count)
    let deviation = (loss * (1 - loss) / Double(count)).squareRoot()
    #expect(abs(Self.share(lost) - loss) <= 5 * deviation)
    let pairs = zip(lost, lost.dropFirst()).filter { $0 && $1 }.count
    let both = loss * loss
    #expect(abs(Double(pairs) / Double(count - 1) - both) <= 10 * (both * (1 - both) / Double(count)).squareRoot())
  }

  @Test(arguments: [0.05, 0.1, 0.3, 0.6])
  func `loss in runs has the mean and the runs of its model`(mean: Double) {
    let model = LossModel.gilbertElliott(mean: mean)
    #expect(abs(model.mean - mean) < 1e-9)
    let count = 400_000
    let lost = Self.losses(model, count)
    // Frames of one run are not independent: a run of 8 counts about as one draw, 16 with both ends.
    let deviation = (mean * (1 - mean) * 16 / Double(count)).squareRoot()
    #expect(abs(Self.share(lost) - mean) <= 5 * deviation)
    // The chance that the frame after a lost one is lost too, by the model.
    let part = (mean - 0.01) / 0.89
    let becomesBad = part / (1 - part) / 8
    let bad = part * 0.9 * (7.0 / 8 * 0.9 + 1.0 / 8 * 0.01)
    let good = (1 - part) * 0.01 * (becomesBad * 0.9 + (1 - becomesBad) * 0.01)
    let expected = (bad + good) / mean
    let after = zip(lost, lost.dropFirst()).filter { $0.0 }.map(\.1)
    #expect(abs(Self.share(after) - expected) < 0.03, "\(Self.share(after)) and \(expected)")
  }

  private static func losses(_ model: LossModel, _ count: Int) -> [Bool] {
    var generator = SimulatorGenerator(seed: 11)
    var course = LossModel.Course()
    return (0..<count).map { _ in course.losesNext(model, &generator) }
  }

  private static func share(_ flags: [Bool]) -> Double {
    Double(flags.filter { $0 }.count) / Double(max(1, flags.count))
  }

  @Test(arguments: [
    (-80, -86, true, false), (-80, -85, false, false), (-90, -84, false, true), (-70, -70, false, false),
  ])
  func `of two frames at once the one that is stronger by 6 dB is heard`(
    first: Int, second: Int, hearsFirst: Bool, hearsSecond: Bool
  ) throws {
    var state = MediumState(seed: 1, turnAround: .milliseconds(5))
    state.connect(MediumState.Pair(from: 0, to: 2), SimulatedLink(rssi: first))
    state.connect(MediumState.Pair(from: 1, to: 2), SimulatedLink(rssi: second))
    let one = state.begin(from: 0, [1], on: try Self.channel(), at: .zero)
    let two = state.begin(from: 1, [2], on: try Self.channel(), at: one.end - .milliseconds(1))
    #expect(!state.end(one, isWhole: true).isEmpty == hearsFirst)
    #expect(!state.end(two, isWhole: true).isEmpty == hearsSecond)
    let collided = state.counts(.init(from: 0, to: 2)).collided + state.counts(.init(from: 1, to: 2)).collided
    #expect(collided == (hearsFirst || hearsSecond ? 1 : 2))
  }

  @Test func `frames apart in time or frequency do not collide, nor do those that the hearer does not hear`() throws {
    var state = MediumState(seed: 1, turnAround: .milliseconds(5))
    for radio in [0, 1] { state.connect(MediumState.Pair(from: radio, to: 2), SimulatedLink()) }
    let one = state.begin(from: 0, [1], on: try Self.channel(), at: .zero)
    let other = state.begin(from: 1, [2], on: try Self.channel(471_000_000), at: .zero)
    let hidden = state.begin(from: 3, [3], on: try Self.channel(), at: .zero)
    #expect(state.isBusy(at: 2, on: try Self.channel(), now: .milliseconds(1)))
    #expect(!state.isBusy(at: 3, on: try Self.channel(), now: .milliseconds(1)))
    let after = state.begin(from: 1, [4], on: try Self.channel(), at: one.end)
    #expect(state.end(one, isWhole: true).map(\.frame.payload) == [[1]])
    #expect(state.end(other, isWhole: true).count == 1)
    #expect(state.end(hidden, isWhole: true).isEmpty)
    #expect(state.end(after, isWhole: true).map(\.frame.payload) == [[4]])
    state.tune(2, to: try Self.channel(471_000_000))
    let elsewhere = state.begin(from: 0, [5], on: try Self.channel(), at: .seconds(9))
    #expect(state.end(elsewhere, isWhole: true).isEmpty)
    #expect(state.counts(.init(from: 0, to: 2)).elsewhere == 1)
  }

  @Test func `a radio that sends is deaf, and for its turn-around before and after`() throws {
    for (offset, isHeard) in [(-100, false), (0, false), (3, false), (6, true)] {
      var state = MediumState(seed: 1, turnAround: .milliseconds(5))
      state.connect(MediumState.Pair(from: 0, to: 1), SimulatedLink())
      let own = state.begin(from: 1, [UInt8](repeating: 0, count: 200), on: try Self.channel(), at: .zero)
      let frame = state.begin(from: 0, [1], on: try Self.channel(), at: own.end + .milliseconds(offset))
      _ = state.end(own, isWhole: true)
      #expect(!state.end(frame, isWhole: true).isEmpty == isHeard, "\(offset) ms after")
    }
  }

  @Test func `damage, duplicates and cut frames do what they say, and each way has its own fortune`() throws {
    var state = MediumState(seed: 9, turnAround: .zero)
    let there = MediumState.Pair(from: 0, to: 1)
    let back = MediumState.Pair(from: 1, to: 0)
    state.connect(there, SimulatedLink(corruption: 0.2, unseenCorruption: 0.2, duplicates: 0.2))
    state.connect(back, SimulatedLink(loss: .independent(0.5)))
    let payload = [UInt8](repeating: 0x55, count: 20)
    var (now, heard, damaged, twice, answered) = (Duration.zero, 0, 0, 0, 0)
    let count = 10_000
    for _ in 0..<count {
      let frame = state.begin(from: 0, payload, on: try Self.channel(), at: now)
      let deliveries = state.end(frame, isWhole: true)
      if let first = deliveries.first {
        heard += 1
        if first.frame.payload != payload { damaged += 1 }
      }
      if deliveries.count == 2 { twice += 1 }
      let answer = state.begin(from: 1, [1], on: try Self.channel(), at: frame.end)
      answered += state.end(answer, isWhole: true).count
      now = answer.end
    }
    func isNear(_ value: Int, _ share: Double) -> Bool {
      abs(Double(value) - share * Double(count)) <= 5 * (share * (1 - share) * Double(count)).squareRoot()
    }
    #expect(isNear(heard, 0.8) && isNear(damaged, 0.16) && isNear(twice, 0.16) && isNear(answered, 0.5))
    #expect(state.counts(there).corrupted == count - heard)
    let cut = state.begin(from: 0, payload, on: try Self.channel(), at: now)
    #expect(state.end(cut, isWhole: false).isEmpty)
  }

  @Test func `foreign traffic takes its share of the air, and a frame under it is lost`() throws {
    let (share, run) = try simulate(seed: 2) { simulation in
      let medium = Medium(seed: 2, clock: GraphClock(simulation.clock), turnAround: .zero)
      medium.connect(from: 7, to: 1)
      let channel = try Self.channel()
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await medium.foreignTraffic(from: 7, on: channel, share: 0.3, bytes: 50, seed: 2) }
        try? await medium.clock.sleep(for: .seconds(2_000))
        group.cancelAll()
      }
      let airtime = channel.modulation.timeOnAir(bytes: 50)
      return (airtime * medium.counts(from: 7, to: 1).sent / .seconds(2_000), medium.counts(from: 7, to: 1))
    }
    // Pauses are even between nothing and twice the mean: the share of N frames lies within 5 deviations.
    #expect(abs(share - 0.3) < 5 * 0.3 * 0.7 / 3.0.squareRoot() / Double(run.sent).squareRoot() + 0.001)
    #expect(run.heard == run.sent)
  }
}
