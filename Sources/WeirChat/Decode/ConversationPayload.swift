/// One entry of the conversation callbacks (receiving spec §1.5). What this program derives itself is not read: the
/// unread number, the state of mentions, the time of the latest message.
struct ConversationPayload {
  private var id = ""
  private var properties: [ConversationFact.Property] = []
  private var latestMessage: [UInt8] = []
  private var draft = ""
  private var draftTime: Int64 = 0
  private var serverMaxSeq: Int64 = 0
  private var serverMinSeq: Int64 = 0
  /// The newest of the times the entry carries.
  private var newestTime: Int64 = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) throws(DecodeError) {
    var reader = JSONReader(bytes, range: range)
    var field = ""
    do throws(JSONError) {
      try reader.beginObject()
      while let key = try reader.nextKey() {
        let name = JSONName(key, in: bytes)
        do throws(JSONError) {
          try read(name, &reader)
        } catch {
          field = name.string
          throw error
        }
      }
    } catch {
      throw .invalidField(field, error)
    }
  }

  private mutating func read(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
    switch name {
    case "conversationID": id = try reader.string()
    case "showName": properties.append(.showName(try reader.string()))
    case "faceURL": properties.append(.faceURL(try reader.string()))
    case "recvMsgOpt":
      if let option = ConversationFact.ReceiveOption(rawValue: try reader.int64()) {
        properties.append(.receiveOption(option))
      }
    case "isPinned": properties.append(.isPinned(try reader.bool()))
    case "isPrivateChat": properties.append(.isPrivate(try reader.bool()))
    case "burnDuration": properties.append(.burnDuration(max(0, try reader.int64())))
    case "isNotInGroup": properties.append(.isNotInGroup(try reader.bool()))
    case "ex": properties.append(.ex(try reader.string()))
    case "attachedInfo":
      let info = try reader.string()
      properties.append(.attachedInfo(info == "null" ? "" : info))
    case "latestMsg": latestMessage = try reader.located()?.unescaped(in: reader.bytes) ?? []
    case "draftText": draft = try reader.string()
    case "draftTextTime":
      draftTime = max(0, try reader.int64())
      newestTime = max(newestTime, draftTime)
    case "latestMsgSendTime", "updateUnreadCountTime": newestTime = max(newestTime, try reader.int64())
    case "maxSeq": serverMaxSeq = max(0, try reader.int64())
    case "minSeq": serverMinSeq = max(0, try reader.int64())
    default: try reader.skipValue()
    }
  }

  /// The facts: properties, draft, seqs and the latest message. Of a repeated key the last one counts.
  func decoded(_ account: String, _ receivedAt: Int64) throws(DecodeError) -> Decoded {
    guard !id.isEmpty else { throw .missingField(Field.conversationID.rawValue) }
    var facts: [Fact] = []
    if !properties.isEmpty {
      facts.append(
        .conversation(
          ConversationFact(
            account: account, conversationID: id, revision: receivedAt > 0 ? receivedAt : newestTime,
            properties: Self.last(properties))))
    }
    if draftTime > 0 {
      facts.append(
        .conversation(
          ConversationFact(
            account: account, conversationID: id, revision: draftTime, properties: [.draft(draft, time: draftTime)])))
    }
    if serverMaxSeq > 0 || serverMinSeq > 0 {
      facts.append(
        .seqs(
          SeqFact(account: account, conversationID: id, serverMaxSeq: serverMaxSeq, serverMinSeq: serverMinSeq)))
    }
    guard !latestMessage.isEmpty else { return facts.isEmpty ? .ignored(.emptyList) : .facts(facts) }
    do throws(DecodeError) {
      facts += try latest(account)
    } catch {
      // A copy that cannot be read costs the rest nothing; it comes by other ways too.
      if facts.isEmpty { throw error }
      return .several([.facts(facts), .refused(error)])
    }
    return facts.isEmpty ? .ignored(.emptyList) : .facts(facts)
  }

  /// The facts of the latest message, which came as JSON in a string. It is a copy and no news, so it raises no events,
  /// and as it is in a summary, it is none that is kept nowhere.
  private func latest(_ account: String) throws(DecodeError) -> [Fact] {
    let id = id
    return try latestMessage.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let fields = try Payload.fields(bytes)
      guard let contentType = fields.contentType else { throw .missingField(Field.contentType.rawValue) }
      let assembler = MessageAssembler(
        account: account, fields: fields, bytes: bytes, range: 0..<bytes.count,
        circumstances: .init(conversationID: id, tellsNoSeq: true))
      return try assembler.decoded(contentType).facts
    }
  }

  private static func last(_ properties: [ConversationFact.Property]) -> [ConversationFact.Property] {
    var result: [ConversationFact.Property] = []
    for property in properties {
      if let index = result.firstIndex(where: { $0.isSameKind(as: property) }) { result.remove(at: index) }
      result.append(property)
    }
    return result
  }
}

extension ConversationFact.Property {
  /// Whether both set the same property.
  fileprivate func isSameKind(as other: ConversationFact.Property) -> Bool {
    switch (self, other) {
    case (.showName, .showName), (.faceURL, .faceURL), (.receiveOption, .receiveOption), (.isPinned, .isPinned),
      (.isPrivate, .isPrivate), (.burnDuration, .burnDuration), (.isNotInGroup, .isNotInGroup), (.draft, .draft),
      (.ex, .ex), (.attachedInfo, .attachedInfo):
      true
    default: false
    }
  }
}
