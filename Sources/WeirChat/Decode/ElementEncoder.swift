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
    case .picture(let picture):
      number = 102
      json.object {
        $0.member("sourcePicture") { image(picture.source, &$0) }
        $0.member("bigPicture") { image(picture.big, &$0) }
        $0.member("snapshotPicture") { image(picture.snapshot, &$0) }
      }
    case .sound(let sound):
      number = 103
      json.object {
        $0.member("sourceUrl", sound.url)
        $0.member("soundType", sound.type)
        $0.member("dataSize", sound.size)
        $0.member("duration", sound.duration)
      }
    case .video(let video):
      number = 104
      json.object { self.video(video, &$0) }
    case .file(let file):
      number = 105
      json.object {
        $0.member("sourceUrl", file.url)
        $0.member("fileName", file.name)
        $0.member("fileType", file.type)
        $0.member("fileSize", file.size)
      }
    case .mention(let mention):
      number = 106
      json.object { self.mention(mention, &$0) }
    case .merged(let merged):
      number = 107
      json.object {
        $0.member("title", merged.title)
        $0.member("abstractList", merged.abstracts)
        $0.member("multiMessage", merged.messages) { quoted($0, &$1) }
      }
    case .card(let card):
      number = 108
      json.object {
        $0.member("userID", card.userID)
        $0.member("nickname", card.nickname)
        $0.member("faceURL", card.faceURL)
        $0.member("ex", card.ex)
      }
    case .location(let location):
      number = 109
      json.object {
        $0.member("description", location.description)
        $0.member("longitude", location.longitude)
        $0.member("latitude", location.latitude)
      }
    case .custom(let custom):
      number = [110, 119, 120].contains(contentType) ? contentType : 110
      json.object {
        $0.member("data", custom.data)
        $0.member("description", custom.description)
        $0.member("extension", custom.extension)
      }
    case .quote(let quote):
      number = 114
      json.object { self.quote(quote, &$0) }
    case .face(let face):
      number = 115
      json.object {
        $0.member("index", face.index)
        $0.member("data", face.data)
      }
    case .richText(let text):
      number = 117
      json.object {
        $0.member("text", text.text)
        entities(text.entities, &$0)
      }
    case .markdown(let text):
      number = 118
      json.object { $0.member("content", text) }
    case .notification(let notification):
      number = notification.contentType
      json.object { $0.member("detail", notification.detail) }
    case .placeholder(let type): return (type, .absent)
    }
    return (number, .element(json.bytes))
  }

  private static func mention(_ mention: MessageContent.Mention, _ json: inout JSONWriter) {
    json.member("text", mention.text)
    json.member("atUserList", mention.userIDs)
    if !mention.users.isEmpty {
      json.member("atUsersInfo", mention.users) { user, json in
        json.member("atUserID", user.userID)
        json.member("groupNickname", user.nickname)
      }
    }
    if let message = mention.quoted { json.member("quoteMessage") { quoted(message, &$0) } }
  }

  private static func quote(_ quote: MessageContent.Quote, _ json: inout JSONWriter) {
    json.member("text", quote.text)
    json.member("quoteMessage") {
      if let message = quote.quoted {
        quoted(message, &$0)
      } else {
        $0.member("clientMsgID", quote.clientMsgID)
        $0.member("sendID", quote.senderID)
        $0.member("contentType", Int64(quote.contentType))
      }
    }
    entities(quote.entities, &json)
  }

  private static func quoted(_ message: MessageContent.QuotedMessage, _ json: inout JSONWriter) {
    json.member("clientMsgID", message.clientMsgID)
    json.member("sendID", message.senderID)
    json.member("senderNickname", message.senderNickname)
    json.member("senderFaceUrl", message.senderFaceURL)
    json.member("sendTime", message.sendTime)
    json.member("seq", message.seq)
    let (contentType, body) = encode(message.content, contentType: message.contentType)
    json.member("contentType", Int64(contentType))
    guard case .element(let element) = body, let field = ElementDecoder.field(of: contentType) else { return }
    json.member(field.rawValue, json: element)
  }

  private static func entities(_ entities: [MessageContent.TextEntity], _ json: inout JSONWriter) {
    guard !entities.isEmpty else { return }
    json.member("messageEntityList", entities) { entity, json in
      json.member("type", entity.type)
      json.member("offset", entity.offset)
      json.member("length", entity.length)
      json.member("url", entity.url)
      json.member("ex", entity.ex)
    }
  }

  private static func video(_ video: MessageContent.Video, _ json: inout JSONWriter) {
    json.member("videoUrl", video.url)
    json.member("videoType", video.type)
    json.member("videoSize", video.size)
    json.member("duration", video.duration)
    json.member("snapshotUrl", video.snapshot.url)
    json.member("snapshotType", video.snapshot.type)
    json.member("snapshotSize", video.snapshot.size)
    json.member("snapshotWidth", video.snapshot.width)
    json.member("snapshotHeight", video.snapshot.height)
  }

  private static func image(_ image: MessageContent.Image, _ json: inout JSONWriter) {
    json.member("url", image.url)
    json.member("type", image.type)
    json.member("size", image.size)
    json.member("width", image.width)
    json.member("height", image.height)
  }
}
