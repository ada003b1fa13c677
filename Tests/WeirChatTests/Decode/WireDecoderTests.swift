import ChatFixtures
import Foundation
import Testing

@testable import WeirChat

@Suite("Decoding the wire's JSON")
struct WireDecoderTests {
  private let decoder = OpenIMWireDecoder(account: ChatScript.account)

  @Test("every field of the wire, whichever way the content is written", arguments: WireLine.Rendition.allCases)
  func fields(rendition: WireLine.Rendition) throws {
    var line = WireLine()
    line.rendition = rendition
    line.isRead = true
    line.more = [#""attachedInfo":"{\"isPrivateChat\":false}""#]
    let message = try message(line.bytes)
    #expect(message.key.conversationID == WireLine.conversation)
    #expect(message.key.clientMsgID == line.clientMsgID)
    #expect(message.content == .text("hello"))
    #expect(message.body == .element(Array(line.content.utf8)))
    #expect(message.contentType == 101 && message.evidence == .sent && message.marks == .read)
    var envelope = Envelope()
    envelope.seq = 41
    envelope.sendTime = 1_718_000_000_123
    envelope.serverMsgID = line.serverMsgID
    envelope.createTime = 1_718_000_000_001
    envelope.senderID = "8842110937"
    envelope.receiverID = ChatScript.account
    envelope.platformID = 2
    envelope.origin = 100
    envelope.senderNickname = "林小雨"
    envelope.senderFaceURL = "https://x/a.png"
    envelope.ex = "app"
    envelope.attachedInfo = #"{"isPrivateChat":false}"#
    #expect(message.envelope == envelope)
  }

  @Test("a wire message and its callback are one message, field by field")
  func sameAsCallback() throws {
    var wire = WireLine()
    wire.more = [#""senderFaceURL":"https://files.example.org/openim/avatar/8842110937.png","ex":"""#]
    var callback = CallbackLine()
    callback.element = ("textElem", wire.content)
    let fromCallback = try OpenIMCallbackDecoder(account: ChatScript.account).decode(callback.bytes)
    #expect(try decoder.decode(wire.bytes) == fromCallback)
  }

  @Test("64-bit numbers may stand in quotes, others may not")
  func quotedNumbers() throws {
    var line = WireLine()
    line.more = [#""seq":"9007199254740993","sendTime":"1718000000999""#]
    let message = try message(line.bytes)
    #expect(message.envelope.seq == 9_007_199_254_740_993 && message.envelope.sendTime == 1_718_000_000_999)
    for wrong in [
      #""seq":"4x""#, #""seq":"""#, #""seq":"1 2""#, #""seq":"99999999999999999999""#, #""contentType":"101""#,
    ] {
      line.more = [wrong]
      let error = #expect(throws: DecodeError.self) { try decoder.decode(line.bytes) }
      #expect(error?.code == "decode.invalid-field")
    }
  }

  @Test("base64 of either alphabet, padded or not; what is neither base64 nor JSON keeps the line")
  func contents() throws {
    var line = WireLine()
    line.rendition = .text
    let content = #"{"content":"??>>ÿÿ"}"#
    let standard = Data(content.utf8).base64EncodedString()
    let url = standard.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    for text in [standard, url, standard.replacingOccurrences(of: "=", with: "")] {
      line.content = text
      #expect(try message(line.bytes).content == .text("??>>ÿÿ"))
    }
    for text in ["", "hello", "a", "e30=x", "=", "e3s", "null", "[1]"] {
      line.content = text
      let message = try message(line.bytes)
      #expect(message.content == .placeholder(contentType: 101))
      #expect(message.body == .line(line.bytes))
    }
  }

  @Test("base64 gives back what was encoded, for every length")
  func base64() {
    var random = SeededRandom(3)
    for length in 0..<70 {
      let bytes = (0..<length).map { _ in UInt8(random.below(256)) }
      #expect(Base64.decode(Array(Data(bytes).base64EncodedString().utf8)) == bytes)
    }
  }

  @Test(
    "options: an absent key is true; each one off has its own effect",
    arguments: [
      ([], []), ([("history", true), ("unknown", false)], []), ([("unreadCount", false)], .uncounted),
      ([("conversationUpdate", false)], .unlisted),
      ([("unreadCount", false), ("conversationUpdate", false)], [.uncounted, .unlisted, .quiet]),
      ([("offlinePush", false), ("senderSync", false), ("persistent", false)], []),
    ] as [([(String, Bool)], MessageMarks)])
  func options(options: [(String, Bool)], marks: MessageMarks) throws {
    var line = WireLine()
    line.options = options
    #expect(try message(line.bytes).marks == marks)
  }

  @Test("null options are no options, and a null option is an absent one")
  func nullOptions() throws {
    var line = WireLine()
    line.more = [#""options":null"#]
    #expect(try message(line.bytes).marks == [])
    line.more = [#""options":{"history":null,"notPrivate":null,"isNotNotification":null}"#]
    #expect(try message(line.bytes).marks == [])
    #expect(try message(line.bytes).key.conversationID == WireLine.conversation)
  }

  @Test("D10: history off is one transient event, whatever the other options leave out")
  func transient() throws {
    var line = WireLine()
    line.options = [("history", false)]
    line.seq = 0
    guard case .onlineOnly(let message) = try decoder.decode(line.bytes) else {
      Issue.record("not online-only")
      return
    }
    #expect(message.content == .text("hello"))
    #expect(try decoder.decode(line.bytes).facts.isEmpty)
    // Own ones come back to other devices, and are kept there as little.
    (line.sendID, line.recvID) = (line.recvID, line.sendID)
    guard case .onlineOnly = try decoder.decode(line.bytes) else {
      Issue.record("not online-only")
      return
    }
  }

  @Test("open-im-server 2081: an online-only message gives nothing to list, latest, unread or history, in any shape")
  func onlineOnlyShapes() throws {
    var wire = WireLine()
    wire.seq = 0
    wire.options = [
      "history", "persistent", "unreadCount", "conversationUpdate", "senderConversationUpdate", "senderSync",
      "offlinePush",
    ].map { ($0, false) }
    var callback = CallbackLine()
    callback.seq = 0
    let callbacks = OpenIMCallbackDecoder(account: ChatScript.account)
    var withSeq = CallbackLine()
    withSeq.seq = 12
    let all = [
      try decoder.decode(wire.bytes), try decoder.decode(WireLine.push([(WireLine.conversation, [wire])])),
      try callbacks.decode(callback.bytes), try callbacks.decode(withSeq.bytes, as: .onlineOnlyMessage),
    ]
    for decoded in all {
      guard case .onlineOnly = decoded else {
        Issue.record("\(decoded) is not online-only")
        continue
      }
      #expect(decoded.facts.isEmpty)
    }
  }

  @Test("D12: notPrivate off and no attached information sets the private flag; so does the information alone")
  func privateFlag() throws {
    var line = WireLine()
    line.options = [("notPrivate", false)]
    for attached in ["", #""attachedInfo":"""#, #""attachedInfo":"null""#, #""attachedInfo":null"#] {
      line.more = attached.isEmpty ? [] : [attached]
      #expect(try message(line.bytes).marks == .isPrivate)
      #expect(try message(line.bytes).envelope.attachedInfo == "")
    }
    line.options = []
    line.more = [#""attachedInfo":"{\"isPrivateChat\":true,\"burnDuration\":30}""#]
    #expect(try message(line.bytes).marks == .isPrivate)
    #expect(try message(line.bytes).envelope.attached.burnDuration == 30)
    line.more = [#""attachedInfo":"{broken""#]
    #expect(try message(line.bytes).marks == [])
  }

  @Test("D14: a message that burns goes its seconds after it was read, counted in milliseconds")
  func burning() throws {
    var line = WireLine()
    line.more = [
      #""attachedInfo":"{\"isPrivateChat\":true,\"burnDuration\":30,\"hasReadTime\":1718000100000}","isRead":true"#
    ]
    let facts = try decoder.decode(line.bytes).facts
    guard case .message(let message)? = facts.first, case .read(let read)? = facts.last, facts.count == 2 else {
      Issue.record("\(facts)")
      return
    }
    #expect(message.marks == [.read, .isPrivate])
    #expect(read.time == 1_718_000_100_000 && read.readerID == ChatScript.account)
    #expect(read.messages == [.clientMsgID(line.clientMsgID)])
    #expect(message.envelope.burnTime(readAt: read.time, conversation: 5) == 1_718_000_130_000)
    #expect(message.envelope.burnTime(readAt: 0, conversation: 5) == nil)
    var plain = message.envelope
    plain.attachedInfo = ""
    #expect(plain.burnTime(readAt: read.time, conversation: 5) == 1_718_000_105_000)
    #expect(plain.burnTime(readAt: .max - 1, conversation: .max) == .max)
    // An own message was read by its receiver.
    (line.sendID, line.recvID) = (line.recvID, line.sendID)
    guard case .read(let peer)? = try decoder.decode(line.bytes).facts.last else { return }
    #expect(peer.readerID == "8842110937")
  }

  @Test("members of a group who have read are facts, each")
  func groupReaders() throws {
    var line = WireLine()
    (line.sessionType, line.groupID, line.sendID) = (3, "9", ChatScript.account)
    line.more = [
      #""attachedInfo":"{\"groupHasReadInfo\":{\"hasReadUserIDList\":[\"a\",\"b\"],\"hasReadCount\":5,\"groupMemberCount\":9}}""#
    ]
    let facts = try decoder.decode(line.bytes).facts
    let readers = facts.compactMap { if case .read(let read) = $0 { read.readerID } else { nil } }
    #expect(readers == ["a", "b"])
    guard case .message(let message)? = facts.first else { return }
    #expect(message.envelope.attached.readCount == 5)
  }

  @Test("status 4 without an id closes its seq, also without a content number; with an id it is deleted for me")
  func closedSeqs() throws {
    var line = WireLine()
    line.clientMsgID = ""
    line.status = 4
    let closed = SeqFact(account: ChatScript.account, conversationID: WireLine.conversation, closed: [41...41])
    #expect(try decoder.decode(line.bytes) == .facts([.seqs(closed)]))
    let bare = Array(#"{"seq":5,"status":4}"#.utf8)
    #expect(
      try decoder.decode(bare, conversationID: "sg_9").facts
        == [.seqs(SeqFact(account: ChatScript.account, conversationID: "sg_9", closed: [5...5]))])
    line.clientMsgID = "m"
    line.content = ""
    let message = try message(line.bytes)
    #expect(message.marks == .deletedForSelf && message.body == .absent)
  }

  @Test("the key of the outer object is the conversation; without one it is derived, twins included")
  func conversations() throws {
    var line = WireLine()
    #expect(try message(WireLine.push([("sg_77", [line])])).key.conversationID == "sg_77")
    line.options = [("isNotNotification", false)]
    #expect(
      try message(line.bytes).key.conversationID == "n_\(ChatScript.account)_8842110937")
    line.sessionType = 4
    #expect(
      try message(line.bytes).key.conversationID == "n_\(ChatScript.account)_8842110937")
    (line.sessionType, line.groupID) = (3, "77")
    #expect(try message(line.bytes).key.conversationID == "n_77")
    line.sessionType = 2
    #expect(try message(line.bytes).key.conversationID == "n_77")
    line.options = []
    #expect(try message(line.bytes).key.conversationID == "g_77")
    (line.sessionType, line.sendID, line.recvID) = (1, "me", "me")
    #expect(try message(line.bytes).key.conversationID == "si_me_me")
    line.sessionType = 9
    #expect(throws: DecodeError.unknownSessionType(9)) { try decoder.decode(line.bytes) }
    // Where it stands is known, so its kind does not matter.
    #expect(try message(WireLine.push([("sg_77", [line])])).key.conversationID == "sg_77")
  }

  private func message(_ payload: [UInt8]) throws -> ChatMessage {
    let messages = try decoder.decode(payload).facts.compactMap { fact in
      if case .message(let message) = fact { message } else { nil }
    }
    return try #require(messages.count == 1 ? messages.first : nil)
  }
}
