/// Decodes what OpenIM's callbacks deliver: one JSON object a line (receiving spec §1.2 to §1.7).
///
/// It takes a message, a recall (as a message of number 2101, as an original row that was recalled since, or as the
/// callback's own object) and a typing notice (as a message or as the callback's object). Whatever is not understood
/// inside a well-formed message is kept with the message; a line that cannot be placed is refused with a `DecodeError`.
///
/// Memory: about three times the line while it is decoded.
public struct OpenIMCallbackDecoder: Sendable {
  /// The own user id: its messages are never unread, its typing is ignored.
  public let account: String
  /// The longest line accepted, in bytes.
  public let lineLimit: Int
  private let table = FieldTable()

  /// A decoder for the view of `account`.
  public init(account: String, lineLimit: Int = 1 << 20) {
    self.account = account
    self.lineLimit = lineLimit
  }

  /// Decodes one line, without its line feed.
  ///
  /// - Throws: `DecodeError` for a line that is refused.
  public func decode(_ line: [UInt8]) throws(DecodeError) -> Decoded {
    guard line.count <= lineLimit else { throw .lineTooLong(count: line.count, limit: lineLimit) }
    return try line.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let fields = try payload(bytes)
      if let contentType = fields.contentType { return try message(contentType, fields, bytes, line) }
      if let revokerID = fields.revokerID { return try recall(by: revokerID, fields) }
      if let platforms = fields.platforms { return try typing(fields, platforms) }
      throw .missingField(Field.contentType.rawValue)
    }
  }

  /// The content of a line that was kept because an earlier version did not understand it; nil when it is still not
  /// understood.
  func content(ofLine line: [UInt8]) -> MessageContent? {
    line.withUnsafeBufferPointer { bytes in
      guard let fields = try? payload(bytes), let contentType = fields.contentType else { return nil }
      return content(contentType, fields, bytes)?.content
    }
  }

  private func payload(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> PayloadFields {
    var reader = JSONReader(bytes)
    let first: UInt8
    do {
      first = try reader.peek()
    } catch {
      throw .json(error)
    }
    guard first == UInt8(ascii: "{") else {
      try checked { () throws(JSONError) in
        try reader.skipValue()
        try reader.finish()
      }
      throw .unknownShape(first == UInt8(ascii: "[") ? "an array" : "a plain value")
    }
    let fields = try PayloadFields(&reader, table)
    try checked { () throws(JSONError) in try reader.finish() }
    return fields
  }

  private func checked(_ read: () throws(JSONError) -> Void) throws(DecodeError) {
    do {
      try read()
    } catch {
      throw .json(error)
    }
  }

  // MARK: Messages

  private func message(
    _ contentType: Int32, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>, _ line: [UInt8]
  ) throws(DecodeError) -> Decoded {
    guard fields.seq >= 0 else { throw .negativeSeq(fields.seq) }
    if fields.clientMsgID.isEmpty || Self.isDecorated(fields.clientMsgID) {
      guard fields.status == Status.deleted && fields.seq > 0 else { return .ignored(.emptyClientMsgID) }
      return .ignored(.closedSeq(conversationID: try conversationID(fields), seq: fields.seq))
    }
    let (content, body) = contentAndBody(contentType, fields, bytes, line)
    var message = ChatMessage(
      key: MessageKey(
        account: account, conversationID: try conversationID(fields), clientMsgID: fields.clientMsgID),
      envelope: envelope(fields, bytes), evidence: .sent, marks: marks(contentType, fields), contentType: contentType,
      content: content, body: body)
    if message.isMine && fields.isRead { message.evidence = .read }
    if contentType == ContentType.recall { return .recall(try recall(message, fields, bytes)) }
    if contentType == ContentType.typing { return typing(message, fields, bytes) }
    // Only own messages may lack a seq and still be kept: the server keeps nothing else without one.
    let isTransient = contentType == ContentType.onlineOnly || message.envelope.seq == 0 && !message.isMine
    return isTransient ? .onlineOnly(message) : .message(message)
  }

  private func contentAndBody(
    _ contentType: Int32, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>, _ line: [UInt8]
  ) -> (MessageContent, MessageBody) {
    if let (content, range) = content(contentType, fields, bytes) { return (content, .element([UInt8](bytes[range]))) }
    // A deleted copy comes without content, and a recalled row with that of the recall.
    let isEmpty = fields.status == Status.deleted || contentType == ContentType.recall
    return (.placeholder(contentType: contentType), isEmpty ? .absent : .line(line))
  }

  private func content(
    _ contentType: Int32, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> (content: MessageContent, range: Range<Int>)? {
    guard let field = ElementDecoder.field(of: contentType), let range = fields.element(field, in: bytes) else {
      return nil
    }
    let decoder = ElementDecoder(account: account, senderID: fields.sendID)
    return decoder.expand(contentType, bytes, range).map { ($0, range) }
  }

  private func envelope(_ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>) -> Envelope {
    var envelope = Envelope()
    envelope.seq = fields.seq
    envelope.sendTime = fields.sendTime
    envelope.serverMsgID = fields.serverMsgID
    envelope.createTime = fields.createTime
    envelope.senderID = fields.sendID
    envelope.receiverID = fields.recvID
    envelope.platformID = fields.senderPlatformID
    envelope.origin = fields.msgFrom
    envelope.senderNickname = fields.senderNickname
    envelope.senderFaceURL = fields.senderFaceURL
    envelope.ex = fields.ex
    if !fields.attachedInfo.isEmpty && fields.attachedInfo != "null" {
      envelope.attachedInfo = fields.attachedInfo
    } else if let range = fields.element(.attachedInfoElem, in: bytes) {
      envelope.attachedInfo = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    return envelope
  }

  /// Status below 4 carries no information on the way in (receiving spec §1.6); unknown numbers are read alike.
  private func marks(_ contentType: Int32, _ fields: PayloadFields) -> MessageMarks {
    var marks: MessageMarks = []
    if fields.isRead { marks.insert(.read) }
    if fields.status == Status.deleted { marks.insert(.deletedForSelf) }
    if fields.status == Status.filtered { marks.insert(.filtered) }
    if contentType == ContentType.quietCustom { marks.insert(.quiet) }
    if ContentType.control.contains(contentType) { marks.formUnion([.filtered, .quiet]) }
    return marks
  }

  private func conversationID(_ fields: PayloadFields) throws(DecodeError) -> String {
    guard let session = SessionType(rawValue: fields.sessionType) else {
      throw .unknownSessionType(fields.sessionType)
    }
    if session.isGroup {
      guard !fields.groupID.isEmpty else { throw .missingField(Field.groupID.rawValue) }
    } else {
      guard !fields.sendID.isEmpty else { throw .missingField(Field.sendID.rawValue) }
      guard !fields.recvID.isEmpty else { throw .missingField(Field.recvID.rawValue) }
    }
    return session.conversationID(sender: fields.sendID, receiver: fields.recvID, group: fields.groupID)
  }

  /// Ids under which a client database files duplicates and holes; they stand for no message of their own (receiving
  /// spec §2.1).
  private static func isDecorated(_ id: String) -> Bool {
    ["[CLIENT_DUP]", "[SEQ_DUP]", "[DELETED]", "[SEQ_GAP_"].contains { id.utf8.starts(with: $0.utf8) }
  }

  // MARK: Recalls

  /// A message of number 2101: the notice of a recall, or the recalled row itself, which names no other message.
  private func recall(
    _ message: ChatMessage, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(DecodeError) -> RecallFact {
    let detail = try detail(fields, bytes)
    let record = record(detail, by: detail.revokerUserID)
    let target = detail.conversationID.isEmpty ? message.key.conversationID : detail.conversationID
    let isRow = detail.clientMsgID.isEmpty || detail.clientMsgID.utf8Equals(message.key.clientMsgID)
    return RecallFact(
      account: account, target: .conversation(isRow ? message.key.conversationID : target),
      clientMsgID: isRow ? message.key.clientMsgID : detail.clientMsgID, record: record,
      original: isRow ? message : nil)
  }

  /// The object that the recall callback delivers. It names no conversation.
  private func recall(by revokerID: String, _ fields: PayloadFields) throws(DecodeError) -> Decoded {
    guard !fields.clientMsgID.isEmpty else { throw .missingField(Field.clientMsgID.rawValue) }
    return .recall(
      RecallFact(
        account: account,
        target: .anywhere(SessionType(rawValue: fields.sessionType), senderID: fields.sourceMessageSendID),
        clientMsgID: fields.clientMsgID, record: record(fields, by: revokerID)))
  }

  /// The notice's record: JSON inside a string.
  private func detail(
    _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(DecodeError) -> PayloadFields {
    guard let range = fields.element(.notificationElem, in: bytes) else { throw .unreadableRecall }
    var reader = JSONReader(bytes, range: range)
    guard let text = try? ElementDecoder(account: account, senderID: "").text("detail", &reader) else {
      throw .unreadableRecall
    }
    return try Array(text.utf8).withUnsafeBufferPointer { (inner) throws(DecodeError) in
      do {
        return try payload(inner)
      } catch {
        throw .unreadableRecall
      }
    }
  }

  private func record(_ fields: PayloadFields, by revokerID: String) -> RecallRecord {
    RecallRecord(
      time: Self.milliseconds(fields.revokeTime), revokerID: revokerID, revokerRole: fields.revokerRole,
      isByAdmin: fields.isAdminRevoke, seq: max(fields.seq, 0))
  }

  /// A recall made on this device is stamped in seconds, one from the server in milliseconds (receiving spec §1.7
  /// rule 4). A negative time is an unknown one.
  private static func milliseconds(_ time: Int64) -> Int64 {
    time <= 0 ? 0 : time < 100_000_000_000 ? time * 1_000 : time
  }

  // MARK: Typing

  private func typing(
    _ message: ChatMessage, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Decoded {
    if message.isMine { return .ignored(.ownTyping) }
    var tips = ""
    if let range = fields.element(.typingElem, in: bytes) {
      var reader = JSONReader(bytes, range: range)
      tips = (try? ElementDecoder(account: account, senderID: "").text("msgTips", &reader)) ?? ""
    }
    // Older callers send words of their own instead of "yes".
    return .typing(
      TypingEvent(
        account: account, conversationID: message.key.conversationID, userID: message.envelope.senderID,
        platformID: message.envelope.platformID, isTyping: !tips.isEmpty && tips != "no"))
  }

  private func typing(
    _ fields: PayloadFields, _ platforms: (first: Int32, count: Int)
  ) throws(DecodeError) -> Decoded {
    guard !fields.conversationID.isEmpty else { throw .missingField(Field.conversationID.rawValue) }
    guard !fields.userID.isEmpty else { throw .missingField(Field.userID.rawValue) }
    if fields.userID.utf8Equals(account) { return .ignored(.ownTyping) }
    return .typing(
      TypingEvent(
        account: account, conversationID: fields.conversationID, userID: fields.userID,
        platformID: platforms.count == 1 ? platforms.first : 0, isTyping: platforms.count > 0))
  }
}

/// Status numbers that carry information on the way in (receiving spec §1.6).
private enum Status {
  static let deleted: Int32 = 4
  static let filtered: Int32 = 5
}

/// Content numbers that decide where a message goes (receiving spec §1.5).
private enum ContentType {
  static let typing: Int32 = 113
  static let quietCustom: Int32 = 119
  static let onlineOnly: Int32 = 120
  static let recall: Int32 = 2101
  /// Notices that change state instead of being read: kept for a later version, shown to nobody.
  static let control: Set<Int32> = [1300, 1701, 1703, 2001, 2102, 2200]
}
