/// How a scheduler uses its radio.
public struct SchedulerOptions: Sendable {
  /// Where frames go that name no channel of their own.
  public var channel: RadioChannel
  /// Whose rules hold.
  public var region: RadioRegion
  /// How each class is treated; the standard rules for those left out.
  public var rules: [FrameClass: ClassRules] = [:]
  /// Time the modem needs to change from sending to receiving.
  public var turnAround: Duration = .milliseconds(10)
  /// The part of each window's airtime that only control and voice may use, in percent.
  public var reserve = 5
  /// The time over which guaranteed shares hold.
  public var shareWindow: Duration = .seconds(30)
  /// How long urgent traffic for others waits before a lease is asked to yield.
  public var yieldAfter: Duration = .seconds(2)

  /// The standard of a channel in a region.
  public init(channel: RadioChannel, region: RadioRegion) {
    self.channel = channel
    self.region = region
  }

  func rules(of frameClass: FrameClass) -> ClassRules { rules[frameClass] ?? .standard(frameClass) }

  /// What is wrong with the options, in words.
  func faults() -> [String] {
    var faults: [String] = []
    if turnAround < .zero { faults.append("a turn-around of \(turnAround) is negative") }
    if !(0...100).contains(reserve) { faults.append("a reserve of \(reserve) % is not within 0 and 100") }
    if shareWindow <= .zero { faults.append("a share window of \(shareWindow) is none; use more than zero") }
    if yieldAfter < .zero { faults.append("\(yieldAfter) to a yield are negative") }
    var shares = 0
    for frameClass in FrameClass.allCases {
      let rules = rules(of: frameClass)
      if rules.frames < 1 {
        faults.append("\(frameClass): a queue of \(rules.frames) frames holds none; use 1 or more")
      }
      if let queue = rules.queue, queue < .zero { faults.append("\(frameClass): a queue of \(queue) is negative") }
      if let life = rules.timeToLive, life <= .zero {
        faults.append("\(frameClass): a life of \(life) is over at once")
      }
      if !(0...100).contains(rules.guaranteedShare) {
        faults.append("\(frameClass): a share of \(rules.guaranteedShare) % is not within 0 and 100")
      }
      shares += max(0, rules.guaranteedShare)
    }
    if shares > 100 { faults.append("the guaranteed shares add up to \(shares) %; no more than 100 can be kept") }
    return faults
  }
}
