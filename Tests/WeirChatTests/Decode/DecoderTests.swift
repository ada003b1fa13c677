import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Decoding OpenIM callbacks")
struct DecoderTests {
  private let decoder = OpenIMCallbackDecoder(account: ChatScript.account)

  @Test("a text message, field by field")
  func text() throws {
    let line = CallbackLine()
    let message = try message(line)
    #expect(message.key.account == "7315502264")
    #expect(message.key.conversationID == "si_7315502264_8842110937")
    #expect(message.key.clientMsgID == "0f3c1b2a4d5e6f708192a3b4c5d6e7f8")
    #expect(message.content == .text("晚上七点在老地方见，带上伞 ☔️"))
    #expect(message.body == .element(Array(line.element.json.utf8)))
    #expect(message.contentType == 101 && message.evidence == .sent && message.marks == [] && !message.isMine)
    var envelope = Envelope()
    envelope.seq = 41
    envelope.sendTime = 1_718_000_000_123
    envelope.serverMsgID = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
    envelope.createTime = 1_718_000_000_001
    envelope.senderID = "8842110937"
    envelope.receiverID = "7315502264"
    envelope.platformID = 2
    envelope.origin = 100
    envelope.senderNickname = "林小雨"
    envelope.senderFaceURL = "https://files.example.org/openim/avatar/8842110937.png"
    #expect(message.envelope == envelope)
  }

