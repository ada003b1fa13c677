/// Expands the element of a message into typed content (receiving spec §1.5). Nil means that the content stays as it is
/// and a placeholder is shown: an unknown number, a missing element, or one of the wrong shape.
struct ElementDecoder {
  let account: String
  let senderID: String

  /// The element that carries the content of this number; nil for numbers that are not expanded.
  static func field(of contentType: Int32) -> Field? {
    switch contentType {
    case 101: .textElem
    case 102: .pictureElem
    case 106: .atTextElem
    case 110, 119, 120: .customElem
    case 114: .quoteElem
    case 117: .advancedTextElem
    case 118: .markdownTextElem
    default: nil
    }
  }

  /// Expands the element that stands in `range`.
  func expand(_ contentType: Int32, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> MessageContent? {
    var reader = JSONReader(bytes, range: range)
    do throws(JSONError) {
      return switch contentType {
      case 101: .text(try text("content", &reader))
      case 102: .picture(try picture(&reader))
      case 106: .mention(try mention(&reader))
      case 110, 119, 120: .custom(try custom(&reader))
      case 114: .quote(try quote(&reader))
      case 117: .richText(try text("text", &reader))
      case 118: .markdown(try text("content", &reader))
      default: nil
      }
    } catch {
      return nil
    }
  }

  /// The string member `name` of the object that follows.
  func text(_ name: String, _ reader: inout JSONReader) throws(JSONError) -> String {
    var value = ""
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if key.string(in: reader.bytes) == name { value = try reader.string() } else { try reader.skipValue() }
    }
    return value
  }

  private func mention(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Mention {
    var mention = MessageContent.Mention(text: "", userIDs: [], mentionsMe: false)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "text": mention.text = try reader.string()
      case "atUserList": mention.userIDs = try strings(&reader)
      default: try reader.skipValue()
      }
    }
    let isNamed = mention.userIDs.contains { $0.utf8Equals(account) }
    mention.mentionsMe = !senderID.utf8Equals(account) && (isNamed || mention.mentionsAll)
    return mention
  }

  private func quote(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Quote {
    var quote = MessageContent.Quote(text: "", clientMsgID: "", senderID: "", contentType: 0)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "text": quote.text = try reader.string()
      case "quoteMessage": try quoted(&quote, &reader)
      default: try reader.skipValue()
      }
    }
    return quote
  }

  private func quoted(_ quote: inout MessageContent.Quote, _ reader: inout JSONReader) throws(JSONError) {
    if try isNull(&reader) { return }
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "clientMsgID": quote.clientMsgID = try reader.string()
      case "sendID": quote.senderID = try reader.string()
      case "contentType": quote.contentType = try reader.int32()
      default: try reader.skipValue()
      }
    }
  }

  private func custom(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Custom {
    var custom = MessageContent.Custom(data: "", description: "", extension: "")
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "data": custom.data = try reader.string()
      case "description": custom.description = try reader.string()
      case "extension": custom.extension = try reader.string()
      default: try reader.skipValue()
      }
    }
    return custom
  }

  private func picture(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Picture {
    var picture = MessageContent.Picture(source: .init(), big: .init(), snapshot: .init())
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "sourcePicture": picture.source = try image(&reader)
      case "bigPicture": picture.big = try image(&reader)
      case "snapshotPicture": picture.snapshot = try image(&reader)
      default: try reader.skipValue()
      }
    }
    return picture
  }

  private func image(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Image {
    var image = MessageContent.Image()
    if try isNull(&reader) { return image }
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key.string(in: reader.bytes) {
      case "url": image.url = try reader.string()
      case "type": image.type = try reader.string()
      case "size": image.size = try reader.int64()
      case "width": image.width = try reader.int64()
      case "height": image.height = try reader.int64()
      default: try reader.skipValue()
      }
    }
    return image
  }

  private func strings(_ reader: inout JSONReader) throws(JSONError) -> [String] {
    var result: [String] = []
    if try isNull(&reader) { return result }
    try reader.beginArray()
    while try reader.nextElement() { result.append(try reader.string()) }
    return result
  }

  /// Consumes `null`, which stands for an element that was not set.
  private func isNull(_ reader: inout JSONReader) throws(JSONError) -> Bool {
    guard try reader.peek() == UInt8(ascii: "n") else { return false }
    try reader.skipValue()
    return true
  }
}
