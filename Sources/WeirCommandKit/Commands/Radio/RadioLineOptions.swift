import WeirRadio

/// The options that both ends of a modem's line must agree on: the modem's words, and how fast it sends.
struct RadioLineOptions: Sendable {
  static let dialects = ["turmass", "rak", "reyax", "kiss"]
  static let dialect = CommandOption<String>.choice(
    "dialect", "WHAT", of: dialects, "How the modem is spoken to: turmass, rak (RUI3), reyax (RYLR) or kiss.")
  static let spreadingFactor = CommandOption<Int?>.integer(
    "spreading-factor", "N", 7...12, "LoRa with this spreading factor at 125 kHz.")
  static let rate = CommandOption<Int?>.integer(
    "rate", "BITS", 100...10_000_000, "A constant number of bits a second instead.")
  static let baud = CommandOption<Int>.integer(
    "baud", "BAUD", 1_200...4_000_000, default: 115_200, "Speed of the line to the modem.")
  static let speed = CommandOption<Int>.integer(
    "speed", "N", 1...1_000, default: 1, "Time runs N times faster, at both ends of a simulated radio alike.")

  static let descriptions = [
    dialect.description, spreadingFactor.description, rate.description, baud.description, speed.description,
  ]

  var dialect: ModemDialect
  /// How bytes become time, where the modem's own settings do not say.
  var modulation: Modulation
  /// Whether the user said so.
  var isModulationGiven: Bool
  var baud: Int
  var speed: Int

  init(_ arguments: ParsedArguments) throws {
    switch arguments[Self.dialect] {
    case "rak": dialect = .rakRUI3
    case "reyax": dialect = .reyaxRYLR()
    case "kiss": dialect = .kiss
    default: dialect = .turMass
    }
    baud = arguments[Self.baud]
    speed = arguments[Self.speed]
    let (factor, rate) = (arguments[Self.spreadingFactor], arguments[Self.rate])
    if factor != nil, rate != nil {
      throw UsageError(message: "--spreading-factor and --rate exclude each other", path: arguments.path)
    }
    isModulationGiven = factor != nil || rate != nil
    if let rate {
      modulation = .bitRate(
        try BitRateModulation(rate: rate, overhead: .milliseconds(8), maximumBytes: dialect.maximumPayload))
    } else if factor == nil, dialect == .turMass, let standard = TurMassRate.modulation(Self.standardRate) {
      modulation = standard
    } else {
      modulation = .lora(try LoRaModulation(spreadingFactor: factor ?? 7))
    }
  }

  /// The number of TurMass's rate that a modem has when it is switched on.
  static let standardRate = 18

  /// Where both ends meet.
  static let frequency = 470_500_000

  /// Where and how a modem sends, by its settings: a TurMass modem by its RATE and FREQ, unless the user said how fast it is.
  func channel(_ settings: [String: String]) -> RadioChannel {
    let frequency = settings["FREQ"].flatMap(Int.init) ?? Self.frequency
    let own = settings["RATE"].flatMap(Int.init).flatMap(TurMassRate.modulation)
    return RadioChannel(
      frequency: frequency, modulation: dialect == .turMass && !isModulationGiven ? own ?? modulation : modulation)
  }
}
