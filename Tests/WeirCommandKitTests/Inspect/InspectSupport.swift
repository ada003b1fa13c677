import Foundation
import Testing
import WeirChat
import WeirStore

@testable import WeirCommandKit

/// A store as a replay leaves it, and then some: what the generator does not make is told to the store directly.
struct InspectedStore {
  static let account = GeneratorSettings.defaultAccount
  static let group = "sg_777"
  static let time: Int64 = 1_750_000_000_000
  let folder: TemporaryFolder

  init(_ folder: TemporaryFolder, facts: [Fact] = InspectedStore.facts) async throws {
    self.folder = folder
    try generate(
      GeneratorSettings(messages: 400, conversations: 6, duplicates: 0.05, reorder: 0.1, recalls: 0.05, seed: 31),
      to: "in", in: folder)
    try #require(try Shell.run("weir replay in --store s --no-hints", in: folder).code == 0)
    let store = try await SQLiteMessageStore.open(path: folder.file("s"), account: Self.account)
    _ = try await store.apply(facts)
    #expect(try await store.audit().value == [])
    try await store.close()
  }

  static func message(
    _ id: String, seq: Int64, from sender: String = "peer", text: String = "hello", evidence: ServerEvidence = .sent
  ) -> Fact {
    var envelope = Envelope()
    envelope.seq = seq
    envelope.sendTime = seq > 0 ? time + seq * 1_000 : 0
    envelope.createTime = time + seq
    envelope.serverMsgID = seq > 0 ? "server-\(id)-\(seq)" : ""
    envelope.senderID = sender
    return .message(
      ChatMessage(
        key: MessageKey(account: account, conversationID: group, clientMsgID: id), envelope: envelope,
        evidence: evidence, content: .text(text)))
  }

  static func edit(_ target: MessageReference, version: Int64, text: String) -> Fact {
    .edit(
      EditFact(
        account: account, conversationID: group, target: target, version: version, time: time + version,
        editorID: "editor", contentType: 101, body: .element(Array("{\"content\":\"\(text)\"}".utf8))))
  }

  static func recall(_ id: String, seq: Int64 = 0, in target: WeirChat.RecallFact.Target = .conversation(group)) -> Fact
  {
    .recall(
      WeirChat.RecallFact(
        account: account, target: target, clientMsgID: id,
        record: RecallRecord(time: time + 900_000, revokerID: "boss", revokerRole: 100, isByAdmin: true, seq: seq)))
  }

  /// Seqs 1 to 9 of a group, of which 5 and 7 to 8 are missing and 10 to 12 only known to exist.
  static var facts: [Fact] {
    let (read, own) = (
      ReadFact(account: account, conversationID: group, readerID: account, upToSeq: 2, time: time + 50_000),
      ReadFact(account: account, conversationID: group, readerID: "peer", upToSeq: 6, time: time + 60_000)
    )
    return [
      message("edited", seq: 1), edit(.clientMsgID("edited"), version: 2, text: "better"),
      edit(.clientMsgID("edited"), version: 1, text: "worse"),
      message("recalled", seq: 2), recall("recalled", seq: 2),
      message("twin", seq: 3), message("twin", seq: 9), recall("", seq: 9),
      message("wide", seq: 4, text: "\u{1B}[31m红色\u{202E} 文字\u{7}"),
      message("deleted", seq: 6),
      .delete(DeleteFact(account: account, conversationID: group, targets: [.seq(6)], scope: .forAll)),
      message("mine", seq: 2_000, from: account), message("unsent", seq: 0, from: account, evidence: .none),
      .send(
        SendFact(
          account: account, conversationID: group, clientMsgID: "unsent", event: .attempt(number: 2, step: .failed))),
      .read(read), .read(own),
      .seqs(SeqFact(account: account, conversationID: group, closed: [10...1_990], serverMaxSeq: 2_003)),
      recall("early"), edit(.seq(1_995), version: 3, text: "later"),
      recall("nowhere", in: .anywhere(nil, senderID: "")),
      .read(
        ReadFact(
          account: account, conversationID: group, readerID: "peer", messages: [.clientMsgID("unseen")], time: time)),
      .conversation(
        ConversationFact(account: account, conversationID: group, revision: 1, properties: [.isPinned(true)])),
    ]
  }

  /// The answer as JSON, and nothing beside it.
  func json(_ options: String) throws -> [String: Any] {
    let result = try Shell.run("weir inspect s --json \(options)", in: folder)
    #expect(result.code == 0 && result.errors == "", "\(result.errors)")
    let objects = try result.objects()
    #expect(objects.count == 1 && objects.first?["type"] as? String == "inspect")
    return try #require(objects.first)
  }

  func text(_ options: String) throws -> String {
    let result = try Shell.run("weir inspect s \(options)", in: folder)
    #expect(result.code == 0 && result.errors == "", "\(result.errors)")
    return result.output
  }

  /// The one explanation of a message.
  func explanation(_ id: String) throws -> [String: Any] {
    let messages = try #require(try json("--message \(id)")["messages"] as? [[String: Any]])
    #expect(messages.count == 1)
    return try #require(messages.first)
  }
}
