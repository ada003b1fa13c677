import Testing
import WeirRadio

@Suite struct AirtimeTests {
  /// The golden values of the radio study, section 4.
  @Test(arguments: [
    (7, 125_000, 5, 51, 102.66), (12, 125_000, 5, 51, 2465.8), (7, 125_000, 7, 127, 285.95),
  ])
  func `LoRa frames take what the data sheet's formula says`(
    spreadingFactor: Int, bandwidth: Int, codingRate: Int, bytes: Int, milliseconds: Double
  ) throws {
    let modulation = try LoRaModulation(
      spreadingFactor: spreadingFactor, bandwidth: bandwidth, codingRate: codingRate)
    let time = modulation.timeOnAir(bytes: bytes) / .milliseconds(1)
    #expect(abs(time - milliseconds) < 0.0005 * milliseconds)
  }

  @Test func `time on air never falls with the length, and each byte of a bit-rate modem costs eight bits`() throws {
    for spreadingFactor in 7...12 {
      let modulation = Modulation.lora(try LoRaModulation(spreadingFactor: spreadingFactor))
      for bytes in 1...255 {
        #expect(modulation.timeOnAir(bytes: bytes) >= modulation.timeOnAir(bytes: bytes - 1))
      }
    }
    let rate = try BitRateModulation(rate: 82_500, overhead: .milliseconds(8), maximumBytes: 600)
    #expect(rate.timeOnAir(bytes: 600) > .milliseconds(66) && rate.timeOnAir(bytes: 600) < .milliseconds(67))
  }

  /// Largest frames under one second and under 400 ms, radio study, section 2.
  @Test(arguments: [(7, 255, 255), (8, 255, 138), (9, 197, 66), (10, 99, 24), (11, 36, -1), (12, 10, -1)])
  func `the longest frame within a dwell time is known`(spreadingFactor: Int, second: Int, fourTenths: Int) throws {
    let modulation = Modulation.lora(try LoRaModulation(spreadingFactor: spreadingFactor))
    #expect(modulation.mostBytes(within: .seconds(1)) == second)
    let most = modulation.mostBytes(within: .milliseconds(400)) ?? -1
    // None that holds a header of 15 bytes.
    if fourTenths < 0 { #expect(most < 15) } else { #expect(most == fourTenths) }
  }

  @Test func `impossible parameters are refused`() {
    let makes: [() throws -> Void] = [
      { _ = try LoRaModulation(spreadingFactor: 13) },
      { _ = try LoRaModulation(spreadingFactor: 7, bandwidth: 0) },
      { _ = try LoRaModulation(spreadingFactor: 7, codingRate: 4) },
      { _ = try LoRaModulation(spreadingFactor: 7, preamble: -1) },
      { _ = try BitRateModulation(rate: 0, maximumBytes: 600) },
      { _ = try BitRateModulation(rate: 100, maximumBytes: 0) },
    ]
    for make in makes {
      let error = #expect(throws: RadioError.self) { try make() }
      #expect(error?.kind == .badModulation)
    }
  }

  @Test func `a frequency between the sub-bands is refused, and where two meet the stricter one holds`() throws {
    let error = #expect(throws: RadioError.self) { try RadioRegion.eu868.subBand(at: 868_650_000) }
    #expect(error?.kind == .badFrequency)
    #expect(try RadioRegion.eu868.subBand(at: 868_100_000).airtime == .seconds(36))
    #expect(try RadioRegion.eu868.subBand(at: 869_525_000).airtime == .seconds(360))
    #expect(try RadioRegion.eu868.subBand(at: 865_000_000).name == "K")
  }
}
