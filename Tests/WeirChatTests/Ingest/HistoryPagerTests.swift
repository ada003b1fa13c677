import ChatFixtures
import Testing

@testable import WeirChat

/// A conversation's messages at a source that answers history queries.
private struct Source: Sendable {
  var seqs: [Int64]
  let decoder = OpenIMCallbackDecoder(account: ChatScript.account)

  init(_ seqs: some Sequence<Int64>) { self.seqs = Array(seqs) }

  func message(_ seq: Int64) -> Decoded {
    let line = CallbackLine.group("text", id: "m\(seq)", seq: seq)
    return (try? decoder.decode(line.bytes)) ?? .ignored(.emptyList)
  }

  func messages(_ seqs: some Sequence<Int64>) -> [Decoded] { seqs.map { message($0) } }

  /// The newest `count` seqs below that of the cursor.
  func page(_ request: HistoryRequest, count: Int? = nil) -> [Int64] {
    let cursor = request.startClientMsgID.flatMap { Int64($0.dropFirst()) } ?? .max
    return Array(seqs.filter { $0 < cursor }.suffix(count ?? request.count))
  }
}

@Suite("History pages")
struct HistoryPagerTests {
  private let conversation = "sg_3027148891"

  @Test("pages go from the newest to the oldest, each id once, and end when the source says so")
  func pages() async throws {
    let source = Source(1...25)
    let pages = try await all(
      pager(count: 10) { request in
        let page = source.page(request)
        return HistoryAnswer(messages: source.messages(page), isEnd: page.first == 1)
      })
    #expect(pages.map(\.clientMsgIDs.count) == [10, 10, 5])
    #expect(pages.flatMap(\.clientMsgIDs) == (1...25).reversed().map { "m\($0)" })
    #expect(pages.map(\.isLast) == [false, false, true])
    #expect(pages.flatMap(\.messages).map(\.envelope.seq) == (1...25).reversed())
  }

  @Test("openim-sdk-core 865: pages over what was pulled in between overlap, and still every id comes once")
  func overlap() async throws {
    let source = Source(1...25)
    let pages = try await all(
      pager(count: 10) { request in
        // Each page comes with five messages that were there before, and a duplicate a database made up.
        var page = source.page(request)
        page += (page.last ?? 0)...min(25, (page.last ?? 0) + 5)
        var duplicate = CallbackLine.group("text", id: "[CLIENT_DUP]m7", seq: 7)
        duplicate.status = 4
        let extra = try source.decoder.decode(duplicate.bytes)
        return HistoryAnswer(messages: source.messages(page) + [extra], isEnd: page.first == 1)
      })
    #expect(pages.flatMap(\.clientMsgIDs) == (1...25).reversed().map { "m\($0)" })
    // Copies of known messages are told to the store all the same: they may be read by now.
    #expect(pages.flatMap(\.facts).count > 25)
  }

  @Test("stream-chat-swift 2358: over a cache of 1–10 of 25, page size 10, the middle is fetched: 25 of 25")
  func partialCache() async throws {
    let source = Source(1...25)
    // After the newest page the cache answers alone, with what it has, and takes that for everything.
    let fetch: HistoryPager.Fetch = { request in
      guard request.startClientMsgID != nil else {
        return HistoryAnswer(messages: source.messages(16...25), isEnd: false)
      }
      return HistoryAnswer(messages: source.messages(1...10), isEnd: true)
    }
    let filled = try await all(
      HistoryPager(
        account: ChatScript.account, conversationID: conversation, count: 10,
        fill: { _, seqs in
          HistoryAnswer(messages: source.messages(seqs.flatMap { Array($0) }), isEnd: nil, isComplete: true)
        }, fetch: fetch))
    #expect(filled.flatMap(\.clientMsgIDs).count == 25 && Set(filled.flatMap(\.clientMsgIDs)).count == 25)
    #expect(filled.flatMap(\.holes).isEmpty)
    #expect(answered(filled) == [11...15])
    // Nobody who could fill the hole: it is reported.
    let holed = try await all(pager(count: 10, fetch: fetch))
    #expect(holed.flatMap(\.holes) == [11...15] && holed.flatMap(\.clientMsgIDs).count == 20)
    #expect(answered(holed).isEmpty)
  }

