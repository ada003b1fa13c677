import ChatFixtures
import Synchronization
import Testing
import Weir
import WeirStore

@testable import WeirChat

/// Public failure reports (receiving spec §4) that fall to the store, through the public graph.
@Suite("Failure reports of receivers")
struct ReceivingReports {
  @Test("openim-sdk-core 865: history pages over pulled messages show each message once, and no invented id")
  func overlappingPages() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver((1...20).map { Make.message("m\($0)", seq: $0) })
    let page = (15...25).map { Make.message("m\($0)", seq: $0) }
    try await inbox.deliver(page, page)
    #expect(try await inbox.ids() == (1...25).map { "m\($0)" })
    try await inbox.finish()
  }

  @Test("signalapp/Signal-iOS 1759: a resend of a message is one row")
  func resend() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver(
      [Make.message("m", seq: 4, server: "first")], [Make.message("m", seq: 6, server: "second")])
    #expect(try await inbox.ids() == ["m"])
    #expect(try await inbox.unread() == 1)
    try await inbox.finish()
  }

  @Test("iNPUTmice/Conversations 2746: a note to self is one own message and not unread")
  func noteToSelf() async throws {
    let inbox = try await Inbox()
    let note = "si_\(Make.account)_\(Make.account)"
    try await inbox.deliver([Make.pending("m", in: note)])
    try await inbox.deliver(
      [Make.ack("m", at: Make.time, in: note)], [Make.message("m", seq: 1, from: Make.account, in: note)])
    let messages = try await inbox.shown(note)
    #expect(messages.map(\.key.clientMsgID) == ["m"])
    #expect(messages.first?.isMine == true)
    #expect(messages.first?.envelope.seq == 1)
    #expect(try await inbox.unread(note) == 0)
    try await inbox.finish()
  }

  @Test("status-im/status-app 14479: an edit before the first fetch: one row with the edit, one unread")
  func earlyEdit() async throws {
    let inbox = try await Inbox()
    #expect(try await inbox.deliver([Make.edit(.clientMsgID("m"), version: 1, text: "edited")]).isEmpty)
    #expect(try await inbox.store.conversations().value.isEmpty)
    try await inbox.deliver([Make.message("m", seq: 1)])
    #expect(try await inbox.texts() == ["edited"])
    #expect(try await inbox.unread() == 1)
    #expect(try await inbox.shown().first?.edit?.version == 1)
    try await inbox.finish()
  }

  @Test("chatmail/core 6806: the full download of a stub does not undo an edit")
  func stub() async throws {
    let inbox = try await Inbox()
    guard case .message(let full) = Make.message("m", seq: 1, text: "full") else { return }
    let stub = ChatMessage(
      key: full.key, envelope: full.envelope, evidence: .sent, marks: [], contentType: 101,
      content: .placeholder(contentType: 101), body: .absent)
    try await inbox.deliver([.message(stub)], [Make.edit(.seq(1), version: 1, text: "edited")], [.message(full)])
    #expect(try await inbox.texts() == ["edited"])
    try await inbox.finish()
  }

  @Test("signalapp/Signal-Android 12793: deleted for all while undelivered, in either order: never shown")
  func deletedForAll() async throws {
    for isEarly in [false, true] {
      let inbox = try await Inbox()
      let facts = [Make.message("m", seq: 1), Make.delete(.clientMsgID("m"), scope: .forAll)]
      for fact in isEarly ? facts.reversed() : facts { try await inbox.deliver([fact]) }
      #expect(try await inbox.ids().isEmpty)
      #expect(try await inbox.unread() == 0)
      #expect(try await inbox.store.message("m", in: Make.group).value?.state == .hidden)
      try await inbox.finish()
    }
  }

  @Test("TencentCloud/TIMSDK 219: the recall of the latest message changes preview and unread in one revision")
  func recalledLatest() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("m", seq: 1)])
    let changes = try await inbox.deliver([Make.recall("m")])
    #expect(changes.map(\.kinds) == [[.recalled, .unread]])
    let page = try await inbox.store.inbox()
    #expect(page.value.conversations.map(\.last?.preview) == ["[Recalled]"])
    #expect(page.value.unread == TotalUnread(known: 0, unfetched: 0))
    #expect(page.revision == changes.last?.revision)
    try await inbox.finish()
  }

  @Test("openim-server 1544: a recall right after sending is held, then applied once")
  func earlyRecall() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.pending("m"), Make.attempt("m", .sending)])
    try await inbox.deliver([Make.recall("m", in: Make.single)])
    #expect(try await inbox.shown(Make.single).map(\.state) == [.sending])
    #expect(try await inbox.texts(Make.single) == ["text of m"])
    let acknowledged = try await inbox.deliver([Make.ack("m", seq: 3, at: Make.time)])
    #expect(acknowledged.count == 1)
    #expect(try await inbox.shown(Make.single).map(\.state) == [.recalled])
    #expect(try await inbox.deliver([Make.recall("m", in: Make.single)]).isEmpty)
    try await inbox.finish()
  }

  @Test("WuKongIM 461: three own and two of the peer are two unread, also after a restart")
  func ownNeverUnread() async throws {
    let inbox = try await Inbox()
    let own = (1...3).map { Make.message("a\($0)", seq: Int64($0), from: Make.account) }
    try await inbox.deliver(own, [Make.message("b1", seq: 4), Make.message("b2", seq: 5)], own)
    #expect(try await inbox.unread() == 2)
    try await inbox.store.close()
    let again = try await SQLiteMessageStore.open(path: inbox.directory.file("inbox.db"), account: Make.account)
    #expect(try await again.totalUnread().value == TotalUnread(known: 2, unfetched: 0))
    try await again.close()
  }

  @Test("openim-sdk-core 556: the unread number is that of the rows: marks that read them all leave none")
  func noPhantomUnread() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 1), Make.message("b", seq: 2)])
    try await inbox.deliver([Make.read([.clientMsgID("a"), .seq(2)])])
    #expect(try await inbox.unread() == 0)
    #expect(try await inbox.deliver([Make.read(2)]).allSatisfy { !$0.kinds.contains(.unread) })
    #expect(try await inbox.store.totalUnread().value.known == 0)
    try await inbox.finish()
  }

  @Test("element-web 21016: a receipt that comes late does not walk back")
  func lateReceipt() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("a", seq: 1), Make.message("b", seq: 2)], [Make.read(2)])
    #expect(try await inbox.deliver([Make.read(1)]).isEmpty)
    #expect(try await inbox.line()?.readSeq == 2)
    #expect(try await inbox.unread() == 0)
    try await inbox.finish()
  }

  @Test("openim-sdk-core 376: a clock ahead: an own pending message is last, then stands by the server's time")
  func skewedClock() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.pending("mine", at: Make.time + 420_000)])
    try await inbox.deliver([Make.message("theirs", seq: 2, in: Make.single, at: Make.time + 5_000)])
    #expect(try await inbox.ids(Make.single) == ["theirs", "mine"])
    #expect(try await inbox.line(Make.single)?.last?.key.clientMsgID == "mine")
    try await inbox.deliver([Make.ack("mine", seq: 1, at: Make.time + 1_000)])
    #expect(try await inbox.ids(Make.single) == ["mine", "theirs"])
    #expect(try await inbox.line(Make.single)?.last?.key.clientMsgID == "theirs")
    try await inbox.finish()
  }

  @Test("GetStream/stream-chat-swift 2358: over a partial cache every missing message is fetched: 25 of 25")
  func partialCache() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver((1...10).map { Make.message("m\($0)", seq: $0) }, [Make.seqs(max: 25)])
    #expect(try await inbox.line()?.unfetched == 15)
    let asked = Mutex<[ClosedRange<Int64>]>([])
    let fetcher = GapFetcher(inbox.store, account: Make.account, pageSize: 10) { request in
      asked.withLock { $0.append(request.range) }
      return GapFetcher.Answer(
        facts: request.range.map { Make.message("m\($0)", seq: $0) }, answered: [request.range])
    }
    try await fetch([Make.group], fetcher, into: inbox)
    #expect(asked.withLock { $0 } == [16...25, 11...15])
    #expect(try await inbox.ids() == (1...25).map { "m\($0)" })
    #expect(try await inbox.store.gaps(in: Make.group).value.isEmpty)
    #expect(try await inbox.line()?.unfetched == 0)
    try await inbox.finish()
  }

  @Test("matrix-rust-sdk 6190: an answer with nothing but known messages keeps the hole, until it is answered")
  func keptHole() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("own", seq: 5, from: Make.account), Make.seqs(answered: [1...1])])
    let isReady = Mutex(false)
    let fetcher = GapFetcher(inbox.store, account: Make.account) { _ in
      isReady.withLock { $0 }
        ? .init(facts: [Make.message("a", seq: 3)], answered: [2...4])
        : .init(facts: [Make.message("own", seq: 5, from: Make.account)], answered: [])
    }
    try await fetch([Make.group], fetcher, into: inbox)
    #expect(try await inbox.store.gaps(in: Make.group).value.ranges == [2...4])
    isReady.withLock { $0 = true }
    try await fetch([Make.group], fetcher, into: inbox)
    // Of 2 and 4 the server has said that nothing will come.
    #expect(try await inbox.store.gaps(in: Make.group).value.isEmpty)
    #expect(try await inbox.ids() == ["a", "own"])
    try await inbox.finish()
  }

  @Test("matrix-rust-sdk 3941: sent but not echoed, closed and opened again: still there, sent")
  func sentNotEchoed() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.pending("m"), Make.attempt("m", .sending)], [Make.ack("m", at: Make.time)])
    try await inbox.store.close()
    let again = try await SQLiteMessageStore.open(path: inbox.directory.file("inbox.db"), account: Make.account)
    _ = try await again.failInterruptedSends()
    #expect(try await again.messages(in: Make.single).value.map(\.state) == [.sent])
    try await again.close()
  }

  @Test("openim-sdk-core 273: what was under way when the process ended is failed after the start, never stuck")
  func neverStuck() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.pending("m"), Make.attempt("m", .sending), Make.pending("queued", at: Make.time + 1),
      Make.attempt("queued", .queued),
    ])
    try await inbox.store.close()
    let again = try await SQLiteMessageStore.open(path: inbox.directory.file("inbox.db"), account: Make.account)
    let recovered = try await again.failInterruptedSends()
    #expect(recovered.changes.map(\.clientMsgIDs) == [["m"]])
    #expect(try await again.messages(in: Make.single).value.map(\.state) == [.queued, .failed])
    try await again.close()
  }

  @Test("tdlib 2165: closing a range is not a deletion: rows stay and no message is named")
  func evictionIsNoDeletion() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver((1...6).map { Make.message("m\($0)", seq: $0) })
    let changes = try await inbox.deliver([Make.seqs(closed: [1...6], min: 7)])
    #expect(changes.allSatisfy { $0.clientMsgIDs.isEmpty && !$0.kinds.contains(.deleted) })
    #expect(try await inbox.ids().count == 6)
    try await inbox.finish()
  }

  @Test("element-x-ios 5286: A B C D sent quickly stay in order while their acknowledgements come as B D A C")
  func quickSends() async throws {
    for skew in [Int64(0), 400_000, -400_000] {
      let inbox = try await Inbox()
      let names = ["d", "b", "c", "a"]
      try await inbox.deliver([Make.message("peer", seq: 1, in: Make.single, at: Make.time - 50_000)])
      for (index, name) in names.enumerated() {
        try await inbox.deliver([Make.pending(name, at: Make.time + skew + Int64(index))])
        #expect(try await inbox.ids(Make.single) == ["peer"] + names[...index])
      }
      for index in [1, 3, 0, 2] {
        try await inbox.deliver([Make.ack(names[index], seq: Int64(10 + index), at: Make.time + Int64(index) * 40)])
        #expect(try await inbox.ids(Make.single) == ["peer"] + names, "skew \(skew), acknowledged \(index)")
      }
      try await inbox.finish()
    }
  }

  @Test("openim-sdk-core 531: deleting the last message leaves the conversation listed")
  func deletedLast() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.message("m", seq: 1)], [Make.delete(.clientMsgID("m"))])
    #expect(try await inbox.line()?.last == nil)
    #expect(try await inbox.line() != nil)
    try await inbox.finish()
  }

  /// Runs a fetcher over conversation ids, its output going into the store.
  private func fetch(_ ids: [String], _ fetcher: GapFetcher, into inbox: Inbox) async throws {
    let blueprint = try Blueprint("fetch") { graph in
      graph.source("conversations", ids).via("fetch", fetcher).via("projection", ProjectionStage(inbox.store))
        .ignore("end")
    }
    try await blueprint.run()
  }
}
