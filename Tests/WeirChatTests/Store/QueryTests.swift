import Testing
import WeirStore

@testable import WeirChat

@Suite("Queries of the store")
struct QueryTests {
  @Test("the list: pinned ones first, then by the later of message and draft; quiet ones are not in the total")
  func list() async throws {
    let inbox = try await Inbox()
    for (index, name) in ["sg_a", "sg_b", "sg_c", "sg_d"].enumerated() {
      try await inbox.deliver([Make.message("m", seq: 1, in: name, at: Make.time + Int64(index))])
    }
    try await inbox.deliver([
      Make.set(.isPinned(true), in: "sg_a"), Make.set(.draft("unsent", time: Make.time + 9), in: "sg_b"),
      Make.set(.receiveOption(.quiet), .showName("Quiet ones"), in: "sg_c"),
      Make.set(.draft("only a draft", time: Make.time + 8), in: "sg_e"),
    ])
    let all = try await inbox.store.conversations().value
    #expect(all.map(\.conversationID) == ["sg_a", "sg_b", "sg_e", "sg_d", "sg_c"])
    #expect(all.map(\.properties.draft) == ["", "unsent", "only a draft", "", ""])
    #expect(all.last?.title == "Quiet ones")
    #expect(try await inbox.store.totalUnread().value.known == 3)
    var paged: [String] = []
    var position: ConversationPosition?
    while let page = try await inbox.store.conversations(after: position, limit: 2).value as [ConversationSummary]?,
      let last = page.last
    {
      paged += page.map(\.conversationID)
      position = last.position
    }
    #expect(paged == all.map(\.conversationID))
    // Unpinned, and the draft gone: each moves in the revision that says so.
    let changes = try await inbox.deliver([
      Make.set(.isPinned(false), revision: 2, in: "sg_a"), Make.set(.draft("", time: 0), revision: 2, in: "sg_b"),
      Make.set(.draft("", time: 0), revision: 2, in: "sg_e"),
    ])
    #expect(changes.allSatisfy { $0.kinds.contains(.properties) })
    #expect(try await inbox.store.conversations().value.map(\.conversationID) == ["sg_d", "sg_c", "sg_b", "sg_a"])
    try await inbox.finish()
  }

