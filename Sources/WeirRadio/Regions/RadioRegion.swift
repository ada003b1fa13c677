/// Where a radio is used, and so what it may send. A table of public rules, no legal advice: whoever runs a transmitter
/// answers for it.
public struct RadioRegion: Sendable, Hashable {
  /// Name as in LoRaWAN's regional parameters.
  public let name: String
  /// The sub-bands, by frequency.
  public let subBands: [SubBand]
  /// Where the figures stand.
  public let source: String

  /// A region of one's own.
  public init(name: String, subBands: [SubBand], source: String) {
    self.name = name
    self.subBands = subBands
    self.source = source
  }

  /// The sub-band of a frequency in hertz.
  /// - Throws: ``RadioError`` `badFrequency` where there is none.
  public func subBand(at frequency: Int) throws(RadioError) -> SubBand {
    // Where two meet, the stricter one holds.
    let found = subBands.filter { $0.frequencies.contains(frequency) }
    if let strictest = found.min(by: { ($0.airtime ?? $0.window) < ($1.airtime ?? $1.window) }) { return strictest }
    let ranges = subBands.map { "\($0.frequencies.lowerBound)–\($0.frequencies.upperBound)" }.joined(separator: ", ")
    throw RadioError(.badFrequency, "\(frequency) Hz lies in no sub-band of \(name): \(ranges) Hz")
  }

  /// Europe, 868 MHz: non-specific short range devices by duty cycle. The limit is a share of any hour.
  public static let eu868 = RadioRegion(
    name: "EU868",
    subBands: [
      SubBand(
        name: "K", frequencies: 863_000_000...865_000_000, airtime: .milliseconds(3_600),
        power: .radiated(milliwatts: 25)),
      SubBand(
        name: "L", frequencies: 865_000_000...868_000_000, airtime: .seconds(36), power: .radiated(milliwatts: 25)),
      SubBand(
        name: "M", frequencies: 868_000_000...868_600_000, airtime: .seconds(36), power: .radiated(milliwatts: 25)),
      SubBand(
        name: "N", frequencies: 868_700_000...869_200_000, airtime: .milliseconds(3_600),
        power: .radiated(milliwatts: 25)),
      SubBand(
        name: "P", frequencies: 869_400_000...869_650_000, airtime: .seconds(360), power: .radiated(milliwatts: 500)),
      SubBand(
        name: "R", frequencies: 869_700_000...870_000_000, airtime: .seconds(36), power: .radiated(milliwatts: 25)),
    ],
    source: "ETSI EN 300 220-2 V3.2.1 (2018), annex B, bands K to R; Commission decision (EU) 2017/1483; "
      + "ERC Recommendation 70-03, annex 1")

  /// Europe, 433 MHz.
  public static let eu433 = RadioRegion(
    name: "EU433",
    subBands: [
      SubBand(
        name: "433", frequencies: 433_050_000...434_790_000, airtime: .seconds(360),
        power: .radiated(milliwatts: 10))
    ],
    source: "ETSI EN 300 220-2 V3.2.1 (2018), annex B; ERC Recommendation 70-03, annex 1 (433.05–434.79 MHz, 10 %)")

  /// China, 470 to 510 MHz: no share of time is limited, each transmission is.
  public static let cn470 = RadioRegion(
    name: "CN470",
    subBands: [
      SubBand(
        name: "470", frequencies: 470_000_000...510_000_000, longestTransmission: .seconds(1),
        power: .radiated(milliwatts: 50))
    ],
    source: "Notice 52 (2019) of the Ministry of Industry and Information Technology on micropower short range "
      + "transmitters: 50 mW, at most 1 s a transmission")

  /// United States, 902 to 928 MHz, frequency hopping over 50 and more channels narrower than 250 kHz.
  ///
  /// The 400 ms are those on one channel within any 20 s; they are applied to each transmission and to each sub-band's
  /// window by whoever hops. A modem that stays on one channel is held to 400 ms in 20 s by ``us915SingleChannel``.
  public static let us915 = RadioRegion(
    name: "US915",
    subBands: [
      SubBand(
        name: "915", frequencies: 902_000_000...928_000_000, longestTransmission: .milliseconds(400),
        power: .conducted(milliwatts: 1_000))
    ],
    source: "47 CFR 15.247 (a)(1)(i) and (b)(2)")

  /// As ``us915``, for a radio that does not hop: 400 ms on its channel within any 20 s.
  public static let us915SingleChannel = RadioRegion(
    name: "US915, one channel",
    subBands: [
      SubBand(
        name: "915", frequencies: 902_000_000...928_000_000, airtime: .milliseconds(400), window: .seconds(20),
        longestTransmission: .milliseconds(400), power: .conducted(milliwatts: 1_000))
    ],
    source: "47 CFR 15.247 (a)(1)(i) and (b)(2)")
}
