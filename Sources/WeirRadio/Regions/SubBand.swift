/// A range of frequencies with rules of its own.
public struct SubBand: Sendable, Hashable {
  /// Short name, unique within its region.
  public let name: String
  /// First and last frequency in hertz; a transmission lies between them with its whole width.
  public let frequencies: ClosedRange<Int>
  /// Time that may be sent within any ``window``; nil where nothing limits it.
  public let airtime: Duration?
  /// Length of the sliding window.
  public let window: Duration
  /// Longest single transmission; nil where nothing limits it.
  public let longestTransmission: Duration?
  /// Most power in milliwatts, and what it is measured as.
  public let power: Power

  /// How power is measured.
  public enum Power: Sendable, Hashable {
    /// Effective radiated power, against a dipole.
    case radiated(milliwatts: Int)
    /// At the antenna's connector.
    case conducted(milliwatts: Int)
  }

  /// A sub-band.
  public init(
    name: String, frequencies: ClosedRange<Int>, airtime: Duration? = nil, window: Duration = .seconds(3_600),
    longestTransmission: Duration? = nil, power: Power
  ) {
    self.name = name
    self.frequencies = frequencies
    self.airtime = airtime
    self.window = window
    self.longestTransmission = longestTransmission
    self.power = power
  }
}
