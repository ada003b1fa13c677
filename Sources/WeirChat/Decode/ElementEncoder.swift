/// Writes content as the element it would have come in, for messages that an application or a hook makes. What
/// `ElementDecoder` reads back is the same content.
enum ElementEncoder {
  /// The content number and the body of a content. `contentType` is kept where several numbers share one element.
  static func encode(_ content: MessageContent, contentType: Int32) -> (contentType: Int32, body: MessageBody) {
    var json = JSONWriter()
    let number: Int32
    switch content {
    case .text(let text):
      number = 101
      json.object { $0.member("content", text) }
    case .mention(let mention):
      number = 106
      json.object {
        $0.member("text", mention.text)
        $0.member("atUserList", mention.userIDs)
      }
    case .quote(let quote):
      number = 114
      json.object {
        $0.member("text", quote.text)
        $0.member("quoteMessage") {
          $0.member("clientMsgID", quote.clientMsgID)
          $0.member("sendID", quote.senderID)
          $0.member("contentType", Int64(quote.contentType))
        }
      }
    case .custom(let custom):
      number = [110, 119, 120].contains(contentType) ? contentType : 110
      json.object {
        $0.member("data", custom.data)
        $0.member("description", custom.description)
        $0.member("extension", custom.extension)
      }
    case .picture(let picture):
      number = 102
      json.object {
        $0.member("sourcePicture") { image(picture.source, &$0) }
        $0.member("bigPicture") { image(picture.big, &$0) }
        $0.member("snapshotPicture") { image(picture.snapshot, &$0) }
      }
    case .richText(let text):
      number = 117
      json.object { $0.member("text", text) }
    case .markdown(let text):
      number = 118
      json.object { $0.member("content", text) }
    case .placeholder(let type): return (type, .absent)
    }
    return (number, .element(json.bytes))
  }

  private static func image(_ image: MessageContent.Image, _ json: inout JSONWriter) {
    json.member("url", image.url)
    json.member("type", image.type)
    json.member("size", image.size)
    json.member("width", image.width)
    json.member("height", image.height)
  }
}
