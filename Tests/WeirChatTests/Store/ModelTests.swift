import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

@Suite("Random operations")
struct ModelTests {
  @Test(
    "the store holds what a model without order says, in any order and grouping: 1,000 seeds",
    arguments: 0..<UInt64(4))
  func random(part: UInt64) throws {
    let projection = try MemoryProjection()
    for seed in (part * 250)..<((part + 1) * 250) {
      var world = RandomFacts(seed: seed)
      let facts = (0..<(10 + Int(seed % 30))).map { _ in world.next() }
      var random = SeededRandom(seed ^ 0xFACE)
      let model = ModelStore(account: Make.account, facts: facts)
      var hashes: Set<Hash128> = []
      for round in 0..<2 {
        var delivery = facts
        if round > 0 {
          delivery += (0..<10).map { _ in random.pick(facts) }
          delivery.shuffle(using: &random)
        }
        try projection.branch {
          while !delivery.isEmpty {
            let count = min(delivery.count, 1 + random.below(6))
            try projection.apply(Array(delivery[..<count]))
            delivery.removeFirst(count)
          }
          try projection.expectAgreement(model, "seed \(seed), round \(round)")
          hashes.insert(try projection.contentHash())
          // Whatever is told again tells nothing.
          let again = try projection.apply(facts)
          #expect(again.merged == facts.count && again.changes.isEmpty, "seed \(seed), round \(round)")
        }
      }
      #expect(hashes.count == 1, "seed \(seed)")
    }
  }
}
