import ChatFixtures
import Testing
import WeirStore

@testable import WeirChat

@Suite("The projection does not depend on order or repetition")
struct ProjectionOrderTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("original, copy, twin, read copy, recall, second recall: every order gives the same content")
  func allOrders() async throws {
    let original = CallbackLine.group("hello", id: "0123456789abcdef0123456789abcdef", seq: 11)
    var twin = original
    (twin.seq, twin.serverMsgID, twin.sendTime, twin.isRead) = (12, "b", original.sendTime + 40, true)
    twin.element = ("textElem", #"{"content":"hello again"}"#)
    let facts = try facts([
      original.bytes, original.bytes, twin.bytes, original.recallNotice(by: "admin", at: 1_718_000_000_500).bytes,
      Array(original.recallCallback(by: original.sendID, at: 1_718_000_000_400).utf8),
    ])
    try await expectSameContent(permutations(facts), facts)
  }

  @Test("deleted copy, filtered copy, placeholder, expanded copy, pending copy: every order gives the same content")
  func componentOrders() async throws {
    var original = CallbackLine()
    (original.sendID, original.recvID) = (original.recvID, original.sendID)
    var pending = original
    (pending.seq, pending.serverMsgID, pending.sendTime, pending.status) = (0, "", 0, 1)
    var deleted = original
    (deleted.seq, deleted.status, deleted.element) = (40, 4, ("", ""))
    var filtered = original
    filtered.status = 5
    var broken = original
    broken.element = ("textElem", #"{"content":7}"#)
    let facts = try facts([pending.bytes, original.bytes, deleted.bytes, filtered.bytes, broken.bytes])
    try await expectSameContent(permutations(facts), facts)
  }

  @Test("the same client id in two conversations: a recall without conversation takes back its sender's message only")
  func sharedClientID() async throws {
    let victim = CallbackLine.group("mine", id: "shared", seq: 5, from: "victim")
    var other = CallbackLine.group("theirs", id: "shared", seq: 6, from: "attacker")
    other.groupID = "999"
    let facts = try facts([
      victim.bytes, other.bytes, Array(other.recallCallback(by: "attacker", at: 1_718_000_900_000).utf8),
    ])
    try await expectSameContent(permutations(facts), facts)
    let store = try await openStore(directory.file("shared.db"))
    _ = try await store.apply(facts)
    let shown = try await store.messages(in: "sg_3027148891").value.map(\.display)
    #expect(shown == [.content(.text("mine"))])
    try await store.close()
  }

  @Test("whether a recall covers a message follows from all copies, also when they name different senders")
  func contestedSender() async throws {
    let late = CallbackLine.group("late", id: "contested", seq: 5, from: "x")
    let early = CallbackLine.group("early", id: "contested", seq: 3, from: "y")
    for revoked in ["x", "y"] {
      let source = revoked == "x" ? late : early
      let facts = try facts([
        late.bytes, early.bytes, Array(source.recallCallback(by: revoked, at: 1_718_000_900_000).utf8), early.bytes,
      ])
      try await expectSameContent(permutations(facts), facts)
    }
  }

  @Test("a recalled row read back from history and its original agree in any order")
  func recalledRow() async throws {
    let original = CallbackLine.group("oops", id: "row", seq: 7)
    var row = original
    row.contentType = 2101
    row.element = ("notificationElem", #"{"detail":"{\"revokerUserID\":\"bob\",\"revokeTime\":1718000100}"}"#)
    let facts = try facts([original.bytes, row.bytes, row.bytes])
    try await expectSameContent(permutations(facts), facts)
  }

  @Test("ids that differ only in Unicode composition are different users, conversations and messages")
  func composedIDs() async throws {
    var lines: [[UInt8]] = []
    for name in ["\u{e9}", "e\u{301}"] {
      var line = CallbackLine.group("x", id: name, seq: 1, from: name)
      line.senderNickname = name
      line.groupID = name
      lines.append(line.bytes)
    }
    let facts = try facts(lines)
    let store = try await openStore(directory.file("composed.db"))
    #expect(try await store.apply(facts).inserted == 2)
    let conversations = try await store.conversations().value
    #expect(Set(conversations.map { Array($0.conversationID.utf8) }).count == 2)
    for conversation in conversations {
      let sender = try #require(conversation.last?.envelope.senderID)
      #expect(Array("sg_\(sender)".utf8) == Array(conversation.conversationID.utf8))
    }
    try await store.close()
    try await expectSameContent(permutations(facts), nil)
  }

  @Test("random streams, shuffled, repeated and regrouped, agree with the model and with each other")
  func randomStreams() async throws {
    for seed in 0..<UInt64(soak(40, 1_000)) {
      let facts = try facts(ChatScript.lines(seed: seed, count: 60, conversations: 5))
      var random = SeededRandom(seed ^ 0xABCD)
      let model = ModelStore(account: ChatScript.account, facts: facts)
      var hashes: Set<Hash128> = []
      for round in 0..<2 {
        var delivery = facts + (0..<20).map { _ in random.pick(facts) }
        if round > 0 { delivery.shuffle(using: &random) }
        let store = try await openStore(directory.file("r\(seed)-\(round).db"))
        while !delivery.isEmpty {
          let count = min(delivery.count, 1 + random.below(30))
          let result = try await store.apply(Array(delivery[..<count]))
          let settled = result.inserted + result.merged + result.advanced + result.recalled + result.orphaned
          #expect(settled == count && result.rejected.isEmpty)
          delivery.removeFirst(count)
        }
        try await expectAgreement(store, model, "seed \(seed), round \(round)")
        hashes.insert(try await store.contentHash().value)
        try await store.close()
      }
      #expect(hashes.count == 1, "seed \(seed)")
    }
  }

  /// All deliveries, one fact a transaction and also all in one, give one content hash, and the one of the model.
  private func expectSameContent(_ deliveries: [[Fact]], _ modelFacts: [Fact]?) async throws {
    var hashes: Set<Hash128> = []
    for (number, delivery) in deliveries.enumerated() {
      let store = try await openStore(directory.file("p\(UInt64.random(in: 0 ... .max)).db"))
      if number % 5 == 0 {
        _ = try await store.apply(delivery)
      } else {
        for fact in delivery { _ = try await store.apply([fact]) }
      }
      hashes.insert(try await store.contentHash().value)
      if let modelFacts {
        try await expectAgreement(store, ModelStore(account: ChatScript.account, facts: modelFacts), "\(number)")
      }
      let before = try await store.totals().revision
      let again = try await store.apply(delivery)
      #expect(again.merged == delivery.count && again.changes.isEmpty && again.revision == before, "\(number)")
      hashes.insert(try await store.contentHash().value)
      try await store.close()
    }
    #expect(hashes.count == 1)
  }
}
