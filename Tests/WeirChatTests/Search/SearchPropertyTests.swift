import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

@Suite("A search gives one answer at every watermark")
struct SearchPropertyTests {
  private static let alphabet: [String] = [
    "a", "b", "ab", "Ab", "é", "e\u{301}", "ß", "ss", "ñ", "中", "文", "中文", "国", "字", "が", "か\u{3099}", "ｶﾞ", "カ", "한",
    "국", "й",
    "и\u{306}", "1", "１", "23", "👍🏽", "👍", "🎉", "-", ".", "，", "\n", "\"", "ﬁ", "fi", "\u{200D}", "ก", "ข", "İ", "Σ",
    "ς",
  ]

  private static func text(_ random: inout SeededRandom, _ most: Int) -> String {
    (0...random.below(most)).map { _ in random.once(in: 3) ? " " : random.pick(alphabet) }.joined()
  }

  /// A piece of a text, or something else.
  private static func query(_ random: inout SeededRandom, _ texts: [String]) -> String {
    if random.once(in: 4) { return text(&random, 4) }
    let scalars = Array(random.pick(texts).unicodeScalars)
    let start = random.below(scalars.count)
    var query = String.UnicodeScalarView()
    query.append(contentsOf: scalars[start..<min(start + 1 + random.below(5), scalars.count)])
    return random.once(in: 5) ? "\"\(String(query))\"" : String(query)
  }

  @Test("random texts and queries of mixed scripts, with edits, deletions, filters and pages")
  func randomTexts() async throws {
    for seed in 0..<UInt64(soak(6, 300)) {
      var random = SeededRandom(seed)
      let texts = (0..<60).map { _ in Self.text(&random, 12) }
      let rig = try await SearchRig()
      let plain = try await SearchRig(search: .off)
      let senders = [Make.peer, Make.account, "other"]
      let places = [Make.group, "sg_second"]
      var facts: [Fact] = texts.enumerated().map { index, text in
        Make.message(
          "m\(index)", seq: Int64(index) + 1, from: random.pick(senders), in: random.pick(places), text: text,
          at: Make.time + Int64(random.below(30)))
      }
      for _ in 0..<20 {
        let id = "m\(random.below(texts.count))"
        facts.insert(
          random.once(in: 3)
            ? Make.delete(.clientMsgID(id), in: random.pick(places))
            : Make.edit(
              id, Self.text(&random, 12), version: Int64(random.below(3)) + 1, in: random.pick(places)),
          at: random.below(facts.count))
      }
      var rest = facts[...]
      while !rest.isEmpty {
        let next = Array(rest.prefix(1 + random.below(25)))
        rest = rest.dropFirst(next.count)
        _ = try await rig.store.apply(next)
        _ = try await plain.store.apply(next)
        for _ in 0..<random.below(4) { try await rig.index(1 + random.below(20)) }
        for _ in 0..<6 {
          let query = SearchQuery(
            Self.query(&random, texts), in: random.once(in: 4) ? random.pick(places) : nil,
            from: random.once(in: 4) ? random.pick(senders) : nil,
            times: random.once(in: 4) ? Make.time + 5...Make.time + 20 : nil, limit: 1 + random.below(8))
          try await expectSame(rig.store, plain.store, query, "seed \(seed)")
        }
      }
      try await rig.store.finishSearchIndex()
      for _ in 0..<40 {
        try await expectSame(
          rig.store, plain.store, SearchQuery(Self.query(&random, texts), limit: 3), "seed \(seed), indexed")
      }
      try await rig.finish()
      try await plain.finish()
    }
  }

  @Test(
    "facts of all kinds in between: the answer is that of a store without an index, and the index agrees with the rows")
  func randomFacts() async throws {
    for seed in 0..<UInt64(soak(2, 60)) {
      var random = SeededRandom(seed)
      let rig = try await SearchRig(historyLimit: seed % 2 == 0 ? 100_000 : 20)
      let plain = try await SearchRig(search: .off)
      var rest = try FactScript.facts(seed: seed, count: soak(500, 1_500), conversations: 5)[...]
      while !rest.isEmpty {
        let next = Array(rest.prefix(1 + random.below(120)))
        rest = rest.dropFirst(next.count)
        _ = try await rig.store.apply(next)
        _ = try await plain.store.apply(next)
        if random.once(in: 5) {
          let clear = Make.clear(Int64(random.below(60)), in: "sg_30271488\(10 + random.below(5))")
          _ = try await rig.store.apply([clear])
          _ = try await plain.store.apply([clear])
        }
        for _ in 0..<random.below(5) { try await rig.index(1 + random.below(80)) }
        for text in ["call", "出发", "收到", "edited", "пожалуйста", "li", "👍"] {
          try await expectSame(rig.store, plain.store, SearchQuery(text, limit: 400), "seed \(seed)")
        }
        #expect(try await rig.store.audit().value == [], "seed \(seed)")
      }
      #expect(try await rig.store.contentHash().value == plain.store.contentHash().value)
      try await rig.store.finishSearchIndex()
      try await rig.finish()
      try await plain.finish()
    }
  }

  /// All pages of the query; what is not looked at one by one must be left to the index.
  private func expectSame(
    _ store: SQLiteMessageStore, _ plain: SQLiteMessageStore, _ query: SearchQuery, _ comment: Comment
  ) async throws {
    var query = query
    for _ in 0..<3 {
      let (left, right) = (try await store.search(query).value, try await plain.search(query).value)
      #expect(left.hits == right.hits, "\(comment): \(query)")
      #expect(left.unsearched == 0)
      #expect((left.next == nil) == (right.next == nil))
      // Rows may have different numbers only where they came in another order, which they have not.
      query.after = left.next
      if left.next == nil { break }
    }
  }

  @Test("beyond its limit the tail is left out and counted, the latest first; the index fills it in")
  func deepTail() async throws {
    let rig = try await SearchRig()
    _ = try await rig.store.apply((1...100).map { Make.message("m\($0)", seq: $0, text: "tail") })
    func page() async throws -> SearchPage {
      try await rig.store.search(SearchQuery("tail", limit: 1_000, tailLimit: 10)).value
    }
    var found = 10
    #expect(try await page().hits.count == 10)
    #expect(try await page().unsearched == 90)
    #expect(try await page().hits.first?.clientMsgID == "m100")
    while try await rig.index(30) {
      found += 30
      #expect(try await page().hits.count == min(found, 100))
      #expect(try await page().unsearched == Int64(max(100 - found, 0)))
    }
    _ = try await rig.store.apply((1...50).map { Make.edit("m\($0)", "tail again") })
    #expect(try await page().unsearched == 40)
    #expect(try await rig.store.searchProgress().value?.behind == 50)
    try await rig.store.finishSearchIndex()
    #expect(try await page().hits.count == 100)
    try await rig.finish()
  }
}
