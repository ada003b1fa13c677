import ChatFixtures
import Foundation
import Testing
import WeirStore

@testable import WeirChat

@Suite("The message store")
struct MessageStoreTests {
  private let directory: TemporaryDirectory
  private let group = "sg_3027148891"

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("what was stored is there after closing and opening again, with revision and content unchanged")
  func reopen() async throws {
    let facts = try facts(ChatScript.lines(seed: 1, count: 400))
    let path = directory.file("a.db")
    let store = try await openStore(path)
    for start in stride(from: 0, to: facts.count, by: 50) {
      _ = try await store.apply(Array(facts[start..<min(start + 50, facts.count)]))
    }
    let before = try await store.contentHash()
    try await store.close()
    let again = try await openStore(path)
    let after = try await again.contentHash()
    #expect(after.value == before.value && after.revision == before.revision && before.revision > 0)
    #expect(again.identity == store.identity && store.identity.count == 16)
    try await expectAgreement(again, ModelStore(account: ChatScript.account, facts: facts))
    try await again.close()
  }

  @Test("a new message is hinted with its kinds and a revision of its own; its redelivery with nothing")
  func hints() async throws {
    let store = try await openStore(directory.file("a.db"))
    let line = CallbackLine.group("one", id: "m1", seq: 1)
    var single = CallbackLine()
    single.seq = 1
    let first = try await store.apply(facts([line.bytes, single.bytes, line.bytes]))
    #expect(first.inserted == 2 && first.merged == 1 && first.revision == 2)
    #expect(
      first.changes == [
        .init(conversationID: group, revision: 1, kinds: [.inserted, .unread, .summary], clientMsgIDs: ["m1"]),
        .init(
          conversationID: "si_7315502264_8842110937", revision: 2, kinds: [.inserted, .unread, .summary],
          clientMsgIDs: [single.clientMsgID]),
      ])
    let second = try await store.apply(facts([single.bytes, line.bytes]))
    #expect(second.merged == 2 && second.changes.isEmpty && second.revision == 2)
    let read = try await store.apply(facts([changed(line) { $0.isRead = true }]))
    #expect(
      read.changes == [.init(conversationID: group, revision: 3, kinds: [.updated, .unread], clientMsgIDs: ["m1"])])
    try await store.close()
  }

  @Test("what nobody can see gives no hint and no revision, but is kept")
  func invisible() async throws {
    let store = try await openStore(directory.file("a.db"))
    let line = CallbackLine.group("spam", id: "m1", seq: 1)
    let hidden = try await store.apply(facts([changed(line) { $0.status = 5 }]))
    #expect(hidden.inserted == 1 && hidden.changes.isEmpty && hidden.revision == 0)
    #expect(try await store.conversations().value.isEmpty)
    // The plain copy that comes later does not bring it out.
    #expect(try await store.apply(facts([line.bytes])).changes.isEmpty)
    #expect(try await store.messages(in: group).value.isEmpty)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test("a recall takes the content, the unread mark and the preview in one revision")
  func recall() async throws {
    let store = try await openStore(directory.file("a.db"))
    let line = CallbackLine.group("secret", id: "m1", seq: 1)
    _ = try await store.apply(facts([line.bytes]))
    let notice = line.recallNotice(by: "admin", at: 1_718_000_100_000)
    let result = try await store.apply(facts([notice.bytes]))
    #expect(result.recalled == 1)
    #expect(
      result.changes == [.init(conversationID: group, revision: 2, kinds: [.recalled, .unread], clientMsgIDs: ["m1"])])
    let summary = try #require(try await store.conversations().value.first)
    #expect(summary.unread == 0 && summary.last?.preview == "[Recalled]")
    let record = RecallRecord(time: 1_718_000_100_000, revokerID: "admin", seq: 1)
    #expect(try await store.messages(in: group).value.map(\.display) == [.recalled(record)])
    // A late copy does not bring the content back.
    _ = try await store.apply(facts([changed(line) { $0.seq = 2 }]))
    #expect(try await store.messages(in: group).value.map(\.display) == [.recalled(record)])
    try await store.close()
  }

  @Test("a recall ahead of its message shows nothing, survives a restart, and holds when the message comes")
  func orphan() async throws {
    let path = directory.file("a.db")
    var store = try await openStore(path)
    let line = CallbackLine.group("secret", id: "m1", seq: 1)
    let early = try await store.apply(facts([line.recallNotice(by: "admin", at: 1_718_000_100_000).bytes]))
    #expect(early.orphaned == 1 && early.changes.isEmpty && early.revision == 0)
    #expect(try await store.conversations().value.isEmpty)
    try await store.close()
    store = try await openStore(path)
    let late = try await store.apply(facts([line.bytes]))
    #expect(late.inserted == 1)
    #expect(late.changes.map(\.kinds) == [[.inserted, .summary]])
    #expect(try await store.messages(in: group).value.map(\.preview) == ["[Recalled]"])
    #expect(try await store.totals().value == Totals(conversations: 1, messages: 1, unread: 0))
    try await store.close()
  }

  @Test("own, read, deleted, filtered, quiet and recalled messages are not unread")
  func unread() async throws {
    let store = try await openStore(directory.file("a.db"))
    func line(_ number: Int, _ change: (inout CallbackLine) -> Void) -> [UInt8] {
      var line = CallbackLine.group("x", id: "m\(number)", seq: Int64(number))
      change(&line)
      return line.bytes
    }
    let recalled = CallbackLine.group("x", id: "m6", seq: 6)
    let result = try await store.apply(
      facts([
        line(1) { _ in }, line(2) { $0.sendID = ChatScript.account }, line(3) { $0.isRead = true },
        line(4) { $0.status = 4 }, line(5) { $0.status = 5 }, recalled.bytes,
        recalled.recallNotice(by: "x", at: 1).bytes,
        line(7) {
          $0.contentType = 119
          $0.element = ("customElem", "{}")
        },
      ]))
    #expect(result.inserted == 7)
    let summary = try #require(try await store.conversations().value.first)
    #expect(summary.unread == 1)
    #expect(summary.last?.key.clientMsgID == "m6")
    #expect(summary.title == "3027148891")
    let shown = try await store.messages(in: group).value.map(\.key.clientMsgID)
    #expect(shown == ["m7", "m6", "m3", "m2", "m1"])
    try await store.close()
  }

  @Test("the last message goes when it is deleted, and the conversation stays listed")
  func deletedLast() async throws {
    let store = try await openStore(directory.file("a.db"))
    let line = CallbackLine.group("only", id: "m1", seq: 1)
    _ = try await store.apply(facts([line.bytes]))
    let result = try await store.apply(facts([changed(line) { $0.status = 4 }]))
    #expect(result.changes.map(\.kinds) == [[.updated, .unread, .summary]])
    let summary = try #require(try await store.conversations().value.first)
    #expect(summary.last == nil && summary.unread == 0 && summary.lastTime == 0)
    // Once more delivered as deleted: nothing to tell.
    #expect(try await store.apply(facts([changed(line) { $0.status = 4 }])).changes.isEmpty)
    try await store.close()
  }

  @Test("revisions have no holes, and the log tells a sleeper exactly the hints that were missed")
  func log() async throws {
    let store = try await openStore(directory.file("a.db"))
    var hints: [ConversationChange] = []
    for lines in chunks(ChatScript.lines(seed: 9, count: 300), of: 10) {
      hints += try await store.apply(facts(lines)).changes
    }
    #expect(hints.map(\.revision) == Array(1...Int64(hints.count)))
    let missed = try await store.changes(since: 20, limit: 1_000)
    #expect(missed.value.isComplete)
    #expect(missed.value.changes == Array(hints[20...]))
    #expect(missed.revision == hints.last?.revision)
    #expect(try await store.changes(since: missed.revision).value == ChangeLog(changes: [], isComplete: true))
    try await store.close()
  }

  @Test("the log is trimmed to its limit, and a sleeper from before is told so")
  func trimmedLog() async throws {
    let store = try await SQLiteMessageStore.open(
      path: directory.file("a.db"), account: ChatScript.account, options: .init(historyLimit: 50))
    for number in 1...700 {
      let line = CallbackLine.group("x", id: "m\(number)", seq: Int64(number))
      _ = try await store.apply(facts([line.bytes]))
    }
    #expect(try await store.audit().value == [])
    let old = try await store.changes(since: 0, limit: 10_000).value
    #expect(!old.isComplete && old.changes.count >= 50 && old.changes.count <= 50 + 256)
    let start = try #require(old.changes.first).revision - 1
    #expect(try await store.changes(since: start, limit: 10_000).value.isComplete)
    #expect(try await store.changes(since: start - 1, limit: 10_000).value.isComplete == false)
    try await store.close()
  }

  @Test("facts that cannot be stored are told by their place, and the others are stored")
  func rejected() async throws {
    let store = try await openStore(directory.file("a.db"))
    let good = try facts([CallbackLine.group("x", id: "m1", seq: 1).bytes])
    guard case .message(var message) = good[0] else { return }
    message.key = MessageKey(account: "someone else", conversationID: group, clientMsgID: "m1")
    var bad = [Fact.message(message)]
    message.key = MessageKey(account: ChatScript.account, conversationID: "", clientMsgID: "m1")
    bad.append(.message(message))
    bad.append(
      .recall(.init(account: ChatScript.account, target: .conversation(group), clientMsgID: "", record: .init())))
    let result = try await store.apply(bad + good)
    #expect(result.inserted == 1)
    #expect(
      result.rejected == [
        .init(index: 0, reason: .otherAccount), .init(index: 1, reason: .emptyConversationID),
        .init(index: 2, reason: .emptyClientMsgID),
      ])
    try await store.close()
  }

  @Test("another account's file is refused and stays as it was")
  func otherAccount() async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    _ = try await store.apply(facts(ChatScript.lines(seed: 2, count: 20)))
    try await store.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = await #expect(throws: StoreError.self) { try await SQLiteMessageStore.open(path: path, account: "b") }
    #expect(error?.kind == .foreignFile)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("after close every call is refused")
  func closed() async throws {
    let store = try await openStore(directory.file("a.db"))
    try await store.close()
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.apply([]) }, { _ = try await store.totals() }, { _ = try await store.conversations() },
      { _ = try await store.messages(in: "x") }, { _ = try await store.changes(since: 0) },
      { _ = try await store.contentHash() }, { try await store.close() },
    ]
    for call in calls {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.kind == .closed)
    }
  }

  @Test(
    "a changed byte in a row is found when the row is read",
    arguments: [
      "UPDATE messages SET seq = seq + 1", "UPDATE messages SET create_time = create_time + 1",
      "UPDATE messages SET rest = CAST(substr(rest, 1, length(rest) - 3) || 'two' AS BLOB)",
      "UPDATE messages SET rest = substr(rest, 1, 7)", "UPDATE messages SET rest = x''",
      "UPDATE messages SET sender = sender + 0, marks = marks | 1", "UPDATE strings SET value = value || 'x'",
    ])
  func bitRot(damage: String) async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    _ = try await store.apply(facts([CallbackLine.group("one", id: "m1", seq: 1).bytes]))
    try await store.close()
    try Connection(path: path).execute(damage)
    let damaged = try await openStore(path)
    let error = await #expect(throws: StoreError.self) { try await damaged.messages(in: group) }
    #expect(error?.kind == .corrupt)
    try await damaged.close()
  }

  @Test("a line that was not understood is expanded by a version that does, without a new revision")
  func decodeUpgrade() async throws {
    let path = directory.file("a.db")
    let store = try await openStore(path)
    let line = CallbackLine.group("now known", id: "m1", seq: 1)
    // As an older version would have kept it.
    guard case .message(let known) = try facts([line.bytes])[0] else { return }
    let message = ChatMessage(
      key: known.key, envelope: known.envelope, evidence: .sent, marks: [], contentType: 101,
      content: .placeholder(contentType: 101), body: .line(line.bytes))
    _ = try await store.apply([.message(message)])
    #expect(try await store.messages(in: group).value.map(\.display) == [.content(.text("now known"))])
    #expect(try await store.totals().revision == 1)
    try await store.close()
  }

  @Test("a batch that holds a message twice under two seqs gives one row, one hint and one unread")
  func twins() async throws {
    let store = try await openStore(directory.file("a.db"))
    let line = CallbackLine.group("once", id: "m1", seq: 12)
    let result = try await store.apply(facts([line.bytes, changed(line) { $0.seq = 11 }]))
    #expect(result.inserted == 1 && result.advanced == 1)
    #expect(result.changes.map(\.clientMsgIDs) == [["m1"]])
    #expect(try await store.totals().value == Totals(conversations: 1, messages: 1, unread: 1, unfetched: 10))
    #expect(try await store.messages(in: group).value.map(\.envelope.seq) == [11])
    try await store.close()
  }

  @Test(
    "what a hook or a bridge sets as content is what is read back",
    arguments: [
      MessageContent.text("a \"b\" \\ \u{1} \n 漢"),
      .mention(.init(text: "@x", userIDs: ["x", "y"], mentionsMe: false)),
      .quote(.init(text: "t", clientMsgID: "q", senderID: "s", contentType: 101)),
      .custom(.init(data: "{}", description: "d", extension: "e")), .richText("r"), .markdown("# m"),
      .picture(
        .init(source: .init(url: "u", type: "t", size: 1, width: 2, height: 3), big: .init(), snapshot: .init())),
      .placeholder(contentType: 4_711),
    ])
  func madeContent(content: MessageContent) async throws {
    let store = try await openStore(directory.file("a.db"))
    let key = MessageKey(account: ChatScript.account, conversationID: group, clientMsgID: "made")
    let made = ChatMessage(key: key, envelope: Envelope(), content: content)
    guard case .message(var replaced) = try facts([CallbackLine.group("old", id: "m1", seq: 1).bytes])[0] else {
      return
    }
    replaced.replaceContent(with: content)
    _ = try await store.apply([.message(made), .message(replaced)])
    let shown = try await store.messages(in: group).value.map(\.display)
    #expect(shown == [.content(content), .content(content)])
    try await store.close()
  }

  @Test("callers at the same time are all served, and the result is that of one caller")
  func concurrent() async throws {
    let lines = ChatScript.lines(seed: 4, count: 400)
    let store = try await openStore(directory.file("a.db"))
    let facts = try facts(lines)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in chunks(facts, of: 7) {
        group.addTask { _ = try await store.apply(part) }
        group.addTask { _ = try await store.conversations() }
      }
      try await group.waitForAll()
    }
    try await expectAgreement(store, ModelStore(account: ChatScript.account, facts: facts))
    try await store.close()
  }

  private func changed(_ line: CallbackLine, _ change: (inout CallbackLine) -> Void) -> [UInt8] {
    var copy = line
    change(&copy)
    return copy.bytes
  }

  private func chunks<Element>(_ elements: [Element], of size: Int) -> [[Element]] {
    stride(from: 0, to: elements.count, by: size).map { Array(elements[$0..<min($0 + size, elements.count)]) }
  }
}
