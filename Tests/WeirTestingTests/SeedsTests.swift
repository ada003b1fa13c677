import Testing

@testable import WeirTesting

@Suite struct SeedsTests {
  private func resolve(_ seeds: Seeds, _ environment: [String: String]) throws(SimulationError) -> ClosedRange<UInt64> {
    try seeds.resolved { environment[$0] }
  }

  @Test func sweepsFollowTheEnvironment() throws {
    #expect(try resolve(.sweep(100), [:]) == 1...100)
    #expect(try resolve(.sweep(100), ["WEIR_SEEDS": "1000"]) == 1...1000)
    #expect(try resolve(.sweep(100), ["WEIR_SEED": "12345", "WEIR_SEEDS": "1000"]) == 12345...12345)
    #expect(try resolve(.sweep(100), ["WEIR_SEED": "\(UInt64.max)"]) == UInt64.max...UInt64.max)
    #expect(try resolve(.sweep(100), ["WEIR_SEED": "", "WEIR_SEEDS": ""]) == 1...100)
  }

  @Test func fixedSeedsIgnoreTheEnvironment() throws {
    #expect(try resolve(.range(5...9), ["WEIR_SEED": "1"]) == 5...9)
    #expect(try resolve(.only(5), ["WEIR_SEEDS": "1"]) == 5...5)
  }

  @Test(arguments: [["WEIR_SEED": "abc"], ["WEIR_SEED": "-1"], ["WEIR_SEEDS": "0"], ["WEIR_SEEDS": "1e3"]])
  func nonsenseIsRefused(environment: [String: String]) {
    let error = #expect(throws: SimulationError.self) { try resolve(.sweep(10), environment) }
    #expect(error?.code == "simulation-invalid-seeds")
  }

  @Test func aSweepOfNothingIsRefused() {
    #expect(throws: SimulationError.self) { try resolve(.sweep(0), [:]) }
    #expect(throws: SimulationError.self) { try resolve(.sweep(-4), [:]) }
  }

  @Test func filtersAreSafeForTheShell() {
    let replay = ReplayInstruction(seed: 3, fileID: "Some/File.swift", function: "`it's *odd*; rm -r`()")
    #expect(replay.filter == "Some.*it.s .odd.. rm .r")
  }
}