  @Test("clear keeps a conversation in the list and its time, reset takes it out until the next message")
  func clearAndReset() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("a", seq: 1, in: "sg_a", at: Make.time), Make.message("b", seq: 1, in: "sg_b", at: Make.time + 1),
    ])
    let cleared = try await inbox.deliver([Make.clear(1, in: "sg_b")])
    #expect(cleared.map(\.kinds) == [[.cleared, .unread, .summary]])
    #expect(try await inbox.store.conversations().value.map(\.conversationID) == ["sg_b", "sg_a"])
    #expect(try await inbox.line("sg_b")?.last == nil)
    try await inbox.deliver([Make.clear(1, hides: true, in: "sg_b")])
    #expect(try await inbox.store.conversations().value.map(\.conversationID) == ["sg_a"])
    #expect(try await inbox.store.totalUnread().value.known == 1)
    try await inbox.deliver([Make.message("c", seq: 2, in: "sg_b")])
    #expect(try await inbox.store.conversations().value.map(\.conversationID) == ["sg_b", "sg_a"])
    try await inbox.finish()
  }

  @Test("a clear by time covers what the server sent until then, and not what waits here")
  func clearByTime() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("old", seq: 1, in: Make.single), Make.message("new", seq: 3, in: Make.single),
      Make.pending("mine", at: Make.time),
    ])
    try await inbox.deliver([Make.clear(0, time: Make.time + 2_000, in: Make.single)])
    #expect(try await inbox.ids(Make.single) == ["new", "mine"])
    try await inbox.deliver([Make.message("late", seq: 2, in: Make.single)])
    #expect(try await inbox.ids(Make.single) == ["new", "mine"])
    try await inbox.finish()
  }

  @Test("pages before and after a place meet without loss or repetition, pending messages included")
  func pages() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver((1...20).map { Make.message("m\($0)", seq: Int64($0), in: Make.single) })
    try await inbox.deliver((1...4).map { Make.pending("p\($0)", at: Make.time + Int64($0)) })
    let expected = (1...20).map { "m\($0)" } + (1...4).map { "p\($0)" }
    let newest = try await inbox.store.messages(in: Make.single, limit: 100).value
    #expect(newest.reversed().map(\.key.clientMsgID) == expected)
    var back: [StoredMessage] = []
    while true {
      let page = try await inbox.store.messages(in: Make.single, before: back.last?.position, limit: 3).value
      if page.isEmpty { break }
      back += page
    }
    #expect(back == newest)
    var forth = [try #require(newest.last)]
    while true {
      let place = try #require(forth.last).position
      let page = try await inbox.store.messages(in: Make.single, after: place, limit: 3).value
      if page.isEmpty { break }
      forth += page.reversed()
    }
    #expect(forth == newest.reversed())
    #expect(try await inbox.store.messages(in: Make.single, limit: 0).value.isEmpty)
    #expect(try await inbox.store.messages(in: "unknown").value.isEmpty)
    #expect(try await inbox.store.message("m7", in: Make.single).value == newest.first { $0.key.clientMsgID == "m7" })
    #expect(try await inbox.store.message("p2", in: Make.single).value == newest.first { $0.key.clientMsgID == "p2" })
    #expect(try await inbox.store.message("nobody", in: Make.single).value == nil)
    try await inbox.finish()
  }

  @Test("pages through messages of one time and seq keep the order of their ids", arguments: [1, 3, 17, 40, 100])
  func tiedPages(limit: Int) async throws {
    let inbox = try await Inbox()
    // Every other id is 32 digits, which come after all others; told in an order of its own.
    let ids = (0..<60).map { number in
      let digits = "\(number * 37 % 60 + 100)"
      return number % 2 == 0 ? "t\(digits)" : String(repeating: "0", count: 29) + digits
    }
    var facts = ids.map { Make.message($0, seq: 0, in: Make.single, at: Make.time) }
    for number in 1...5 {
      facts.append(Make.message("before\(number)", seq: 0, in: Make.single, at: Make.time - Int64(number)))
      facts.append(Make.message("after\(number)", seq: 0, in: Make.single, at: Make.time + Int64(number)))
    }
    try await inbox.deliver(facts)
    let tied = ids.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    let expected =
      (1...5).reversed().map { "before\($0)" } + tied + (1...5).map { "after\($0)" }
    var back: [StoredMessage] = []
    while true {
      let page = try await inbox.store.messages(in: Make.single, before: back.last?.position, limit: limit).value
      if page.isEmpty { break }
      #expect(page.count == min(limit, expected.count - back.count))
      back += page
    }
    #expect(back.reversed().map(\.key.clientMsgID) == expected)
    var forth = [try #require(back.last)]
    while true {
      let place = try #require(forth.last).position
      let page = try await inbox.store.messages(in: Make.single, after: place, limit: limit).value
      if page.isEmpty { break }
      forth += page.reversed()
    }
    #expect(forth.map(\.key.clientMsgID) == expected)
    try await inbox.finish()
  }

  @Test("ids of 32 characters come back as they were, digits or not")
  func idsOfDigitsAndOthers() async throws {
    let inbox = try await Inbox()
    var ids: Set<String> = []
    for place in [0, 7, 8, 15, 16, 23, 24, 31] {
      for character in UInt8(1)...0x7F {
        var bytes = Array("0123456789abcdef0123456789abcdef".utf8)
        bytes[place] = character
        ids.insert(String(decoding: bytes, as: UTF8.self))
      }
    }
    try await inbox.deliver(ids.map { Make.message($0, seq: 0, in: Make.single, at: Make.time, server: $0) })
    let shown = try await inbox.store.messages(in: Make.single, limit: 2_000).value
    #expect(shown.count == ids.count && Set(shown.map(\.key.clientMsgID)) == ids)
    #expect(shown.allSatisfy { $0.envelope.serverMsgID == $0.key.clientMsgID })
    for id in ids.prefix(100) {
      #expect(try await inbox.store.message(id, in: Make.single).value?.key.clientMsgID == id)
    }
    try await inbox.finish()
  }

  @Test("a quote does not show what was taken back, whichever came first")
  func quotes() async throws {
    for isEarly in [false, true] {
      let inbox = try await Inbox()
      guard case .message(var answer) = Make.message("answer", seq: 2) else { return }
      answer.replaceContent(
        with: .quote(.init(text: "so what", clientMsgID: "m", senderID: Make.peer, contentType: 101)))
      let facts = [Make.message("m", seq: 1), Make.recall("m"), .message(answer)]
      for fact in isEarly ? facts.reversed() : facts { try await inbox.deliver([fact]) }
      guard case .content(.quote(let quote)) = try await inbox.shown().first?.display else {
        Issue.record("the answer is gone")
        return
      }
      #expect(quote.contentType == 2101 && quote.text == "so what")
      try await inbox.finish()
    }
  }

  @Test("group readers: a union of marks and single receipts, or what copies report when that is more")
  func groupReaders() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("m", seq: 5, from: Make.account), Make.read(5, by: "a"), Make.read(9, by: "b"),
      Make.read(4, by: "c"),
      Make.read([.seq(5)], by: "d", at: 70), Make.read([.clientMsgID("m")], by: "a", at: 60),
      Make.read(9, by: Make.account),
    ])
    #expect(try await inbox.shown().first?.readerCount == 3)
    #expect(try await inbox.shown().first?.hasReadTime == 60)
    #expect(try await inbox.store.conversationPeerReads(Make.group).value.map(\.userID) == ["a", "b", "c"])
    try await inbox.deliver([
      Make.message(
        "m", seq: 5, from: Make.account, attached: #"{"groupHasReadInfo":{"hasReadCount":7,"hasReadUserIDList":["e"]}}"#
      )
    ])
    #expect(try await inbox.shown().first?.readerCount == 7)
    try await inbox.finish()
  }

  @Test("lists of people: what stands is the greatest revision, and a removed entry does not come back")
  func people() async throws {
    let inbox = try await Inbox()
    func entry(_ scope: SocialFact.Scope, _ id: String, _ revision: Int64, _ text: String?, of group: String = "")
      -> Fact
    {
      .social(
        SocialFact(
          account: Make.account, scope: scope, scopeID: group, entityID: id, revision: revision,
          isRemoved: text == nil, payload: Array((text ?? "").utf8)))
    }
    let changes = try await inbox.deliver([
      entry(.friendships, "bob", 2, "new"), entry(.friendships, "bob", 1, "old"), entry(.friendships, "al", 1, "al"),
      entry(.groupMembers, "bob", 1, "member", of: "g"), entry(.blocks, "eve", 1, "eve"),
      entry(.blocks, "eve", 2, nil), entry(.friendRequests, "r", 1, "r"), entry(.groups, "g", 1, "g"),
      entry(.groupJoinRequests, "j", 1, "j", of: "g"),
    ])
    #expect(
      changes.map(\.social?.scope) == [
        .friendships, .groupMembers, .blocks, .friendRequests, .groups, .groupJoinRequests,
      ])
    #expect(changes.allSatisfy { $0.kinds == .social && $0.conversationID.isEmpty })
    let store = inbox.store
    #expect(try await store.friendships().value.map(\.entityID) == ["al", "bob"])
    #expect(
      try await store.friendships(after: "al").value.map { String(decoding: $0.payload, as: UTF8.self) } == ["new"])
    #expect(try await store.groupMembers(of: "g").value.map(\.entityID) == ["bob"])
    #expect(try await store.groupMembers(of: "h").value.isEmpty)
    #expect(try await store.blocks().value.isEmpty)
    #expect(try await store.friendRequests().value.count == 1)
    #expect(try await store.groups().value.count == 1)
    #expect(try await store.groupJoinRequests(of: "g").value.count == 1)
    #expect(try await inbox.deliver([entry(.blocks, "eve", 1, "eve"), entry(.blocks, "x", 1, nil)]).isEmpty)
    let log = try await store.changes(since: 0).value.changes
    #expect(log.compactMap(\.social) == changes.compactMap(\.social))
    try await inbox.finish()
  }

  @Test("lists whose ids differ in their bytes only are told one by one, though the texts look the same")
  func equivalentIDs() async throws {
    let inbox = try await Inbox()
    let groups = ["caf\u{e9}", "cafe\u{301}"]
    let changes = try await inbox.deliver(
      groups.map {
        .social(SocialFact(account: Make.account, scope: .groupMembers, scopeID: $0, entityID: "bob", revision: 1))
      })
    #expect(changes.compactMap { $0.social.map { Array($0.scopeID.utf8) } } == groups.map { Array($0.utf8) })
    for group in groups { #expect(try await inbox.store.groupMembers(of: group).value.count == 1) }
    try await inbox.finish()
  }

  @Test("a media task: a terminal state is not displaced by progress, and progress never goes back")
  func mediaTask() async throws {
    let inbox = try await Inbox()
    func task(_ revision: Int64, _ state: MediaTaskFact.State) -> Fact {
      .mediaTask(MediaTaskFact(account: Make.account, taskID: "t", revision: revision, state: state))
    }
    #expect(try await inbox.deliver([task(3, .running)]).map(\.mediaTaskID) == ["t"])
    #expect(try await inbox.deliver([task(2, .queued)]).isEmpty)
    #expect(try await inbox.store.mediaTask("t").value?.revision == 3)
    try await inbox.deliver([task(4, .done)])
    #expect(try await inbox.deliver([task(9, .running)]).isEmpty)
    #expect(try await inbox.store.mediaTask("t").value?.state == .done)
    #expect(try await inbox.store.mediaTask("u").value == nil)
    #expect(try await inbox.store.changes(since: 0).value.changes.map(\.mediaTaskID) == ["t", "t"])
    try await inbox.finish()
  }

  @Test(
    "Invariant 20: the final state of a transfer is there by query, also after a restart, and late progress changes nothing"
  )
  func mediaTaskAfterRestart() async throws {
    let directory = try TemporaryDirectory()
    for state in [MediaTaskFact.State.done, .failed, .cancelled] {
      let id = "task \(state)"
      func task(_ revision: Int64, _ state: MediaTaskFact.State) -> Fact {
        .mediaTask(MediaTaskFact(account: Make.account, taskID: id, revision: revision, state: state))
      }
      var store = try await openStore(directory.file("tasks.db"))
      _ = try await store.apply([task(1, .running), task(2, state)])
      try await store.close()
      store = try await openStore(directory.file("tasks.db"))
      #expect(try await store.apply([task(9, .running)]).changes.isEmpty)
      #expect(try await store.mediaTask(id).value?.state == state)
      try await store.close()
    }
  }

  @Test("hints of a media task say where it stands, from the commit and from the log alike")
  func mediaHints() async throws {
    let inbox = try await Inbox()
    func states(_ changes: [ConversationChange]) -> [MediaTaskUpdate] {
      changes.flatMap { $0.events(ProjectionChange(kind: .known(.syncApplied))) }.compactMap {
        if case .mediaTaskUpdated(let update) = $0 { update } else { nil }
      }
    }
    for (revision, state) in [MediaTaskFact.State.queued, .running, .done].enumerated() {
      let fact = MediaTaskFact(
        account: Make.account, taskID: "t", revision: Int64(revision), state: state, nativeState: 70)
      let told = states(try await inbox.deliver([.mediaTask(fact)]))
      #expect(told == [MediaTaskUpdate(taskID: "t", state: .known(state))])
      let log = try await inbox.store.changes(since: Int64(revision)).value.changes
      #expect(states(log) == told)
    }
    // Of several steps in the log the latest is what a query finds.
    let all = states(try await inbox.store.changes(since: 0).value.changes)
    #expect(all.count == 3 && all.allSatisfy { $0.isTerminal })
    try await inbox.finish()
  }

  @Test("local data is the application's own: the latest setting stands, no copy touches it")
  func localData() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([Make.local("m", "early", revision: 1)], [Make.message("m", seq: 1)])
    #expect(try await inbox.shown().first?.localEx == "early")
    try await inbox.deliver(
      [Make.local("m", "late", revision: 2)], [Make.message("m", seq: 1), Make.local("m", "early")])
    #expect(try await inbox.shown().first?.localEx == "late")
    try await inbox.finish()
  }

  @Test("facts without a target are refused with the reason, and the others are stored")
  func refusals() async throws {
    let inbox = try await Inbox()
    let result = try await inbox.store.apply([
      Make.edit(.clientMsgID(""), version: 1, text: "x"), Make.delete(), Make.delete(.seq(0)), Make.read(0),
      Make.read([.clientMsgID("")]), Make.read(1, by: ""), Make.recall(seq: 0), Make.clear(3, in: ""),
      Make.ack("", at: 1), Make.local("", "x"), Make.seqs(max: 3, in: ""),
      .social(SocialFact(account: Make.account, scope: .blocks, entityID: "", revision: 1)),
      .mediaTask(MediaTaskFact(account: Make.account, taskID: "", revision: 1, state: .done)),
      Make.message("m", seq: 1),
    ])
    #expect(
      result.rejected.map(\.reason) == [
        .emptyTarget, .emptyTarget, .emptyTarget, .emptyTarget, .emptyTarget, .emptyTarget, .emptyClientMsgID,
        .emptyConversationID, .emptyClientMsgID, .emptyClientMsgID, .emptyConversationID, .emptyTarget, .emptyTarget,
      ])
    #expect(result.inserted == 1)
    try await inbox.finish()
  }

  @Test("extreme numbers do no harm")
  func extremes() async throws {
    let inbox = try await Inbox()
    try await inbox.deliver([
      Make.message("m", seq: .max, at: .max), Make.read(.max, at: .max), Make.clear(.max - 1, time: .max),
      Make.seqs(closed: [.min ... .max], answered: [0...0], max: .max, min: .max), Make.pending("p", at: .max),
      Make.pending("q", at: .min), Make.ack("p", seq: .max, at: .max), Make.attempt("q", .failed, number: .max),
      Make.set(.burnDuration(.max), .draft("x", time: .max), revision: .max),
      Make.message("b", seq: 3, at: .max - 1, marks: .isPrivate, attached: #"{"burnDuration":9223372036854775807}"#),
      Make.edit(.seq(.max), version: .max, text: "x"),
    ])
    _ = try await inbox.store.expire(now: .max)
    _ = try await inbox.store.conversations()
    _ = try await inbox.shown(Make.single)
    try await inbox.finish()
  }
}
