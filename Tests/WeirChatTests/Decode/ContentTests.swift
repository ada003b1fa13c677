import ChatFixtures
import Testing

@testable import WeirChat

@Suite("Contents")
struct ContentTests {
  typealias Content = MessageContent

  /// One of each row of the table of contents: number, element, JSON, content, preview.
  static let table: [(Int, String, String, MessageContent, String)] = [
    (101, "textElem", #"{"content":"hi"}"#, .text("hi"), "hi"),
    (
      102, "pictureElem",
      #"{"sourcePath":"/p","sourcePicture":{"uuid":"u","type":"jpeg","size":9,"width":8,"height":7,"url":"s"},"bigPicture":null,"snapshotPicture":{"url":"t"}}"#,
      .picture(.init(source: .init(url: "s", type: "jpeg", size: 9, width: 8, height: 7), snapshot: .init(url: "t"))),
      "[Picture]"
    ),
    (
      103, "soundElem",
      #"{"uuid":"u","soundPath":"/p","sourceUrl":"a.amr","dataSize":4096,"duration":7,"soundType":"amr"}"#,
      .sound(.init(url: "a.amr", type: "amr", size: 4_096, duration: 7)), "[Voice]"
    ),
    (
      104, "videoElem",
      #"{"videoPath":"/p","videoUUID":"u","videoUrl":"v.mp4","videoType":"mp4","videoSize":5,"duration":12,"snapshotPath":"/s","snapshotUUID":"w","snapshotSize":3,"snapshotUrl":"s.png","snapshotWidth":2,"snapshotHeight":1,"snapshotType":"png"}"#,
      .video(
        .init(
          url: "v.mp4", type: "mp4", size: 5, duration: 12,
          snapshot: .init(url: "s.png", type: "png", size: 3, width: 2, height: 1))), "[Video]"
    ),
    (
      105, "fileElem",
      #"{"filePath":"/p","uuid":"u","sourceUrl":"f","fileName":"plan.pdf","fileSize":1024,"fileType":"pdf"}"#,
      .file(.init(url: "f", name: "plan.pdf", type: "pdf", size: 1_024)), "[File] plan.pdf"
    ),
    (
      106, "atTextElem",
      #"{"text":"@me","atUserList":["7315502264"],"atUsersInfo":[{"atUserID":"7315502264","groupNickname":"Me"}],"quoteMessage":{"clientMsgID":"q","sendID":"bob","contentType":118,"markdownTextElem":{"content":"*x*"}},"isAtSelf":false}"#,
      .mention(
        .init(
          text: "@me", userIDs: ["7315502264"], mentionsMe: true, users: [.init(userID: "7315502264", nickname: "Me")],
          quoted: .init(clientMsgID: "q", senderID: "bob", contentType: 118, content: .markdown("*x*")))), "@me"
    ),
    (
      107, "mergeElem",
      #"{"title":"Chat of A","abstractList":["a: 1","b: 2"],"multiMessage":[{"clientMsgID":"1","sendID":"a","senderNickname":"A","senderFaceUrl":"f","sendTime":5,"seq":6,"contentType":101,"textElem":{"content":"1"}},null],"messageEntityList":null}"#,
      .merged(
        .init(
          title: "Chat of A", abstracts: ["a: 1", "b: 2"],
          messages: [
            .init(
              clientMsgID: "1", senderID: "a", senderNickname: "A", senderFaceURL: "f", sendTime: 5, seq: 6,
              contentType: 101, content: .text("1")),
            .init(clientMsgID: "", senderID: "", contentType: 0, content: .placeholder(contentType: 0)),
          ])), "[Chat history] Chat of A"
    ),
    (
      108, "cardElem", #"{"userID":"u","nickname":"n","faceURL":"f","ex":"e"}"#,
      .card(.init(userID: "u", nickname: "n", faceURL: "f", ex: "e")), "[Card] n"
    ),
    (
      109, "locationElem", #"{"description":"harbour","longitude":9.99,"latitude":-5.355e1}"#,
      .location(.init(description: "harbour", longitude: 9.99, latitude: -53.55)), "[Location] harbour"
    ),
    (
      110, "customElem", #"{"data":"d","description":"words","extension":"x"}"#,
      .custom(.init(data: "d", description: "words", extension: "x")), "words"
    ),
    (119, "customElem", #"{"data":"d"}"#, .custom(.init(data: "d")), "[Custom]"),
    (
      114, "quoteElem",
      #"{"text":"yes","quoteMessage":{"clientMsgID":"q","sendID":"bob","contentType":101,"textElem":{"content":"?"}},"messageEntityList":[{"type":"b","offset":0,"length":3,"url":"u","ex":"e"}]}"#,
      .quote(
        .init(
          text: "yes", quoted: .init(clientMsgID: "q", senderID: "bob", contentType: 101, content: .text("?")),
          entities: [.init(type: "b", offset: 0, length: 3, url: "u", ex: "e")])), "yes"
    ),
    (115, "faceElem", #"{"index":3,"data":"x"}"#, .face(.init(index: 3, data: "x")), "[Sticker]"),
    (
      117, "advancedTextElem", #"{"text":"bold","messageEntityList":[{"type":"b","offset":0,"length":4}]}"#,
      .richText(.init("bold", entities: [.init(type: "b", offset: 0, length: 4)])), "bold"
    ),
    (118, "markdownTextElem", ##"{"content":"# T"}"##, .markdown("# T"), "# T"),
    (
      1509, "notificationElem", #"{"detail":"{\"group\":{\"groupID\":\"9\"}}"}"#,
      .notification(.init(contentType: 1_509, detail: #"{"group":{"groupID":"9"}}"#)), "[Notice]"
    ),
    (1400, "notificationElem", #"{"detail":"{}"}"#, .notification(.init(contentType: 1_400, detail: "{}")), "[Notice]"),
  ]

  @Test(
    "every row of the table of contents is expanded, from a callback, a wire message and a web-hook alike",
    arguments: 0..<17)
  func rows(index: Int) throws {
    let (number, key, json, content, preview) = Self.table[index]
    var callback = CallbackLine()
    (callback.contentType, callback.element) = (number, (key, json))
    var copies = [try message(OpenIMCallbackDecoder(account: ChatScript.account).decode(callback.bytes))]
    for rendition in WireLine.Rendition.allCases {
      var wire = WireLine()
      (wire.contentType, wire.content, wire.rendition) = (number, json, rendition)
      copies.append(try message(OpenIMWireDecoder(account: ChatScript.account).decode(wire.bytes)))
      copies.append(try message(OpenIMWebhookDecoder(account: ChatScript.account).decode(wire.bytes)))
    }
    for copy in copies {
      #expect(copy.content == content)
      #expect(copy.body == .element(Array(json.utf8)))
      #expect(copy.contentType == Int32(number))
      #expect(copy.content.preview == preview)
    }
  }

  @Test("every content that is written as an element is read back the same", arguments: 0..<17)
  func encoded(index: Int) throws {
    let (number, _, _, content, _) = Self.table[index]
    let (contentType, body) = ElementEncoder.encode(content, contentType: Int32(number))
    #expect(contentType == Int32(number))
    let upgrade = ContentUpgrade(account: ChatScript.account)
    #expect(upgrade.content(of: body, contentType: contentType, senderID: "8842110937") == content)
  }

  @Test("content 120 is online-only")
  func onlineOnly() throws {
    var line = CallbackLine()
    (line.contentType, line.element) = (120, ("customElem", #"{"data":"ping"}"#))
    guard case .onlineOnly(let message) = try OpenIMCallbackDecoder(account: "a").decode(line.bytes) else {
      Issue.record("not online-only")
      return
    }
    #expect(message.content == .custom(.init(data: "ping")))
  }

  @Test("a recalled quote with the keys of the wire says that it was recalled, and the answer stays")
  func recalledQuote() throws {
    let quoted =
      #"{"sendID":"bob","recvID":"me","clientMsgID":"q","senderFaceURL":"f","contentType":2101,"content":"eyJkZXRhaWwiOiJ7fSJ9","seq":"9","options":{}}"#
    var line = CallbackLine()
    (line.contentType, line.element) = (114, ("quoteElem", #"{"text":"so?","quoteMessage":\#(quoted)}"#))
    let message = try message(OpenIMCallbackDecoder(account: ChatScript.account).decode(line.bytes))
    guard case .quote(let quote) = message.content else {
      Issue.record("not a quote")
      return
    }
    #expect(quote.isRecalled && quote.clientMsgID == "q" && quote.senderID == "bob" && quote.text == "so?")
    #expect(quote.quoted == nil)
  }

  @Test("a quoted message that cannot be read does not cost the answer")
  func brokenQuote() throws {
    var line = CallbackLine()
    (line.contentType, line.element) = (114, ("quoteElem", #"{"text":"so?","quoteMessage":{"seq":[]}}"#))
    let message = try message(OpenIMCallbackDecoder(account: ChatScript.account).decode(line.bytes))
    #expect(message.content == .quote(.init(text: "so?", clientMsgID: "", senderID: "", contentType: 0)))
  }

  @Test("messages merged into one another are expanded to a depth, below which placeholders stand")
  func nestedMerges() throws {
    var json = #"{"title":"0"}"#
    for level in 1..<20 {
      json = #"{"title":"\#(level)","multiMessage":[{"contentType":107,"mergeElem":\#(json)}]}"#
    }
    var line = CallbackLine()
    (line.contentType, line.element) = (107, ("mergeElem", json))
    let message = try message(OpenIMCallbackDecoder(account: ChatScript.account).decode(line.bytes))
    var depth = 0
    var content = message.content
    while case .merged(let merged) = content, let inner = merged.messages.first {
      depth += 1
      content = inner.content
    }
    #expect(depth == ElementDecoder.depthLimit + 1)
    #expect(content == .placeholder(contentType: 107))
  }

  @Test(
    "an element of the wrong shape, or a list beyond the limit, keeps the line and shows a placeholder",
    arguments: [
      (103, "soundElem", #"{"duration":"7"}"#), (104, "videoElem", #"{"videoSize":1e30}"#), (105, "fileElem", "[]"),
      (107, "mergeElem", #"{"multiMessage":{}}"#), (108, "cardElem", #"{"userID":7}"#),
      (109, "locationElem", #"{"longitude":1e999}"#), (109, "locationElem", #"{"longitude":"9"}"#),
      (115, "faceElem", #"{"index":1.5}"#), (117, "advancedTextElem", #"{"messageEntityList":[[]]}"#),
      (106, "atTextElem", #"{"atUserList":[1]}"#), (1509, "notificationElem", #"{"detail":{}}"#),
      (
        117, "advancedTextElem",
        #"{"messageEntityList":[\#(Array(repeating: "{}", count: 10_001).joined(separator: ","))]}"#
      ),
    ])
  func broken(number: Int, key: String, json: String) throws {
    var line = CallbackLine()
    (line.contentType, line.element) = (number, (key, json))
    let message = try message(OpenIMCallbackDecoder(account: ChatScript.account).decode(line.bytes))
    #expect(message.content == .placeholder(contentType: Int32(number)))
    #expect(message.body == .line(line.bytes))
  }

  private func message(_ decoded: Decoded) throws -> ChatMessage {
    guard case .message(let message)? = decoded.facts.first else {
      throw DecodeError.unknownShape("no message: \(decoded)")
    }
    return message
  }
}
