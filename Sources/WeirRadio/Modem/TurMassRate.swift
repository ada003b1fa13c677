/// The rates of TurMass firmware by the number that `AT+RATE=` takes.
public enum TurMassRate {
  /// Bits a second: 18 as its drivers say, the others the lower bounds that follow from the slots of another of the vendor's
  /// programs (radio study, section 0).
  public static let bitRates: [Int: Int] = [
    5: 520, 6: 1_040, 7: 1_730, 8: 2_600, 9: 5_200, 10: 10_400, 11: 21_500, 18: 82_500,
  ]

  /// How bytes become time at a rate; nil for a number whose rate is not known.
  public static func modulation(_ number: Int) -> Modulation? {
    guard let rate = bitRates[number] else { return nil }
    return (try? BitRateModulation(rate: rate, overhead: .milliseconds(8), maximumBytes: 600)).map { .bitRate($0) }
  }
}
