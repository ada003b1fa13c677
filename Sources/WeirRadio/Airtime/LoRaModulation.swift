/// A LoRa physical layer: what decides how long a frame is on the air.
///
/// The formula is that of Semtech's SX127x and SX126x data sheets for spreading factors 7 to 12 (radio study, section 4).
public struct LoRaModulation: Sendable, Hashable, CustomStringConvertible {
  /// Chips of a symbol as a power of two, 7 to 12.
  public let spreadingFactor: Int
  /// Hertz.
  public let bandwidth: Int
  /// Denominator of the coding rate 4/n, 5 to 8.
  public let codingRate: Int
  /// Symbols of the preamble, without the 4.25 that the modem adds.
  public let preamble: Int
  /// Whether each frame says its own length.
  public let hasHeader: Bool
  /// Whether each frame ends with a checksum of 16 bits.
  public let hasChecksum: Bool

  /// - Throws: ``RadioError`` `badModulation` outside of spreading factors 7 to 12, bandwidths 7,810 to 1,625,000 Hz, coding
  ///   rates 4/5 to 4/8 and preambles 6 to 65,535.
  public init(
    spreadingFactor: Int, bandwidth: Int = 125_000, codingRate: Int = 5, preamble: Int = 8, hasHeader: Bool = true,
    hasChecksum: Bool = true
  ) throws(RadioError) {
    guard (7...12).contains(spreadingFactor) else {
      throw RadioError(.badModulation, "spreading factor \(spreadingFactor) is not one of 7 to 12")
    }
    guard (7_810...1_625_000).contains(bandwidth) else {
      throw RadioError(.badModulation, "bandwidth \(bandwidth) Hz is not within 7,810 and 1,625,000 Hz")
    }
    guard (5...8).contains(codingRate) else {
      throw RadioError(.badModulation, "coding rate 4/\(codingRate) is not one of 4/5 to 4/8")
    }
    guard (6...65_535).contains(preamble) else {
      throw RadioError(.badModulation, "a preamble of \(preamble) symbols is not within 6 and 65,535")
    }
    self.spreadingFactor = spreadingFactor
    self.bandwidth = bandwidth
    self.codingRate = codingRate
    self.preamble = preamble
    self.hasHeader = hasHeader
    self.hasChecksum = hasChecksum
  }

  /// Time of one symbol, rounded up to a nanosecond.
  public var symbolTime: Duration { quarterSymbols(4) }

  /// Whether symbols are so long (16 ms and more) that modems lower the data rate to stay in step.
  public var hasLowDataRate: Bool { (1_000 << spreadingFactor) >= 16 * bandwidth }

  /// Most bytes of a frame.
  public static let maximumBytes = 255

  /// Time on air of a frame of `bytes`, rounded up to a nanosecond; a negative number counts as none.
  public func timeOnAir(bytes: Int) -> Duration {
    let bits =
      8 * min(max(0, bytes), 1 << 24) - 4 * spreadingFactor + 28 + (hasChecksum ? 16 : 0) - (hasHeader ? 0 : 20)
    let bitsOfBlock = 4 * (spreadingFactor - (hasLowDataRate ? 2 : 0))
    let blocks = bits > 0 ? (bits + bitsOfBlock - 1) / bitsOfBlock : 0
    let payload = 8 + blocks * codingRate
    return quarterSymbols(4 * (preamble + payload) + 17)
  }

  /// The time of a number of quarters of a symbol.
  private func quarterSymbols(_ count: Int) -> Duration {
    let (quotient, rest) = (count << spreadingFactor).multipliedReportingOverflow(by: 250_000_000)
    // At most 2^24 bytes: far from an overflow.
    guard !rest else { return .seconds(Int64.max / 4) }
    return .nanoseconds((quotient + bandwidth - 1) / bandwidth)
  }

  public var description: String { "SF\(spreadingFactor)/\(bandwidth / 1_000) kHz, 4/\(codingRate)" }
}
