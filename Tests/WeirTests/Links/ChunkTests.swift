import Testing
import WeirTesting

@testable import Weir

/// A chunk as its users see it: a run of elements in order, with sole ownership.
@Suite struct ChunkTests {
  /// Promises more or fewer elements than it has, as a collection written by hand may.
  private struct Miscounted: Collection {
    let elements: [Int]
    let promised: Int
    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }
    var count: Int { promised }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> Int { elements[index] }
  }

  @Test func `elements added at once, one by one and taken are those of an array`() throws {
    try forEachSeed(count: 200) { simulation in
      var generator = simulation.generator()
      var chunk = Chunk<String>()
      var model: [String] = []
      var next = 0
      for _ in 0..<60 {
        switch generator.index(below: 3) {
        case 0:
          let added = (next..<next + generator.index(below: 40)).map { "element \($0)" }
          next += added.count
          chunk.append(contentsOf: added)
          model += added
        case 1:
          chunk.append("element \(next)")
          model.append("element \(next)")
          next += 1
        default:
          for _ in 0..<generator.index(below: 20) where !model.isEmpty {
            let taken = chunk.popFirst()
            try simulation.require(taken == model.removeFirst())
          }
        }
        let elements = chunk.array()
        try simulation.require(elements == model, "\(elements)")
        try simulation.require(chunk.count == model.count)
      }
    }
  }

  @Test(arguments: [0, 1, 5, 100]) func `a collection that miscounts itself harms nothing`(promised: Int) {
    var chunk = Chunk<Int>()
    chunk.append(-1)
    chunk.append(contentsOf: Miscounted(elements: Array(0..<5), promised: promised))
    let elements = chunk.array()
    #expect(elements.count <= chunk.capacity)
    #expect(elements == [-1] + Array(0..<elements.count - 1))
  }

  @Test func `elements added at once to a chunk with tracked ones have no fate to report`() {
    let ledger = SettlementLedger()
    var chunk = Chunk<Int>()
    chunk.append(1, token: ledger.issue())
    chunk.append(contentsOf: [2, 3])
    let first = chunk.popFirstTracked()
    first?.token?.settle(.stored)
    let second = chunk.popFirstTracked()
    let third = chunk.popFirstTracked()
    #expect(first?.token != nil && second?.token == nil && third?.token == nil)
    #expect([first?.element, second?.element, third?.element] == [1, 2, 3])
    #expect(ledger.unsettled().isEmpty)
  }
}
