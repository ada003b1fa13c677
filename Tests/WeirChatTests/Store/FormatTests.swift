import ChatFixtures
import Foundation
import Testing
import WeirStore

@testable import WeirChat

@Suite("Files of earlier formats")
struct FormatTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A file that the first version of the store wrote: 150 lines of the script of seed 7.
  private func firstFormat() throws -> String { try copy(of: "format-1.sqlite") }

  private func copy(of name: String) throws -> String {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures").appendingPathComponent(name)
    let path = directory.file("old.db")
    try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
    return path
  }

  @Test("a file of the first format keeps every message, number and revision, and goes on as a new one does")
  func firstFormatFile() async throws {
    let path = try firstFormat()
    let old = try Connection(path: path, options: ConnectionOptions(access: .readOnly))
    #expect(try old.prepare("PRAGMA user_version").firstInt64() == 1)
    let revision = try old.prepare("SELECT revision FROM meta").firstInt64()
    let unread = try old.prepare("SELECT unread_total FROM meta").firstInt64()
    var lines: [(key: String, unread: Int64, time: Int64, messages: Int64, recalled: Int64)] = []
    let select = try old.prepare(
      """
      SELECT key, unread, last_time,
      (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND marks & 6 = 0),
      (SELECT count(*) FROM messages m WHERE m.conversation = c.id AND marks & 22 = 16)
      FROM conversations c WHERE message_count > 0 ORDER BY last_time DESC, key
      """)
    while try select.step() {
      lines.append((select.string(0), select.int64(1), select.int64(2), select.int64(3), select.int64(4)))
    }
    old.close()
    #expect(lines.count > 5 && unread ?? 0 > 0)

    let store = try await openStore(path)
    #expect(try await store.audit().value == [])
    #expect(try await store.totals().revision == revision)
    #expect(try await store.totalUnread().value.known == Int(unread ?? -1))
    let listed = try await store.conversations().value
    #expect(listed.map(\.conversationID) == lines.map(\.key))
    #expect(listed.map { Int64($0.unread) } == lines.map(\.unread))
    #expect(listed.map(\.lastTime) == lines.map(\.time))
    for line in lines {
      let shown = try await store.messages(in: line.key, limit: 1_000).value
      #expect(Int64(shown.count) == line.messages)
      #expect(Int64(shown.count { $0.state == .recalled }) == line.recalled)
      // What is missing follows from the seqs of its messages.
      let seqs = Set(shown.map(\.envelope.seq))
      #expect(try await store.gaps(in: line.key).value.ranges.allSatisfy { gap in !seqs.contains { gap.contains($0) } })
    }
    let facts = try facts(ChatScript.lines(seed: 7, count: 150))
    #expect(try await store.apply(facts).inserted == 0)
    _ = try await store.apply([
      Make.edit(.clientMsgID("later"), version: 1, text: "edited"), Make.message("later", seq: 1, in: "sg_later"),
      Make.edit(.seq(1), version: 2, text: "edited", in: "sg_later"),
    ])
    #expect(try await store.messages(in: "sg_later").value.map(\.preview) == ["edited"])
    #expect(try await store.audit().value == [])
    try await store.close()
    // Once upgraded it opens as any other.
    let again = try await openStore(path)
    #expect(try await again.conversations().value.count == lines.count + 1)
    try await again.close()
  }

  @Test("a store that takes in the first format's rows one by one holds the same as one that was told the same facts")
  func sameContent() async throws {
    // The lines are decoded anew, so a body may be understood better now: only what the facts tell is compared.
    let store = try await openStore(try firstFormat())
    let facts = try facts(ChatScript.lines(seed: 7, count: 150))
    _ = try await store.apply(facts)
    try await expectAgreement(store, ModelStore(account: ChatScript.account, facts: facts))
    try await store.close()
  }

  @Test("a file of the first format gets an index as it is upgraded, and what is found is what is shown")
  func searched() async throws {
    let store = try await SQLiteMessageStore.open(
      path: try firstFormat(), account: ChatScript.account, options: .init(search: .on))
    try await store.finishSearchIndex()
    var shown: Set<String> = []
    for conversation in try await store.conversations(limit: 1_000).value {
      for message in try await store.messages(in: conversation.conversationID, limit: 1_000).value
      where message.preview.contains("收到") { shown.insert(message.key.clientMsgID) }
    }
    let page = try await store.search(SearchQuery("收到", limit: 1_000, tailLimit: 0)).value
    #expect(!shown.isEmpty && Set(page.hits.map(\.clientMsgID)) == shown && page.unsearched == 0)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test("an upgrade that is interrupted leaves the first format, and the next open finishes it")
  func interrupted() async throws {
    let path = try firstFormat()
    let connection = try Connection(path: path)
    try connection.execute(
      "PRAGMA max_page_count = \((try connection.prepare("PRAGMA page_count").firstInt64() ?? 0) + 1)")
    let error = #expect(throws: StoreError.self) { try ProjectionSchema.schema.prepare(connection, access: .create) }
    #expect(error?.kind == .diskFull)
    #expect(try connection.prepare("PRAGMA user_version").firstInt64() == 1)
    connection.close()
    let store = try await openStore(path)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  @Test("a file of the second or third format holds what it held, and goes on as a new one does", arguments: [2, 3])
  func laterFormatFile(format: Int64) async throws {
    // Written in transactions of 50 from the first 250 lines of the script of all facts, seed 7.
    let path = try copy(of: "format-\(format).sqlite")
    let old = try Connection(path: path, options: ConnectionOptions(access: .readOnly))
    #expect(try old.prepare("PRAGMA user_version").firstInt64() == format)
    // The third format left out what follows from other columns.
    #expect(
      (try old.prepare("SELECT count(*) FROM messages WHERE content_form > 2").firstInt64() == 0) == (format == 2))
    let revision = try old.prepare("SELECT revision FROM meta").firstInt64()
    old.close()
    let store = try await openStore(path)
    #expect(try await store.totals().revision == revision)
    #expect(try await store.audit().value == [])
    let told = try FactScript.facts(seed: 7, count: 250)
    let reference = try await openStore(directory.file("new.db"))
    _ = try await reference.apply(told)
    #expect(try await store.contentHash().value == reference.contentHash().value)
    #expect(try await store.apply(told).inserted == 0)
    #expect(try await store.totals().revision == revision)
    // What comes now changes old rows and adds new ones.
    let more = try FactScript.facts(seed: 7, count: 700)
    for start in stride(from: 0, to: more.count, by: 90) {
      let part = Array(more[start..<min(start + 90, more.count)])
      _ = try await store.apply(part)
      _ = try await reference.apply(part)
    }
    #expect(try await store.contentHash().value == reference.contentHash().value)
    #expect(try await store.audit().value == [])
    try await expectAgreement(store, ModelStore(account: ChatScript.account, facts: told + more))
    try await store.close()
    try await reference.close()
    // The tables are those of a new file.
    #expect(try schema(path) == schema(directory.file("new.db")))
  }

  private func schema(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, options: ConnectionOptions(access: .readOnly))
    let select = try connection.prepare(
      "SELECT name || ' ' || coalesce(sql, '') || ' ' || (SELECT user_version FROM pragma_user_version) FROM sqlite_schema ORDER BY name"
    )
    var lines: [String] = []
    while try select.step() { lines.append(select.string(0)) }
    return lines
  }

  @Test("a damaged row does not keep a file from being upgraded, and is still known to be damaged")
  func damagedRow() async throws {
    let path = try copy(of: "format-3.sqlite")
    let old = try Connection(path: path)
    let select = try old.prepare(
      """
      SELECT c.key, m.id, m.client_id, (SELECT count(*) FROM messages) FROM messages m
      JOIN conversations c ON c.id = m.conversation WHERE length(m.content) > 0 AND m.marks = 0 LIMIT 1
      """)
    #expect(try select.step())
    let (key, row, id, count) = (select.string(0), select.int64(1), StoredID(select, 2).string, select.int64(3))
    select.reset()
    try old.execute("UPDATE messages SET content = x'00' || content WHERE id = \(row)")
    old.close()
    let store = try await openStore(path)
    let error = await #expect(throws: StoreError.self) { try await store.message(id, in: key) }
    #expect(error?.kind == .corrupt)
    try await store.close()
    let fresh = try await openStore(directory.file("new.db"))
    let report = try await StoreSalvage.salvage(path, account: ChatScript.account, into: fresh)
    #expect(report.unreadableRows == 1)
    let saved = try await fresh.message(id, in: key).value
    #expect(saved == nil)
    #expect(count > 100)
    #expect(try await fresh.audit().value == [])
    try await fresh.close()
  }

  @Test(
    "a damaged file of an earlier format is salvaged as it is: what a broken page holds costs no other row",
    arguments: [2, 3])
  func salvaged(format: Int64) async throws {
    let path = try copy(of: "format-\(format).sqlite")
    let old = try Connection(path: path)
    let known = try old.prepare("SELECT count(*) FROM messages").firstInt64() ?? 0
    let size = try old.prepare("PRAGMA page_size").firstInt64() ?? 0
    let page =
      try old.prepare(
        "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 2"
      )
      .firstInt64() ?? 0
    old.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = Int((page - 1) * size)
    bytes.replaceSubrange(place..<(place + Int(size)), with: Data(repeating: 0, count: Int(size)))
    try bytes.write(to: URL(fileURLWithPath: path))
    let aside = try StoreSalvage.setAside(path)
    let fresh = try await openStore(path)
    let report = try await StoreSalvage.salvage(aside, account: ChatScript.account, into: fresh)
    let saved = try Connection(path: path, options: ConnectionOptions(access: .readOnly))
    let stored = try saved.prepare("SELECT count(*) FROM messages").firstInt64() ?? 0
    saved.close()
    #expect(report.unreadableRows > 0 && stored < known && stored > known / 2)
    #expect(try await fresh.audit().value == [])
    try await fresh.close()
  }

  @Test("what a row leaves out comes back, whatever its numbers and its content are")
  func packing() throws {
    let projection = try MemoryProjection()
    let contents = [
      "", "text", "{\"content\":\"\"}", "{\"content\":\"said\"}", "{\"content\":\"", "\"}", "{\"content\":\"}",
      "{\"content\":\"a\",\"x\":\"b\"}", "{ \"content\":\"a\"}",
    ]
    let numbers: [Int64] = [.min, -1, 0, 1, 127, Int64(Int32.max) + 1, 1_718_000_000_000, .max]
    var told: [ChatMessage] = []
    for content in contents {
      for sendTime in numbers {
        for createTime in numbers {
          var envelope = Envelope()
          envelope.seq = Int64(told.count % 5)
          (envelope.sendTime, envelope.createTime) = (sendTime, createTime)
          envelope.senderID = told.count % 3 == 0 ? Make.account : Make.peer
          told.append(
            ChatMessage(
              key: MessageKey(account: Make.account, conversationID: Make.group, clientMsgID: "m\(told.count)"),
              envelope: envelope, evidence: .sent, marks: [], contentType: 101,
              content: .placeholder(contentType: 101), body: .element(Array(content.utf8))))
        }
      }
    }
    _ = try projection.writer.apply(told.map { .message($0) })
    let conversation = try projection.writer.conversations.number(Make.group)
    for message in told {
      let id = StoredID(message.key.clientMsgID)
      let row = try projection.writer.messages.find(conversation: conversation, clientID: id)?.row
      #expect(try row?.state(projection.writer.strings) == MessageState(message))
    }
  }
}
