import Synchronization
import WeirTesting

@testable import Weir

/// One link, some writers, some readers, and who of them is cancelled when. Every element has a settlement token.
final class LinkRound: Sendable {
  enum Victim: Equatable { case nobody, writer, reader }

  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let writers: Int
  private let readers: Int
  private let count: Int
  private let victim: Victim
  private let delay: Int
  private let atOnce: Int
  private let link: Link<Int>
  private let ledger = SettlementLedger()
  private let sent = TestMutex<[Int]>([])
  private let received: TestMutex<[[Int]]>

  /// - Parameter most: most writers and readers.
  init(_ random: inout SeededGenerator, most: Int) {
    let limits: [LinkLimit] = [.elements(1), .elements(2), .elements(7), .bytes(16), .unbounded]
    writers = random.number(in: 1...most)
    readers = random.number(in: 1...most)
    count = random.number(in: 0...9)
    victim = random.element(of: [.nobody, .writer, .reader]) ?? .nobody
    delay = random.index(below: 14)
    atOnce = random.number(in: 1...5)
    link = Link(
      limit: random.element(of: limits) ?? .standard, chunkSize: 4, writers: writers, readers: readers)
    received = TestMutex(Array(repeating: [], count: readers))
  }

  func play() async throws {
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<writers {
        group.addTask { await self.cancelling(index == 0 && self.victim == .writer) { await self.write(index) } }
      }
      for index in 0..<readers {
        group.addTask { await self.cancelling(index == 0 && self.victim == .reader) { await self.read(index) } }
      }
    }
    if let fault { throw Broken(description: "\(fault): \(story)") }
  }

  private func cancelling(_ isVictim: Bool, _ body: @escaping @Sendable () async -> Void) async {
    guard isVictim else { return await body() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await body() }
      for _ in 0..<delay { await Task.yield() }
      group.cancelAll()
    }
  }

  private func write(_ writer: Int) async {
    for index in 0..<count {
      let element = writer * 100 + index
      let token = ledger.issue()
      guard await send(element, token) else {
        token.settle(.abandoned)
        break
      }
    }
    link.finish()
  }

  private func send(_ element: Int, _ token: Settlement) async -> Bool {
    while true {
      switch link.offer(element, token: token) {
      case .accepted:
        sent.withLock { $0.append(element) }
        return true
      case .closed: return false
      case .full:
        guard await link.waitForRoomOrCancellation(weight: link.weigh?(element) ?? 0) else { return false }
      }
    }
  }

  private func read(_ reader: Int) async {
    var chunk = Chunk<Int>()
    do throws(PortInterruption) {
      while try await link.receive(into: &chunk, limit: atOnce) {
        while let (element, token) = chunk.popFirstTracked() {
          received.withLock { $0[reader].append(element) }
          token?.settle(.stored)
        }
      }
    } catch {
      // Cancelled: what was received before counts.
    }
    link.closeReader()
  }

  // MARK: What must hold

  private var fault: String? {
    let sent = self.sent.withLock { $0 }
    let received = self.received.withLock { $0 }
    let all = received.flatMap { $0 }
    if Set(all).count != all.count { return "an element was received twice" }
    if !Set(all).isSubset(of: sent) { return "an element was received that was not sent" }
    if victim != .reader && all.count != sent.count { return "an element was lost" }
    if victim == .nobody && sent.count != writers * count { return "a writer stopped early" }
    for one in received where !inOrder(one) { return "a reader saw elements of one writer out of order" }
    if victim == .reader && readers == 1 && !isPrefix(all, of: sent) { return "an element in the middle was lost" }
    let counts = ledger.counts
    if !ledger.unsettled().isEmpty || counts[.lost] != nil { return "tokens were not settled: \(counts)" }
    if counts.values.reduce(0, +) != ledger.issued { return "tokens were settled more than once: \(counts)" }
    if counts[.stored, default: 0] != UInt64(all.count) { return "outcomes do not tell what happened: \(counts)" }
    let counters = link.counters
    if counters.accepted != counters.delivered + counters.abandoned || link.depth != 0 {
      return "counters: \(counters)"
    }
    return nil
  }

  private func inOrder(_ elements: [Int]) -> Bool {
    (0..<writers).allSatisfy { writer in
      let own = elements.filter { $0 / 100 == writer }
      return own == own.sorted()
    }
  }

  private func isPrefix(_ received: [Int], of sent: [Int]) -> Bool {
    (0..<writers).allSatisfy { writer in
      sent.filter { $0 / 100 == writer }.starts(with: received.filter { $0 / 100 == writer })
    }
  }

  private var story: String {
    """
    \(writers) writers, \(readers) readers, \(count) elements each, limit \(link.limit), victim \(victim) after \
    \(delay); sent \(sent.withLock { $0 }), received \(received.withLock { $0 })
    """
  }
}