  @Test("both spellings of the sender's picture are read, and of a repeated key the last")
  func spellings() throws {
    var line = CallbackLine()
    line.senderFaceUrl = ""
    line.more = [#""senderFaceURL":"one""#]
    #expect(try message(line).envelope.senderFaceURL == "one")
    line.more += [#""senderFaceUrl":"two""#, #""\u0073eq":99"#]
    #expect(try message(line).envelope.senderFaceURL == "two")
    #expect(try message(line).envelope.seq == 99)
  }

  @Test(
    "contents are expanded",
    arguments: [
      (
        106, "atTextElem",
        #"{"text":"@林小雨 看一下","atUserList":["7315502264"],"atUsersInfo":[{"atUserID":"7315502264"}],"isAtSelf":false}"#,
        MessageContent.mention(
          .init(
            text: "@林小雨 看一下", userIDs: ["7315502264"], mentionsMe: true,
            users: [.init(userID: "7315502264", nickname: "")])), "@林小雨 看一下"
      ),
      (
        106, "atTextElem", #"{"text":"@all lunch","atUserList":["AtAllTag"],"isAtSelf":false}"#,
        .mention(.init(text: "@all lunch", userIDs: ["AtAllTag"], mentionsMe: true)), "@all lunch"
      ),
      (
        106, "atTextElem", #"{"text":"@bob","atUserList":["bob"],"isAtSelf":true}"#,
        .mention(.init(text: "@bob", userIDs: ["bob"], mentionsMe: false)), "@bob"
      ),
      (
        114, "quoteElem",
        #"{"text":"yes,\n  that one","quoteMessage":{"clientMsgID":"q1","sendID":"bob","contentType":101,"textElem":{"content":"this?"}}}"#,
        .quote(
          .init(
            text: "yes,\n  that one",
            quoted: .init(clientMsgID: "q1", senderID: "bob", contentType: 101, content: .text("this?")))),
        "yes, that one"
      ),
      (
        114, "quoteElem", #"{"text":"orphan","quoteMessage":null}"#,
        .quote(.init(text: "orphan", clientMsgID: "", senderID: "", contentType: 0)), "orphan"
      ),
      (
        110, "customElem", #"{"data":"{\"k\":1}","description":"红包","extension":"x"}"#,
        .custom(.init(data: #"{"k":1}"#, description: "红包", extension: "x")), "红包"
      ),
      (
        119, "customElem", #"{"data":"d"}"#, .custom(.init(data: "d", description: "", extension: "")), "[Custom]"
      ),
      (
        102, "pictureElem",
        #"{"sourcePath":"","sourcePicture":{"uuid":"u","type":"jpeg","size":90210,"width":800,"height":600,"url":"https://x/1.jpg"},"snapshotPicture":{"width":80,"height":60,"url":"https://x/s.jpg"}}"#,
        .picture(
          .init(
            source: .init(url: "https://x/1.jpg", type: "jpeg", size: 90_210, width: 800, height: 600), big: .init(),
            snapshot: .init(url: "https://x/s.jpg", width: 80, height: 60))), "[Picture]"
      ),
      (
        117, "advancedTextElem", #"{"text":"bold","messageEntityList":[{"type":"b","offset":0,"length":4}]}"#,
        .richText(.init("bold", entities: [.init(type: "b", offset: 0, length: 4)])), "bold"
      ),
      (118, "markdownTextElem", ##"{"content":"# Title\n\ntext"}"##, .markdown("# Title\n\ntext"), "# Title text"),
      (101, "textElem", "{}", .text(""), ""),
    ])
  func contents(type: Int, key: String, json: String, content: MessageContent, preview: String) throws {
    var line = CallbackLine()
    line.contentType = type
    line.element = (key, json)
    let message = try message(line)
    #expect(message.content == content)
    #expect(message.content.preview == preview)
    #expect(message.body == .element(Array(json.utf8)))
    #expect(message.marks == (type == 119 ? [.quiet] : []))
  }

  @Test(
    "what is not expanded keeps the whole line and shows a placeholder",
    arguments: [
      (9999, "futureElem", #"{"x":[1,2]}"#, "[Unsupported message]"),
      (101, "textElem", #"{"content":5}"#, "[Text]"), (101, "textElem", "\"text\"", "[Text]"),
      (101, "textElem", "null", "[Text]"), (101, "", "", "[Text]"), (101, "pictureElem", "{}", "[Text]"),
      (102, "pictureElem", #"{"sourcePicture":{"size":1.5}}"#, "[Picture]"),
    ])
  func placeholders(type: Int, key: String, json: String, preview: String) throws {
    var line = CallbackLine()
    line.contentType = type
    line.element = (key, json)
    let message = try message(line)
    #expect(message.content == .placeholder(contentType: Int32(type)))
    #expect(message.content.preview == preview)
    #expect(message.body == .line(line.bytes))
  }

  @Test("a preview is one line of at most 120 characters")
  func longPreview() {
    let content = MessageContent.text(" a\r\n\tb\u{0}c " + String(repeating: "x", count: 500))
    #expect(content.preview == "a b c " + String(repeating: "x", count: 114) + "…")
  }

  @Test(
    "conversation ids follow the session type and sort by bytes",
    arguments: [
      (1, "b", "a", "", "si_a_b"), (1, "a", "b", "", "si_a_b"), (1, "me", "me", "", "si_me_me"),
      (1, "Z", "a", "", "si_Z_a"), (1, "a_b", "a", "", "si_a_a_b"), (1, "ä", "z", "", "si_z_ä"),
      (2, "a", "", "77", "g_77"), (3, "a", "", "77", "sg_77"), (4, "sys", "a", "", "sn_a_sys"),
    ])
  func conversationIDs(session: Int, sender: String, receiver: String, group: String, id: String) throws {
    var line = CallbackLine()
    (line.sessionType, line.sendID, line.recvID, line.groupID) = (session, sender, receiver, group)
    #expect(try message(line).key.conversationID == id)
  }

  @Test(
    "status and read flag become evidence and marks",
    arguments: [
      (0, false, true, ServerEvidence.sent, MessageMarks()), (1, false, true, .sent, MessageMarks()),
      (3, false, true, .sent, MessageMarks()),
      (2, true, true, .read, .read), (2, true, false, .sent, .read), (4, false, false, .sent, .deletedForSelf),
      (5, false, false, .sent, .filtered), (6, false, false, .sent, MessageMarks()),
    ])
  func status(status: Int, isRead: Bool, isMine: Bool, evidence: ServerEvidence, marks: MessageMarks) throws {
    var line = CallbackLine()
    (line.status, line.isRead) = (status, isRead)
    if isMine { (line.sendID, line.recvID) = (line.recvID, line.sendID) }
    let message = try message(line)
    #expect(message.evidence == evidence)
    #expect(message.marks == marks)
    #expect(message.isMine == isMine)
  }

  @Test("a deleted copy without its element has no content, and needs none")
  func deletedCopy() throws {
    var line = CallbackLine()
    line.status = 4
    line.element = ("", "")
    #expect(try message(line).body == .absent)
  }

  @Test("attached information: the text, else the object, and the word null is none")
  func attachedInfo() throws {
    var line = CallbackLine()
    line.more = [#""attachedInfo":"null""#]
    #expect(try message(line).envelope.attachedInfo == "")
    line.more = [#""attachedInfo":"null","attachedInfoElem":{"isPrivateChat":true}"#]
    #expect(try message(line).envelope.attachedInfo == #"{"isPrivateChat":true}"#)
    line.more = [#""attachedInfo":"{\"a\":1}","attachedInfoElem":{"isPrivateChat":true},"ex":"app""#]
    #expect(try message(line).envelope.attachedInfo == #"{"a":1}"#)
    #expect(try message(line).envelope.ex == "app")
  }

  @Test("messages without an id are ignored; with status 4 they close their seq")
  func withoutID() throws {
    var line = CallbackLine()
    line.clientMsgID = ""
    #expect(try decoder.decode(line.bytes) == .ignored(.emptyClientMsgID))
    line.status = 4
    let closed = Decoded.facts([
      .seqs(
        SeqFact(account: ChatScript.account, conversationID: "si_7315502264_8842110937", closed: [41...41]))
    ])
    #expect(try decoder.decode(line.bytes) == closed)
    line.clientMsgID = "[SEQ_GAP_12]a8Bc01De"
    #expect(try decoder.decode(line.bytes) == closed)
    line.seq = 0
    #expect(try decoder.decode(line.bytes) == .ignored(.emptyClientMsgID))
  }

  @Test("what the server does not store is transient, unless it is one's own message on its way")
  func onlineOnly() throws {
    var line = CallbackLine()
    line.seq = 0
    guard case .onlineOnly(let message) = try decoder.decode(line.bytes) else {
      Issue.record("a foreign message without seq is online-only")
      return
    }
    #expect(message.content == .text("晚上七点在老地方见，带上伞 ☔️"))
    #expect(try decoder.decode(line.bytes).fact == nil)
    (line.sendID, line.recvID) = (line.recvID, line.sendID)
    #expect(try self.message(line).isMine)
    line.contentType = 120
    line.element = ("customElem", #"{"data":"ping"}"#)
    guard case .onlineOnly = try decoder.decode(line.bytes) else {
      Issue.record("content 120 is online-only")
      return
    }
  }

  @Test(
    "typing notices, as messages and as callbacks",
    arguments: [
      (#"{"msgTips":"yes"}"#, true), (#"{"msgTips":"no"}"#, false), (#"{"msgTips":"对方正在输入"}"#, true), ("{}", false),
    ])
  func typing(element: String, isTyping: Bool) throws {
    var line = CallbackLine()
    (line.contentType, line.element, line.seq) = (113, ("typingElem", element), 0)
    let expected = TypingEvent(
      account: ChatScript.account, conversationID: "si_7315502264_8842110937", userID: "8842110937", platformID: 2,
      isTyping: isTyping)
    #expect(try decoder.decode(line.bytes) == .typing(expected))
    (line.sendID, line.recvID) = (line.recvID, line.sendID)
    #expect(try decoder.decode(line.bytes) == .ignored(.ownTyping))
    let callback =
      #"{"conversationID":"si_7315502264_8842110937","userID":"8842110937","platformIDs":[\#(isTyping ? "2" : "")]}"#
    var fromCallback = expected
    fromCallback.platformID = isTyping ? 2 : 0
    #expect(try decoder.decode(Array(callback.utf8)) == .typing(fromCallback))
  }

  private func message(_ line: CallbackLine) throws -> ChatMessage {
    guard case .message(let message) = try decoder.decode(line.bytes) else {
      throw DecodeError.unknownShape("not a message: \(line.text)")
    }
    return message
  }
}
