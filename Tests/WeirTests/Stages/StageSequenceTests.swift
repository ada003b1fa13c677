import Testing
import Weir

@Suite struct StageSequenceTests {
  @Test func `a sequence that cannot fail, through a stage that cannot, needs no try to iterate`() async throws {
    var all: [Int] = []
    for await element in try [1, 2, 3].async.via(Map { $0 * 2 }).via(Filter { $0 > 2 }) { all.append(element) }
    #expect(all == [4, 6])
  }

  @Test func `the base is not asked again once the stage is satisfied`() async throws {
    let base = Counted(elements: Array(0..<100))
    var iterator = try base.via(Take(3)).makeAsyncIterator()
    var all: [Int] = []
    while let element = try await iterator.next() { all.append(element) }
    #expect(all == [0, 1, 2])
    #expect(base.asked.count == 3)
    let none = Counted(elements: [1])
    var empty = try none.via(Take(0)).makeAsyncIterator()
    let first = try await empty.next()
    #expect(first == nil)
    #expect(none.asked.count == 0)
  }

  @Test func `what a stage holds comes at the end, and then nil for ever`() async throws {
    let base = Counted(elements: Array(0..<5))
    var iterator = try base.via(Batch(count: 2)).makeAsyncIterator()
    var all: [[Int]] = []
    while let batch = try await iterator.next() { all.append(batch) }
    #expect(all == [[0, 1], [2, 3], [4]])
    for _ in 0..<3 {
      let after = try await iterator.next()
      #expect(after == nil)
    }
    #expect(base.asked.count == 6)
  }

  @Test func `many outputs of one element keep their order`() async throws {
    var all: [Int] = []
    for await element in try [3, 0, 5, 1].async.via(Expand { 0..<$0 }) { all.append(element) }
    #expect(all == [3, 0, 5, 1].flatMap { 0..<$0 })
  }

  @Test func `a failure of the base arrives typed, once, after what came before it`() async throws {
    let base = Counted(elements: Array(0..<10), failsAfter: 3)
    var iterator = try base.via(Map { $0 }).makeAsyncIterator()
    var all: [Int] = []
    var failures: [Odd] = []
    for _ in 0..<6 {
      do throws(Odd) {
        if let element = try await iterator.next() { all.append(element) }
      } catch {
        failures.append(error)
      }
    }
    #expect(all == [0, 1, 2])
    #expect(failures == [Odd(value: 3)])
    #expect(base.asked.count == 4)
  }

  @Test func `a failure of the stage arrives typed, after what the stage emitted before it`() async throws {
    struct TwiceThenOdd: Stage {
      mutating func process(_ element: Int, _ emit: (Int) -> Void) throws(Odd) {
        emit(element)
        emit(element)
        if element % 2 == 1 { throw Odd(value: element) }
      }
    }
    var iterator = try [2, 3, 4].async.via(TwiceThenOdd()).makeAsyncIterator()
    var all: [Int] = []
    var failures: [Odd] = []
    for _ in 0..<8 {
      do throws(Odd) {
        if let element = try await iterator.next() { all.append(element) }
      } catch {
        failures.append(error)
      }
    }
    #expect(all == [2, 2, 3, 3])
    #expect(failures == [Odd(value: 3)])
  }

  @Test func `two failing steps meet in any Error`() async throws {
    let base = Counted(elements: [2, 4], failsAfter: 2)
    await #expect(throws: Odd(value: 2)) {
      for try await _ in try base.via(RefusingOdd()) {}
    }
  }

  @Test func `each iteration starts with a fresh copy of the stage`() async throws {
    let sequence = try Counted(elements: Array(0..<6)).via(Take(2))
    for _ in 0..<2 {
      var all: [Int] = []
      for try await element in sequence { all.append(element) }
      #expect(all == [0, 1])
    }
  }

  @Test func `faulty parameters are refused at once`() throws {
    #expect(throws: StageFaults.self) { _ = try [1].async.via(Take(-1)) }
    do {
      _ = try [1].async.via(Batch(count: 0))
      Issue.record("accepted")
    } catch {
      #expect(error.faults.count == 1)
      #expect(error.code == "stage-faults")
    }
  }

  @Test func `dropping the iterator releases the base`() async throws {
    final class Witness: Sendable {}
    struct Held: AsyncSequence, Sendable {
      let witness: Witness
      func makeAsyncIterator() -> Iterator { Iterator(witness: witness) }
      struct Iterator: AsyncIteratorProtocol {
        let witness: Witness
        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws(Never) -> Int? { 1 }
      }
    }
    weak var seen: Witness?
    do {
      let witness = Witness()
      seen = witness
      for await _ in try Held(witness: witness).via(Map { $0 }) { break }
    }
    #expect(seen == nil)
  }
}
