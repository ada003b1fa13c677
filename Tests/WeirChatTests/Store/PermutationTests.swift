import Testing
import WeirStore

@testable import WeirChat

/// Receiving spec §2.7, "Orders that must agree": every order of every set, each fact possibly repeated, gives one content
/// hash, and the content is the model's.
///
/// The orders are walked as a tree on one database in memory, a savepoint for each step, so that orders with a common
/// beginning share its work; the statements and tables are those of a store on disk.
@Suite("Every order gives the same content")
struct PermutationTests {
  @Test("{push, pull, history page, ack, echo}, each doubled: 113,400 orders", arguments: 0..<5)
  func sending(first: Int) throws {
    let copies = [
      Make.pending("m"), Make.ack("m", at: Make.time + 7_000),
      Make.message("m", seq: 7, from: Make.account, in: Make.single, server: "s"),
      Make.message("m", seq: 7, from: Make.account, in: Make.single, text: "from history", server: "s"),
      Make.message("m", seq: 9, from: Make.account, in: Make.single, at: Make.time + 9_500, server: "twin"),
    ]
    // A fifth of the orders for each fact that comes first, so that they share the machine's cores.
    #expect(try orders(copies, repeats: 2, first: first) == 113_400 / 5)
  }

  @Test(
    "the other sets, each fact doubled",
    arguments: [
      (
        "original, edit1, edit2",
        [original, Make.edit(id, version: 1, text: "1"), Make.edit(.seq(11), version: 2, text: "2")]
      ),
      ("original, recall", [original, Make.recall("m"), Make.recall(seq: 11)]),
      ("original, edit, recall", [original, Make.edit(id, version: 1, text: "1"), Make.recall("m")]),
      (
        "original, peer read",
        [
          Make.message("m", seq: 11, from: Make.account, in: Make.single),
          Make.read(11, by: Make.peer, at: Make.time + 1, in: Make.single),
          Make.read([.seq(11)], by: Make.peer, at: Make.time + 2, in: Make.single),
        ]
      ),
      ("original, delete self, duplicate original", [original, Make.delete(.seq(11)), Make.message("m", seq: 12)]),
      ("twin 11, twin 12, recall 11", [original, Make.message("m", seq: 12), Make.recall(seq: 11)]),
      ("message 21, read 20, read 21", [Make.message("m", seq: 21), Make.read(20, at: 9), Make.read(21, at: 5)]),
      (
        "send fail, late ack",
        [
          Make.pending("m"), Make.attempt("m", .sending), Make.attempt("m", .failed),
          Make.ack("m", seq: 5, at: Make.time + 1),
        ]
      ),
      ("clear below 20, late push 15", [Make.message("a", seq: 15), Make.message("b", seq: 21), Make.clear(20)]),
      (
        "clear by time that hides, clear by seq, message",
        [
          Make.message("a", seq: 15), Make.clear(0, time: Make.time + 15_000, hides: true), Make.clear(14),
          Make.seqs(closed: [3...4], answered: [1...2], max: 30),
        ]
      ),
      (
        "private message, its reading, its duration",
        [
          Make.message("m", seq: 3, marks: .isPrivate, attached: #"{"burnDuration":30,"isPrivateChat":true}"#),
          Make.read(3, at: Make.time), Make.set(.burnDuration(10)),
        ]
      ),
      (
        "pin, unpin, draft, quiet",
        [
          original, Make.set(.isPinned(true), revision: 1),
          Make.set(.isPinned(false), .receiveOption(.quiet), revision: 2),
          Make.set(.draft("unsent", time: Make.time), revision: 1),
        ]
      ),
    ] as [(String, [Fact])])
  func sets(name: String, facts: [Fact]) throws {
    let count = try orders(facts, repeats: 2)
    // (2n)! / 2^n
    let expected = (1...(facts.count * 2)).reduce(1, *) / (0..<facts.count).reduce(1) { product, _ in product * 2 }
    #expect(count == expected)
  }

  private static let id = MessageReference.clientMsgID("m")
  private static let original = Make.message("m", seq: 11)

  /// Walks every order of the facts, each `repeats` times in it; returns the number of orders.
  private func orders(_ facts: [Fact], repeats: Int, first: Int? = nil) throws -> Int {
    let projection = try MemoryProjection()
    try projection.warm(facts)
    var left = [Int](repeating: repeats, count: facts.count)
    var hashes: Set<Hash128> = []
    var count = 0
    try projection.branch {
      try projection.apply(facts)
      hashes.insert(try projection.contentHash())
      try projection.expectAgreement(ModelStore(account: Make.account, facts: facts))
    }
    func walk(_ rest: Int) throws {
      if rest == 0 {
        hashes.insert(try projection.contentHash())
        count += 1
        return
      }
      let isFirst = rest == facts.count * repeats
      for index in facts.indices where left[index] > 0 && (!isFirst || first ?? index == index) {
        left[index] -= 1
        try projection.branch {
          try projection.apply([facts[index]])
          try walk(rest - 1)
        }
        left[index] += 1
      }
    }
    try walk(facts.count * repeats)
    #expect(hashes.count == 1)
    return count
  }
}
