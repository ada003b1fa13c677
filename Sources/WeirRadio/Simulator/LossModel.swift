/// How frames of a link get lost on their own.
public struct LossModel: Sendable, Hashable {
  private let lossWhenGood: Double
  private let lossWhenBad: Double
  private let becomesBad: Double
  private let becomesGood: Double

  /// No loss.
  public static var none: LossModel { LossModel(0, 0, 0, 1) }

  /// Each frame is lost with the same probability, whatever was before.
  public static func independent(_ probability: Double) -> LossModel {
    let loss = clamped(probability)
    return LossModel(loss, loss, 0, 1)
  }

  /// Gilbert and Elliott's model: good times with 1 % of loss, bad ones with 90 % and on average `badRun` frames long; how often
  /// they come follows from the mean.
  /// - Parameters:
  ///   - mean: loss over all, from 0.01 to what good times of one frame give; others are brought to the nearest.
  ///   - badRun: frames of a bad time, 1 or more.
  public static func gilbertElliott(mean: Double, badRun: Double = 8) -> LossModel {
    let run = max(1, badRun)
    // The part of bad frames that gives the mean; good times last a frame at least.
    let part = min(max(0, (clamped(mean) - 0.01) / 0.89), run / (run + 1))
    return LossModel(0.01, 0.9, part / (1 - part) / run, 1 / run)
  }

  private init(_ lossWhenGood: Double, _ lossWhenBad: Double, _ becomesBad: Double, _ becomesGood: Double) {
    self.lossWhenGood = lossWhenGood
    self.lossWhenBad = lossWhenBad
    self.becomesBad = becomesBad
    self.becomesGood = becomesGood
  }

  private static func clamped(_ probability: Double) -> Double {
    probability.isNaN ? 0 : min(1, max(0, probability))
  }

  /// Loss over all.
  public var mean: Double {
    let bad = becomesBad / (becomesBad + becomesGood)
    return bad * lossWhenBad + (1 - bad) * lossWhenGood
  }

  /// Where a link stands.
  struct Course: Sendable {
    private var isBad = false

    /// Whether the next frame is lost. Draws two numbers.
    mutating func losesNext(_ model: LossModel, _ generator: inout SimulatorGenerator) -> Bool {
      let turn = generator.fraction()
      isBad = isBad ? turn >= model.becomesGood : turn < model.becomesBad
      return generator.fraction() < (isBad ? model.lossWhenBad : model.lossWhenGood)
    }
  }
}
