import Testing

@testable import WeirTesting

@Suite struct SeededGeneratorTests {
  // Outputs published by the authors of the algorithms and repeated in other libraries' test suites.
  @Test func splitMixMatchesPublishedOutputs() {
    var mixer = SplitMix64(state: 1_234_567)
    let outputs = (0..<5).map { _ in mixer.next() }
    #expect(
      outputs == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test func xoshiroMatchesPublishedOutputs() {
    var generator = SeededGenerator(state: (1, 2, 3, 4))
    let outputs = (0..<4).map { _ in generator.next() }
    #expect(outputs == [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240])
  }

  @Test func equalSeedsAgreeAndNeighboursDiffer() {
    func outputs(_ generator: SeededGenerator) -> [UInt64] {
      var generator = generator
      return (0..<8).map { _ in generator.next() }
    }
    #expect(outputs(SeededGenerator(seed: 5)) == outputs(SeededGenerator(seed: 5)))
    #expect(outputs(SeededGenerator(seed: 5)) != outputs(SeededGenerator(seed: 6)))
    #expect(outputs(SeededGenerator(seed: 5, stream: "a")) == outputs(SeededGenerator(seed: 5, stream: "a")))
    #expect(outputs(SeededGenerator(seed: 5, stream: "a")) != outputs(SeededGenerator(seed: 5, stream: "b")))
  }

  @Test func drawsAreInRangeAndEven() {
    var generator = SeededGenerator(seed: 9)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<70_000 { counts[generator.index(below: 7)] += 1 }
    // The standard deviation of each count is about 93.
    #expect(counts.allSatisfy { abs($0 - 10_000) < 500 })
    #expect(generator.index(below: 1) == 0)
    #expect(generator.index(below: 0) == 0)
    #expect(generator.index(below: -3) == 0)
  }

  @Test func numbersCoverEveryKindOfRange() {
    var generator = SeededGenerator(seed: 2)
    let small = Set((0..<200).map { _ in generator.number(in: -2...2) })
    #expect(small == [-2, -1, 0, 1, 2])
    #expect(generator.number(in: 4...4) == 4)
    let wide = (0..<64).map { _ in generator.number(in: Int.min...Int.max) }
    #expect(Set(wide).count == 64)
    let half = (0..<64).map { _ in generator.number(in: -1...(Int.max - 1)) }
    #expect(half.allSatisfy { $0 >= -1 })
  }

  @Test func shufflesReachEveryOrder() {
    var generator = SeededGenerator(seed: 3)
    let orders = Set((0..<500).map { _ in generator.shuffled([1, 2, 3, 4]) })
    #expect(orders.count == 24)
    #expect(orders.allSatisfy { $0.sorted() == [1, 2, 3, 4] })
  }

  @Test func elementsOfNothingAreNil() {
    var generator = SeededGenerator(seed: 3)
    #expect(generator.element(of: [Int]()) == nil)
    #expect(Set((0..<100).compactMap { _ in generator.element(of: ["a", "b", "c"]) }) == ["a", "b", "c"])
  }
}
