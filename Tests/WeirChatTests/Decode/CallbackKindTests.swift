import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Callbacks by kind")
struct CallbackKindTests {
  private let me = ChatScript.account
  private let decoder = OpenIMCallbackDecoder(account: ChatScript.account)

  @Test(
    "read receipts: an array, each entry a fact in the conversation it names",
    arguments: [.any, .readReceipts] as [CallbackKind])
  func receipts(kind: CallbackKind) throws {
    let json =
      #"[{"groupID":"","userID":"bob","msgIDList":["m1","m2",""],"readTime":1718000100000,"msgFrom":0,"contentType":0,"sessionType":1},"#
      + #"{"groupID":"9","userID":"eve","msgIDList":["m3"],"readTime":1718000100,"sessionType":3},"#
      + #"{"userID":"eve","msgIDList":[],"sessionType":1},{"userID":"","msgIDList":["x"]},{"userID":"a","msgIDList":["x"],"sessionType":8}]"#
    let parts = try decoder.decode(Array(json.utf8), as: kind).parts
    let single = ReadFact(
      account: me, conversationID: "si_\(me)_bob", readerID: "bob",
      messages: [.clientMsgID("m1"), .clientMsgID("m2")], time: 1_718_000_100_000)
    let group = ReadFact(
      account: me, conversationID: "sg_9", readerID: "eve", messages: [.clientMsgID("m3")], time: 1_718_000_100_000)
    #expect(
      parts == [
        .facts([.read(single)]), .facts([.read(group)]), .ignored(.emptyList), .refused(.missingField("userID")),
        .refused(.unknownSessionType(8)),
      ])
  }

  @Test("a deleted message is the whole message, and deleted for me; without an id it is nothing")
  func deleted() throws {
    var line = CallbackLine()
    guard case .message(let message) = try decoder.decode(line.bytes, as: .deleted) else {
      Issue.record("not a message")
      return
    }
    #expect(message.marks == .deletedForSelf && message.content == .text("晚上七点在老地方见，带上伞 ☔️"))
    line.seq = 0
    guard case .message = try decoder.decode(line.bytes, as: .deleted) else {
      Issue.record("a deleted message needs no seq")
      return
    }
    line.clientMsgID = ""
    #expect(try decoder.decode(line.bytes, as: .deleted) == .ignored(.emptyClientMsgID))
  }

  @Test("the recall and typing callbacks, said by kind")
  func recallAndTyping() throws {
    let line = CallbackLine.group("x", id: "m", seq: 3)
    let recall = Array(line.recallCallback(by: "bob", at: 5).utf8)
    #expect(try decoder.decode(recall, as: .recalled) == decoder.decode(recall))
    // Go leaves out an empty revoker.
    guard case .recall(let unnamed) = try decoder.decode(Array(#"{"clientMsgID":"m"}"#.utf8), as: .recalled) else {
      return
    }
    #expect(unnamed.target == .anywhere(nil, senderID: "") && unnamed.record == RecallRecord())
    let typing = Array(#"{"conversationID":"sg_9","userID":"bob","platformIDs":[1,5]}"#.utf8)
    #expect(
      try decoder.decode(typing, as: .typing)
        == .typing(
          TypingEvent(account: me, conversationID: "sg_9", userID: "bob", platformID: 0, isTyping: true)))
    for missing in ["{}", #"{"conversationID":"c"}"#, #"{"conversationID":"c","userID":"u"}"#] {
      #expect(throws: DecodeError.self) { try decoder.decode(Array(missing.utf8), as: .typing) }
    }
  }

  @Test("conversations: properties, draft, seqs and the latest message, which is JSON in a text")
  func conversations() throws {
    var latest = CallbackLine.group("news", id: "m", seq: 40)
    latest.sendTime = 1_718_000_040_000
    let json =
      #"[{"conversationID":"sg_3027148891","conversationType":3,"userID":"","groupID":"3027148891","showName":"Team","faceURL":"f","recvMsgOpt":2,"unreadCount":3,"groupAtType":0,"latestMsg":"#
      + CallbackLine.quoted(latest.text)
      + #","latestMsgSendTime":1718000040000,"draftText":"hel","draftTextTime":1718000050000,"isPinned":true,"isPrivateChat":false,"burnDuration":30,"isNotInGroup":false,"updateUnreadCountTime":7,"attachedInfo":"null","ex":"e","maxSeq":40,"minSeq":2,"msgDestructTime":0,"isMsgDestruct":false}]"#
    let facts = try decoder.decode(Array(json.utf8), as: .conversations, receivedAt: 1_718_000_099_000).facts
    let id = "sg_3027148891"
    #expect(
      facts.prefix(3) == [
        .conversation(
          ConversationFact(
            account: me, conversationID: id, revision: 1_718_000_099_000,
            properties: [
              .showName("Team"), .faceURL("f"), .receiveOption(.quiet), .isPinned(true), .isPrivate(false),
              .burnDuration(30), .isNotInGroup(false), .attachedInfo(""), .ex("e"),
            ])),
        .conversation(
          ConversationFact(
            account: me, conversationID: id, revision: 1_718_000_050_000,
            properties: [.draft("hel", time: 1_718_000_050_000)])),
        .seqs(SeqFact(account: me, conversationID: id, serverMaxSeq: 40, serverMinSeq: 2)),
      ])
    guard case .message(let message)? = facts.last, facts.count == 4 else {
      Issue.record("\(facts)")
      return
    }
    #expect(message.key.clientMsgID == "m" && message.key.conversationID == id)
    // Without a time of arrival the newest time in it orders the properties.
    guard case .conversation(let undated)? = try decoder.decode(Array(json.utf8)).facts.first else { return }
    #expect(undated.revision == 1_718_000_050_000)
  }

  @Test(
    "a latest message that is empty or broken costs the conversation nothing; a repeated property counts once",
    arguments: [(#""""#, nil), ("null", nil), (#""{""#, "json.unexpected-end"), (#""{}""#, "decode.missing-field")]
      as [(String, String?)])
  func latest(text: String, code: String?) throws {
    let json = #"[{"conversationID":"c","showName":"a","latestMsg":\#(text),"showName":"b"}]"#
    let parts = try decoder.decode(Array(json.utf8)).parts
    let fact = ConversationFact(account: me, conversationID: "c", revision: 0, properties: [.showName("b")])
    #expect(parts.flatMap(\.facts) == [.conversation(fact)])
    let codes = parts.compactMap { if case .refused(let error) = $0 { error.code } else { nil } }
    #expect(codes == (code.map { [$0] } ?? []))
  }

  @Test("a latest message that only this device has is kept, and raises no event of its own")
  func localLatest() throws {
    var latest = CallbackLine()
    latest.seq = 0
    let json = #"[{"conversationID":"c","latestMsg":\#(CallbackLine.quoted(latest.text))}]"#
    guard case .message(let message)? = try decoder.decode(Array(json.utf8)).fact else {
      Issue.record("no message")
      return
    }
    #expect(message.key.conversationID == "c")
  }

  @Test("lists of nothing are ignored where the kind is said, and unknown entries are refused")
  func emptyLists() throws {
    #expect(try decoder.decode(Array("[]".utf8), as: .conversations) == .ignored(.emptyList))
    #expect(try decoder.decode(Array("[]".utf8), as: .readReceipts) == .ignored(.emptyList))
    #expect(throws: DecodeError.missingField("conversationID")) {
      try decoder.decode(Array("[{}]".utf8), as: .conversations)
    }
    #expect(throws: DecodeError.unknownShape("an array")) { try decoder.decode(Array("[{}]".utf8)) }
    #expect(throws: DecodeError.self) { try decoder.decode(Array("{}".utf8), as: .readReceipts) }
  }

  @Test("a business message is whatever it is")
  func business() throws {
    let bytes = Array("not JSON \u{0}".utf8) + [0xFF]
    let event = NoticeEvent(account: me, contentType: 2_001, subject: .business, time: 9, detail: bytes)
    #expect(try decoder.decode(bytes, as: .business, receivedAt: 9) == .notice(event))
  }

  @Test("a row of a client database is read as a message")
  func row() throws {
    let row =
      #"{"clientMsgID":"m","serverMsgID":"s","createTime":1,"sendTime":2,"sessionType":3,"sendID":"bob","recvID":"9","groupID":"9","contentType":101,"content":"{\"content\":\"hi\"}","senderFaceURL":"f","seq":4,"status":2,"isRead":false,"attachedInfo":"null","ex":"","localEx":""}"#
    guard case .message(let message) = try decoder.decode(Array(row.utf8)) else {
      Issue.record("not a message")
      return
    }
    #expect(message.content == .text("hi") && message.envelope.senderFaceURL == "f")
    #expect(message.envelope.receiverID == "9" && message.envelope.attachedInfo.isEmpty)
  }

  @Test(
    "an own message that the server has not answered for carries no evidence, and its status is that of an attempt",
    arguments: [(1, SendFact.Step.sending), (3, .failed), (2, nil), (0, nil)] as [(Int, SendFact.Step?)])
  func ownPending(status: Int, step: SendFact.Step?) throws {
    var line = CallbackLine()
    (line.sendID, line.recvID, line.seq, line.serverMsgID, line.status) = (line.recvID, line.sendID, 0, "", status)
    let facts = try decoder.decode(line.bytes).facts
    guard case .message(let message)? = facts.first else {
      Issue.record("no message")
      return
    }
    #expect(message.evidence == .none)
    let attempts = facts.compactMap { if case .send(let send) = $0 { send.event } else { nil } }
    #expect(attempts == (step.map { [.attempt(number: 1, step: $0)] } ?? []))
    line.serverMsgID = "s"
    guard case .message(let answered) = try decoder.decode(line.bytes) else { return }
    #expect(answered.evidence == .sent)
  }
}
