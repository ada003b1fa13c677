import WeirRadio

/// The gates of the radio study that are about the scheduler alone, on virtual time: nothing here depends on the machine.
enum SchedulerGates {
  /// A sub-band with a limit of its own: 1 % and 10 % of an hour.
  static let subBands = [(frequency: 868_100_000, limit: Duration.seconds(36)), (869_525_000, .seconds(360))]

  static let classes: [FrameClass] = [.control, .voice, .chat, .chat, .chat, .presence, .file, .file, .background]

  private static func driver(_ frequency: Int) throws -> AirDriver {
    try AirDriver(
      SchedulerOptions(
        channel: RadioChannel(frequency: frequency, modulation: .lora(try LoRaModulation(spreadingFactor: 9))),
        region: .eu868))
  }

  /// Q10: random load of all classes over hours; the fullest window by the limit, over both sub-bands.
  static func fullestWindow(hours: Int) throws -> Double {
    var worst = 0.0
    for (frequency, limit) in subBands {
      var generator = SimulatorGenerator(seed: 10, stream: UInt64(frequency))
      var driver = try driver(frequency)
      let offers = (0..<hours * 900).map { _ in
        (
          at: Duration.milliseconds(generator.index(below: hours * 3_600_000)),
          frame: RadioFrame(
            classes[generator.index(below: classes.count)], flow: "\(generator.index(below: 4))",
            payload: [UInt8](repeating: 0, count: 10 + generator.index(below: 240)))
        )
      }
      driver.run(until: .seconds(hours * 3_600), offering: offers)
      worst = max(worst, driver.worstWindow(.seconds(3_600)) / limit)
    }
    return worst
  }

  /// Q10: what a saturated radio uses of its limit, the least of both sub-bands. The first hour begins with an empty window and
  /// does not count.
  static func useWhenSaturated(hours: Int) throws -> Double {
    var least = 1.0
    for (frequency, limit) in subBands {
      var driver = try driver(frequency)
      driver.run(until: .seconds((hours + 1) * 3_600)) { driver in
        for frameClass in [FrameClass.control, .voice, .chat, .file] {
          let account = driver.state.metrics.classes[frameClass]
          if account?.queued == 0 { driver.offer(RadioFrame(frameClass, payload: [UInt8](repeating: 0, count: 100))) }
        }
      }
      let used = driver.sent.reduce(Duration.zero) { $0 + max(.zero, $1.end - max($1.start, .seconds(3_600))) }
      least = min(least, used / (limit * hours))
    }
    return least
  }

  /// Q9: fairness (Jain) of the time on air of eight saturated flows to peers of different spreading factors.
  static func fairness(minutes: Int) throws -> Double {
    let frequency = RadioRegion.cn470.subBands[0].frequencies.lowerBound
    let channels = try [7, 7, 8, 9, 9, 10, 11, 12].map {
      RadioChannel(frequency: frequency, modulation: .lora(try LoRaModulation(spreadingFactor: $0)))
    }
    var options = SchedulerOptions(channel: channels[0], region: .cn470)
    // Room for more than a frame of each flow: one that has nothing left when its frame goes has no claim to make up for.
    options.rules[.chat] = ClassRules(timeToLive: nil, queue: .seconds(60), whenFull: .wait, guaranteedShare: 20)
    var driver = try AirDriver(options)
    let frames = channels.enumerated().map { index, channel in
      let most = channel.modulation.mostBytes(within: .seconds(1)) ?? 1
      return RadioFrame(
        .chat, flow: "\(index)", payload: [UInt8](repeating: 0, count: max(1, most)), channel: channel)
    }
    driver.run(until: .seconds(60 * minutes)) { driver in
      for frame in frames {
        let flow = SchedulerMetrics.Flow(frameClass: .chat, name: frame.flow)
        if driver.state.metrics.flows[flow]?.queued ?? 0 < 2 { driver.offer(frame) }
      }
    }
    let shares = frames.map { one in driver.airtime { $0.flow == one.flow } / .seconds(1) }
    let sum = shares.reduce(0, +)
    return sum * sum / (Double(shares.count) * shares.reduce(0) { $0 + $1 * $1 })
  }

  /// Q12: speech that wants more than the air has, beside a file: the file's part of the air, give or take one frame, and the part
  /// of the speech on the air that was out in time.
  static func storm(minutes: Int) throws -> (file: Double, inTime: Double) {
    let channel = RadioChannel(
      frequency: RadioRegion.cn470.subBands[0].frequencies.lowerBound,
      modulation: .lora(try LoRaModulation(spreadingFactor: 7)))
    var driver = try AirDriver(SchedulerOptions(channel: channel, region: .cn470))
    let offers = (0..<minutes * 600).map { index in
      (
        at: Duration.milliseconds(100 * index),
        frame: RadioFrame(
          .voice, flow: "\(index % 3)", payload: [UInt8](repeating: 0, count: 80), timeToLive: .milliseconds(800))
      )
    }
    driver.run(until: .seconds(60 * minutes), offering: offers) { driver in
      if driver.state.metrics.classes[.file]?.queued ?? 0 < 2 {
        driver.offer(RadioFrame(.file, payload: [UInt8](repeating: 0, count: 255)))
      }
    }
    let voice = driver.sent.filter { $0.frame.frameClass == .voice }
    let inTime = voice.filter { one in one.deadline.map { one.end <= $0 } ?? false }
    let file = driver.airtime { $0.frameClass == .file } + channel.modulation.timeOnAir(bytes: 255)
    return (file / driver.airtime(), Double(inTime.count) / Double(voice.count))
  }
}
