/// Writes a message's content: the element object that its content type calls for (receiving spec §1.5).
struct ElementEncoder: Sendable {
  private static let digits = Array("0123456789abcdef".utf8)
  private let cast: Cast
  private let phrasebook = Phrasebook()
  private var text: [UInt8] = []

  init(cast: Cast) {
    self.cast = cast
  }

  /// The content type's number.
  static func contentType(of draft: Draft) -> Int {
    switch draft.kind {
    case .text: 101
    case .picture: 102
    case .file: 105
    case .atText: 106
    case .custom: 110
    case .typing: 113
    case .quote: 114
    case .unknown: [125, 190, 777, 4_040, 90_001][draft.number % 5]
    }
  }

  /// Writes the element as a member of the open object; `quoted` is the quoted message as JSON, if there is one.
  mutating func write(
    _ draft: Draft, quoting quoted: [UInt8]?, using random: inout SeededRandom, to writer: inout JSONWriter
  ) {
    switch draft.kind {
    case .text:
      object("textElem", &writer) { sentence("content", &random, &$0) }
    case .atText:
      object("atTextElem", &writer) { writeMention(draft, &random, &$0) }
    case .quote:
      object("quoteElem", &writer) { writer in
        sentence("text", &random, &writer)
        guard let quoted else { return }
        writer.key("quoteMessage")
        writer.verbatim(quoted)
      }
    case .custom:
      object("customElem", &writer) { writer in
        var data = JSONWriter()
        data.beginObject()
        data.field("kind", ["order", "poll", "location-request", "sticker"][random.below(4)])
        data.field("number", random.below(1_000_000))
        sentence("note", &random, &data)
        data.endObject()
        writer.key("data")
        writer.string(validUTF8: data.bytes)
        writer.field("description", "custom")
        writer.field("extension", "{}")
      }
    case .picture:
      object("pictureElem", &writer) { writePicture(draft, &random, &$0) }
    case .file:
      object("fileElem", &writer) { writer in
        let name = ["report.pdf", "会议纪要.docx", "photos (1).zip", "data.csv"][random.below(4)]
        writer.field("uuid", Self.identifier(&random))
        writer.field("sourceUrl", "https://files.example.org/\(draft.number)")
        writer.field("fileName", name)
        writer.field("fileSize", 1_000 + random.below(80_000_000))
        writer.field("fileType", "application/octet-stream")
      }
    case .typing:
      object("typingElem", &writer) { $0.field("msgTips", random.below(3) == 0 ? "no" : "yes") }
    case .unknown:
      object("notificationElem", &writer) { writer in
        var detail = JSONWriter()
        detail.beginObject()
        detail.field("version", 1 + random.below(3))
        sentence("body", &random, &detail)
        detail.endObject()
        writer.key("detail")
        writer.string(validUTF8: detail.bytes)
      }
    }
  }

  /// 32 hexadecimal digits.
  static func identifier(_ random: inout SeededRandom) -> String {
    let digits = digits
    return String(unsafeUninitializedCapacity: 32) { space in
      for half in 0..<2 {
        var rest = random.next()
        for index in 0..<16 {
          space[half * 16 + index] = digits[Int(rest & 15)]
          rest >>= 4
        }
      }
      return 32
    }
  }

  private mutating func sentence(_ name: String, _ random: inout SeededRandom, _ writer: inout JSONWriter) {
    text.removeAll(keepingCapacity: true)
    phrasebook.appendText(to: &text, using: &random)
    writer.key(name)
    writer.string(validUTF8: text)
  }

  private mutating func writeMention(_ draft: Draft, _ random: inout SeededRandom, _ writer: inout JSONWriter) {
    let isAll = random.below(6) == 0
    let isSelf = !isAll && random.below(4) == 0
    let member = isSelf ? .account : cast.member(random.below(draft.conversation.memberCount), of: draft.conversation)
    let userID = isAll ? "AtAllTag" : cast.userID(member)
    let nickname = isAll ? "all" : cast.nickname(member)
    text = Array("@\(nickname) ".utf8)
    phrasebook.appendText(to: &text, using: &random)
    writer.key("text")
    writer.string(validUTF8: text)
    writer.key("atUserList")
    writer.beginArray()
    writer.string(userID)
    writer.endArray()
    writer.key("atUsersInfo")
    writer.beginArray()
    writer.beginObject()
    writer.field("atUserID", userID)
    writer.field("groupNickname", nickname)
    writer.endObject()
    writer.endArray()
    writer.field("isAtSelf", isSelf)
  }

  private func writePicture(_ draft: Draft, _ random: inout SeededRandom, _ writer: inout JSONWriter) {
    let uuid = Self.identifier(&random)
    let width = 600 + random.below(3_400)
    let height = 400 + random.below(2_600)
    writer.field("sourcePath", "")
    for (name, divisor) in [("sourcePicture", 1), ("bigPicture", 2), ("snapshotPicture", 8)] {
      object(name, &writer) { writer in
        writer.field("uuid", uuid)
        writer.field("type", "image/jpeg")
        writer.field("size", width * height / (4 * divisor * divisor))
        writer.field("width", width / divisor)
        writer.field("height", height / divisor)
        writer.field("url", "https://files.example.org/\(draft.number)/\(name).jpg")
      }
    }
  }

  private func object(_ name: String, _ writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    writer.key(name)
    writer.beginObject()
    body(&writer)
    writer.endObject()
  }
}
