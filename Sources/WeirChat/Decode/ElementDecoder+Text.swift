extension ElementDecoder {
  func mention(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Mention {
    var mention = MessageContent.Mention(text: "", userIDs: [], mentionsMe: false)
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "text": mention.text = try reader.string()
      case "atUserList": mention.userIDs = try reader.strings()
      case "atUsersInfo": mention.users = try users(&reader)
      case "quoteMessage": mention.quoted = try quoted(&reader)
      default: try reader.skipValue()
      }
    }
    let isNamed = mention.userIDs.contains { $0.utf8Equals(account) }
    mention.mentionsMe = !senderID.utf8Equals(account) && (isNamed || mention.mentionsAll)
    return mention
  }

  private func users(_ reader: inout JSONReader) throws(JSONError) -> [MessageContent.MentionedUser] {
    var users: [MessageContent.MentionedUser] = []
    if try reader.skipNull() { return users }
    try reader.beginArray()
    while try reader.nextElement() {
      try Self.demandRoom(users.count, reader)
      var user = MessageContent.MentionedUser(userID: "", nickname: "")
      try reader.beginObject()
      while let name = try reader.nextName() {
        switch name {
        case "atUserID": user.userID = try reader.string()
        case "groupNickname": user.nickname = try reader.string()
        default: try reader.skipValue()
        }
      }
      users.append(user)
    }
    return users
  }

  func quote(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Quote {
    var text = ""
    var quoted: MessageContent.QuotedMessage?
    var entities: [MessageContent.TextEntity] = []
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "text": text = try reader.string()
      case "quoteMessage": quoted = try self.quoted(&reader)
      case "messageEntityList": entities = try self.entities(&reader)
      default: try reader.skipValue()
      }
    }
    guard let quoted else {
      return .init(text: text, clientMsgID: "", senderID: "", contentType: 0, entities: entities)
    }
    var quote = MessageContent.Quote(text: text, quoted: quoted, entities: entities)
    if case .placeholder = quoted.content { quote.quoted = nil }
    return quote
  }

  func richText(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.RichText {
    var text = MessageContent.RichText("")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "text": text.text = try reader.string()
      case "messageEntityList": text.entities = try entities(&reader)
      default: try reader.skipValue()
      }
    }
    return text
  }

  private func entities(_ reader: inout JSONReader) throws(JSONError) -> [MessageContent.TextEntity] {
    var entities: [MessageContent.TextEntity] = []
    if try reader.skipNull() { return entities }
    try reader.beginArray()
    while try reader.nextElement() {
      try Self.demandRoom(entities.count, reader)
      var entity = MessageContent.TextEntity(type: "", offset: 0, length: 0)
      try reader.beginObject()
      while let name = try reader.nextName() {
        switch name {
        case "type": entity.type = try reader.string()
        case "offset": entity.offset = try reader.int64()
        case "length": entity.length = try reader.int64()
        case "url": entity.url = try reader.string()
        case "ex": entity.ex = try reader.string()
        default: try reader.skipValue()
        }
      }
      entities.append(entity)
    }
    return entities
  }

  func merged(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.Merged {
    var merged = MessageContent.Merged(title: "")
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "title": merged.title = try reader.string()
      case "abstractList": merged.abstracts = try reader.strings()
      case "multiMessage": merged.messages = try messages(&reader)
      default: try reader.skipValue()
      }
    }
    return merged
  }

  private func messages(_ reader: inout JSONReader) throws(JSONError) -> [MessageContent.QuotedMessage] {
    var messages: [MessageContent.QuotedMessage] = []
    if try reader.skipNull() { return messages }
    try reader.beginArray()
    while try reader.nextElement() {
      try Self.demandRoom(messages.count, reader)
      let unreadable = MessageContent.QuotedMessage(
        clientMsgID: "", senderID: "", contentType: 0, content: .placeholder(contentType: 0))
      messages.append(try quoted(&reader) ?? unreadable)
    }
    return messages
  }

  /// A message inside another one, in whatever shape: the server rewrites a recalled quote with the keys of the wire.
  /// Nil when it is `null` or cannot be read, which must not cost the message around it.
  private func quoted(_ reader: inout JSONReader) throws(JSONError) -> MessageContent.QuotedMessage? {
    let range = try reader.skipValue()
    var inner = JSONReader(reader.bytes, range: range)
    guard let fields = try? PayloadFields(&inner, acceptsText: true) else { return nil }
    let contentType = fields.contentType ?? 0
    var decoder = ElementDecoder(account: account, senderID: fields.sendID)
    decoder.depth = depth + 1
    let isExpanded = decoder.depth <= Self.depthLimit && contentType != ContentType.recall
    let content = isExpanded ? decoder.content(contentType, fields, reader.bytes)?.content : nil
    return MessageContent.QuotedMessage(
      clientMsgID: fields.clientMsgID, senderID: fields.sendID, senderNickname: fields.senderNickname,
      senderFaceURL: fields.senderFaceURL, sendTime: fields.sendTime, seq: fields.seq, contentType: contentType,
      content: content ?? .placeholder(contentType: contentType))
  }
}
