/// Expands the element of a message into typed content (receiving spec §1.5). Nil means that the content stays as it is
/// and a placeholder is shown: an unknown number, a missing element, or one of the wrong shape.
struct ElementDecoder {
  /// Messages quoted or merged inside one another are expanded so many levels deep; below, placeholders stand.
  static let depthLimit = 8

  /// Most entries of a list inside an element. A longer one is not expanded: small entries take far more memory than
  /// their text.
  static let listLimit = 10_000

  let account: String
  let senderID: String
  /// How many messages stand around this one.
  var depth = 0

  /// The element that carries the content of this number; nil for numbers that are not expanded.
  static func field(of contentType: Int32) -> Field? {
    switch contentType {
    case 101: .textElem
    case 102: .pictureElem
    case 103: .soundElem
    case 104: .videoElem
    case 105: .fileElem
    case 106: .atTextElem
    case 107: .mergeElem
    case 108: .cardElem
    case 109: .locationElem
    case 110, 119, 120: .customElem
    case 114: .quoteElem
    case 115: .faceElem
    case 117: .advancedTextElem
    case 118: .markdownTextElem
    case ContentType.notices: .notificationElem
    default: nil
    }
  }

  /// The content of a message and the element it was expanded from, whether that stands under a key of its own
  /// (callback), or in `content` as JSON, as text, or as base64 of it (wire, web-hook, row).
  func content(
    _ contentType: Int32, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (content: MessageContent, element: [UInt8])? {
    guard let field = Self.field(of: contentType) else { return nil }
    if let range = fields.element(field, in: bytes) {
      return expand(contentType, bytes, range).map { ($0, [UInt8](bytes[range])) }
    }
    guard let element = Self.contentElement(fields, bytes) else { return nil }
    return element.withUnsafeBufferPointer { inner in
      expand(contentType, inner, 0..<inner.count).map { ($0, element) }
    }
  }

  /// The element in `content`, if that is where it stands.
  static func contentElement(_ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let range = fields.content else { return nil }
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "{"): return [UInt8](bytes[range])
    case UInt8(ascii: "\""):
      var reader = JSONReader(bytes, range: range)
      guard let text = try? reader.located() else { return nil }
      let value = text.unescaped(in: bytes)
      // No alphabet of base64 has a brace.
      let first = value.first { $0 > 0x20 }
      return first == nil || first == UInt8(ascii: "{") ? value : Base64.decode(value) ?? value
    default: return nil
    }
  }

  /// Expands the element that stands in `range`.
  func expand(_ contentType: Int32, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> MessageContent? {
    var reader = JSONReader(bytes, range: range)
    guard let content = try? expand(contentType, &reader), (try? reader.finish()) != nil else { return nil }
    return content
  }

  private func expand(_ contentType: Int32, _ reader: inout JSONReader) throws(JSONError) -> MessageContent? {
    switch contentType {
    case 101: .text(try text("content", &reader))
    case 102: .picture(try picture(&reader))
    case 103: .sound(try sound(&reader))
    case 104: .video(try video(&reader))
    case 105: .file(try file(&reader))
    case 106: .mention(try mention(&reader))
    case 107: .merged(try merged(&reader))
    case 108: .card(try card(&reader))
    case 109: .location(try location(&reader))
    case 110, 119, 120: .custom(try custom(&reader))
    case 114: .quote(try quote(&reader))
    case 115: .face(try face(&reader))
    case 117: .richText(try richText(&reader))
    case 118: .markdown(try text("content", &reader))
    case ContentType.notices: .notification(.init(contentType: contentType, detail: try text("detail", &reader)))
    default: nil
    }
  }

  /// The string member `word` of the object that follows.
  func text(_ word: StaticString, _ reader: inout JSONReader) throws(JSONError) -> String {
    var value = ""
    try reader.beginObject()
    while let name = try reader.nextName() {
      if word ~= name { value = try reader.string() } else { try reader.skipValue() }
    }
    return value
  }

  /// Demands that a list takes one more entry.
  static func demandRoom(_ count: Int, _ reader: borrowing JSONReader) throws(JSONError) {
    guard count < listLimit else {
      throw .typeMismatch(expected: "at most \(listLimit) entries", offset: reader.offset)
    }
  }

  private func card(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Card {
    var card = MessageContent.Card(userID: "", nickname: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "userID": card.userID = try reader.string()
      case "nickname": card.nickname = try reader.string()
      case "faceURL": card.faceURL = try reader.string()
      case "ex": card.ex = try reader.string()
      default: try reader.skipValue()
      }
    }
    return card
  }

  private func location(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Location {
    var location = MessageContent.Location(description: "", longitude: 0, latitude: 0)
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "description": location.description = try reader.string()
      case "longitude": location.longitude = try reader.double()
      case "latitude": location.latitude = try reader.double()
      default: try reader.skipValue()
      }
    }
    return location
  }

  private func face(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Face {
    var face = MessageContent.Face(index: 0)
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "index": face.index = try reader.int64()
      case "data": face.data = try reader.string()
      default: try reader.skipValue()
      }
    }
    return face
  }

  private func custom(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Custom {
    var custom = MessageContent.Custom(data: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "data": custom.data = try reader.string()
      case "description": custom.description = try reader.string()
      case "extension": custom.extension = try reader.string()
      default: try reader.skipValue()
      }
    }
    return custom
  }
}