  @Test("a short page is not the end, and neither is one without news")
  func shortPages() async throws {
    let source = Source(1...12)
    let calls = Counter()
    let pages = try await all(
      pager(count: 10) { request in
        // Every other answer brings nothing older.
        if calls.next().isMultiple(of: 2) { return HistoryAnswer(messages: [], isEnd: false) }
        let page = source.page(request, count: 2)
        return HistoryAnswer(messages: source.messages(page), isEnd: page.first == 1)
      })
    #expect(pages.flatMap(\.clientMsgIDs).count == 12)
  }

  @Test("a source that tells no end is at its end when it answers nothing")
  func untoldEnd() async throws {
    let source = Source(1...7)
    let pages = try await all(
      pager(count: 3) { HistoryAnswer(messages: source.messages(source.page($0)), isEnd: nil) })
    #expect(pages.flatMap(\.clientMsgIDs).count == 7)
    #expect(pages.last?.isLast == true)
    #expect(try await all(pager(count: 3) { _ in HistoryAnswer(messages: [], isEnd: nil) }).count == 1)
  }

  @Test("a source that claims more but gives nothing older is an error after some tries, not an endless loop")
  func stalled() async throws {
    let source = Source(4...9)
    let calls = Counter()
    let error = await #expect(throws: HistoryError.self) {
      try await all(
        pager(count: 10) { _ in
          _ = calls.next()
          return HistoryAnswer(messages: source.messages(4...9), isEnd: false)
        })
    }
    #expect(error == .stalled(cursor: "m4") && error?.code == "history.stalled")
    #expect(calls.next() == 5)
  }

  @Test("an end that is claimed above the first seq is not believed")
  func earlyEnd() async throws {
    let source = Source(1...20)
    let claims: HistoryPager.Fetch = { request in
      HistoryAnswer(messages: source.messages(source.page(request)), isEnd: true)
    }
    let pages = try await all(pager(count: 8, firstSeq: 1, fetch: claims))
    #expect(pages.flatMap(\.clientMsgIDs).count == 20)
    let short = Source(5...20)
    let error = await #expect(throws: HistoryError.self) {
      try await all(
        pager(count: 8, firstSeq: 1) { request in
          HistoryAnswer(messages: short.messages(short.page(request)), isEnd: true)
        })
    }
    #expect(error == .endedEarly(oldestSeq: 5, firstSeq: 1))
    // Without knowledge of the first seq the source is believed.
    #expect(try await all(pager(count: 8, fetch: claims)).flatMap(\.clientMsgIDs).count == 8)
  }

  @Test("only a page that the source vouches for answers its seqs, and only down to its oldest message")
  func answeredSeqs() async throws {
    let source = Source([2, 3, 6, 7, 9, 10])
    func pages(isComplete: Bool) async throws -> [HistoryPage] {
      try await all(
        pager(count: 3) { request in
          let page = source.page(request)
          return HistoryAnswer(messages: source.messages(page), isEnd: page.first == 2, isComplete: isComplete)
        })
    }
    #expect(answered(try await pages(isComplete: true)) == [7...10, 2...6])
    let loose = try await pages(isComplete: false)
    #expect(answered(loose).isEmpty)
    #expect(loose.flatMap(\.holes) == [8...8, 4...5])
  }

  @Test("random sources with overlaps, short answers, any order and repeats give every id once")
  func random() async throws {
    for seed in 0..<UInt64(soak(60, 2_000)) {
      var random = SeededRandom(seed)
      let newest = Int64(1 + random.below(60))
      let source = Source((1...newest).filter { _ in !random.once(in: 7) } + [newest])
      let state = Counter(random)
      let pages = try await all(
        HistoryPager(
          account: ChatScript.account, conversationID: conversation, count: 1 + random.below(9), patience: 100
        ) { request in
          state.withRandom { random in
            let next = source.page(request)
            var page = Array(next.suffix(random.below(next.count + 1)))
            for _ in 0..<random.below(4) { page.append(random.pick(source.seqs)) }
            // A source may leave out some of the next messages, but not the newest, and gives none beyond them.
            if request.startClientMsgID == nil { page.append(newest) }
            page.removeAll { seq in seq < (next.first ?? 0) }
            let isEnd = next.isEmpty || page.contains(source.seqs[0])
            return HistoryAnswer(messages: source.messages(page.shuffled(using: &random)), isEnd: isEnd)
          }
        })
      let ids = pages.flatMap(\.clientMsgIDs)
      let known = Set(ids)
      #expect(known.count == ids.count, "seed \(seed)")
      // What was left out is known to be missing.
      let holes = pages.flatMap(\.holes)
      let lost = source.seqs.filter { seq in !known.contains("m\(seq)") && !holes.contains { $0.contains(seq) } }
      #expect(lost.isEmpty, "seed \(seed)")
    }
  }

  @Test("a history can be walked again, and a cancelled walk ends")
  func again() async throws {
    let source = Source(1...9)
    let pager = pager(count: 4) { request in
      let page = source.page(request)
      return HistoryAnswer(messages: source.messages(page), isEnd: page.first == 1)
    }
    #expect(try await all(pager).map(\.clientMsgIDs) == all(pager).map(\.clientMsgIDs))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await all(pager)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("the SDK's own result is read: list, end, error; a broken message is a refusal among the others")
  func json() throws {
    let decoder = OpenIMCallbackDecoder(account: ChatScript.account)
    let line = CallbackLine.group("x", id: "m1", seq: 1).text
    let json = #"{"messageList":[\#(line),{"contentType":"x"}],"lastMinSeq":1,"isEnd":true,"errCode":0,"errMsg":""}"#
    let answer = try HistoryAnswer(json: Array(json.utf8), decoder: decoder)
    #expect(answer.isEnd == true && answer.messages.count == 2 && !answer.isComplete)
    guard case .refused = answer.messages[1] else {
      Issue.record("\(answer.messages)")
      return
    }
    #expect(throws: HistoryError.refused(code: 1_001, message: "no")) {
      try HistoryAnswer(json: Array(#"{"errCode":1001,"errMsg":"no"}"#.utf8), decoder: decoder)
    }
    #expect(throws: DecodeError.self) { try HistoryAnswer(json: Array("[]".utf8), decoder: decoder) }
    #expect(try HistoryAnswer(json: Array(#"{"messageList":null}"#.utf8), decoder: decoder).isEnd == nil)
  }

  @Test("the missing parts of a range")
  func missing() {
    #expect(HistoryWalk.missing(in: 1...9, [3, 3, 5, 9, 40]) == [1...2, 4...4, 6...8])
    #expect(HistoryWalk.missing(in: 1...3, []) == [1...3])
    #expect(HistoryWalk.missing(in: .max - 1 ... .max, [.max]) == [(.max - 1)...(.max - 1)])
    #expect(HistoryWalk.missing(in: 1...3, [1, 2, 3]).isEmpty)
  }

  private func pager(
    count: Int, firstSeq: Int64? = nil, fetch: @escaping HistoryPager.Fetch
  ) -> HistoryPager {
    HistoryPager(
      account: ChatScript.account, conversationID: conversation, count: count, firstSeq: firstSeq, fetch: fetch)
  }

  private func all(_ pager: HistoryPager) async throws -> [HistoryPage] {
    var pages: [HistoryPage] = []
    for try await page in pager { pages.append(page) }
    return pages
  }

  private func answered(_ pages: [HistoryPage]) -> [ClosedRange<Int64>] {
    pages.flatMap(\.facts).flatMap { fact -> [ClosedRange<Int64>] in
      if case .seqs(let seqs) = fact { seqs.answered } else { [] }
    }
  }
}
