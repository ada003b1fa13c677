/// Turns the fields of one payload object into facts and events. All shapes meet here; what differs between them comes
/// in as ``Circumstances``.
struct MessageAssembler {
  /// What is known about a payload beside its own fields.
  struct Circumstances {
    /// The conversation, where the payload came under its id; nil to derive it.
    var conversationID: String?
    /// Whether the source delivers it as online-only, whatever it says itself.
    var isOnlineOnly = false
    /// Whether the source delivers it as deleted.
    var isDeleted = false
    /// Whether the source may leave out the seq of a message the server keeps, as web-hooks do.
    var tellsNoSeq = false
  }

  let account: String
  let fields: PayloadFields
  /// What the fields were read from, and the ranges in them count from.
  let bytes: UnsafeBufferPointer<UInt8>
  /// Where the payload stands in `bytes`: what is kept of content that is not understood.
  let range: Range<Int>
  var circumstances = Circumstances()

  /// What the message is.
  func decoded(_ contentType: Int32) throws(DecodeError) -> Decoded {
    guard fields.seq >= 0 else { throw .negativeSeq(fields.seq) }
    if ContentType.isControl(contentType), let decoded = try control(contentType) { return decoded }
    if fields.clientMsgID.isEmpty || Self.isDecorated(fields.clientMsgID) { return try withoutID(contentType) }
    if contentType == ContentType.recall { return try recall() }
    let attached = attached()
    let message = try message(contentType, attached)
    if contentType == ContentType.typing { return typing(message) }
    if !ContentType.notices.contains(contentType) && !isTransient(message) {
      return stored(message, attached.info)
    }
    return placed(message, attached.info)
  }

  // MARK: Messages

  /// A message with its id: for the store, or for this moment only.
  private func placed(_ message: ChatMessage, _ attached: AttachedInfo?) -> Decoded {
    guard let notice = notice(message) else {
      return isTransient(message) ? .onlineOnly(message) : stored(message, attached)
    }
    let people = SocialNotice.facts(notice)
    let told: [Decoded] = [.notice(notice)] + (people.isEmpty ? [] : [.facts(people)])
    if isTransient(message) { return Decoded.of(told) ?? .notice(notice) }
    // A notice of the notification twin is not shown; it is kept as long as nobody else acts on it.
    if isInTwin && notice.subject != .other {
      return Decoded.of(told + [closedSeq(message.key.conversationID)].compactMap(\.self)) ?? .notice(notice)
    }
    return .several([stored(message, attached)] + told)
  }

  /// A message for the store, and what else it tells.
  private func stored(_ message: ChatMessage, _ attached: AttachedInfo?) -> Decoded {
    let more = reads(message, attached) + attempt(message)
    return more.isEmpty ? .message(message) : .facts([.message(message)] + more)
  }

  /// A message without an id of its own (receiving spec §1.7 rules 1 and 2; ids that a client database made up, §2.1).
  private func withoutID(_ contentType: Int32) throws(DecodeError) -> Decoded {
    guard fields.status == Status.deleted, fields.seq > 0, let closed = closedSeq(try conversationID()) else {
      return .ignored(.emptyClientMsgID)
    }
    return closed
  }

  func message(_ contentType: Int32) throws(DecodeError) -> ChatMessage {
    try message(contentType, attached())
  }

  private func message(
    _ contentType: Int32, _ attached: (text: String, info: AttachedInfo?)
  ) throws(DecodeError) -> ChatMessage {
    let (content, body) = contentAndBody(contentType)
    let conversationID = try conversationID()
    var message = ChatMessage(
      key: MessageKey(account: account, conversationID: conversationID, clientMsgID: fields.clientMsgID),
      envelope: envelope(attached.text), evidence: .sent, marks: marks(contentType), contentType: contentType,
      content: content, body: body)
    if attached.info?.isPrivate == true { message.marks.insert(.isPrivate) }
    if message.isMine && fields.isRead {
      message.evidence = .read
    } else if isUnsent(message) {
      message.evidence = .none
    }
    return message
  }

  /// Whether it is an own message of which nothing shows that the server has it.
  private func isUnsent(_ message: ChatMessage) -> Bool {
    message.isMine && fields.seq == 0 && fields.serverMsgID.isEmpty
  }

  /// What the status says of an own message on its way; for all others it carries no information (receiving spec §1.6).
  private func attempt(_ message: ChatMessage) -> [Fact] {
    guard isUnsent(message), message.evidence == .none else { return [] }
    let step: SendFact.Step
    switch fields.status {
    case Status.sending: step = .sending
    case Status.failed: step = .failed
    default: return []
    }
    return [
      .send(
        SendFact(
          account: account, conversationID: message.key.conversationID, clientMsgID: message.key.clientMsgID,
          event: .attempt(number: 1, step: step)))
    ]
  }

  /// Only own messages may lack a seq and still be kept: the server keeps nothing else without one.
  private func isTransient(_ message: ChatMessage) -> Bool {
    if circumstances.isOnlineOnly || message.contentType == ContentType.onlineOnly || !fields.options.history {
      return true
    }
    return fields.seq == 0 && !message.isMine && !circumstances.tellsNoSeq && !circumstances.isDeleted
  }

  private func contentAndBody(_ contentType: Int32) -> (MessageContent, MessageBody) {
    let decoder = ElementDecoder(account: account, senderID: fields.sendID)
    if contentType != ContentType.recall, let (content, element) = decoder.content(contentType, fields, bytes) {
      return (content, .element(element))
    }
    // A deleted copy comes without content, and a recalled row with that of the recall.
    let isEmpty = fields.status == Status.deleted || contentType == ContentType.recall
    return (.placeholder(contentType: contentType), isEmpty ? .absent : .line([UInt8](bytes[range])))
  }

  private func envelope(_ attachedInfo: String) -> Envelope {
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
    envelope.attachedInfo = attachedInfo
    return envelope
  }

  /// The attached information: as text, which may be the word `null`, or else as an object.
  private func attached() -> (text: String, info: AttachedInfo?) {
    if !fields.attachedInfo.isEmpty && fields.attachedInfo != "null" {
      return (fields.attachedInfo, AttachedInfo(json: fields.attachedInfo))
    }
    guard let range = fields.attachedObject, bytes[range.lowerBound] == UInt8(ascii: "{") else { return ("", nil) }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    return (text, AttachedInfo(bytes, range))
  }

  /// Status below 4 carries no information on the way in (receiving spec §1.6); unknown numbers are read alike.
  private func marks(_ contentType: Int32) -> MessageMarks {
    var marks: MessageMarks = []
    if fields.isRead { marks.insert(.read) }
    if fields.status == Status.deleted || circumstances.isDeleted { marks.insert(.deletedForSelf) }
    if fields.status == Status.filtered { marks.insert(.filtered) }
    if contentType == ContentType.quietCustom { marks.insert(.quiet) }
    // What only this program acts on, or nobody sends any more, is kept and shown to nobody.
    if ContentType.isControl(contentType) || ContentType.stale.contains(contentType) || isInTwin {
      marks.formUnion([.filtered, .quiet])
    }
    let options = fields.options
    if !options.notPrivate { marks.insert(.isPrivate) }
    switch (options.unreadCount, options.conversationUpdate) {
    case (true, true): break
    case (false, true): marks.insert(.uncounted)
    case (true, false): marks.insert(.unlisted)
    case (false, false): marks.formUnion([.uncounted, .unlisted, .quiet])
    }
    return marks
  }

  /// Who has read the message at what time, as the attached information tells.
  private func reads(_ message: ChatMessage, _ attached: AttachedInfo?) -> [Fact] {
    guard let attached, attached.hasReadTime > 0 || !attached.readerIDs.isEmpty else { return [] }
    var facts: [Fact] = []
    func read(by readerID: String, at time: Int64) {
      facts.append(
        .read(
          ReadFact(
            account: account, conversationID: message.key.conversationID, readerID: readerID,
            messages: [.clientMsgID(message.key.clientMsgID)], time: time)))
    }
    if attached.hasReadTime > 0 {
      let reader = message.isMine ? message.envelope.receiverID : account
      if !(message.isMine && isGroup), !reader.isEmpty { read(by: reader, at: attached.hasReadTime) }
    }
    for reader in attached.readerIDs where !reader.isEmpty { read(by: reader, at: 0) }
    return facts
  }

  // MARK: Places

  private var isGroup: Bool { SessionType(rawValue: fields.sessionType)?.isGroup == true }

  /// Whether the payload stands in the notification twin of a conversation.
  var isInTwin: Bool {
    if let id = circumstances.conversationID { return id.utf8.starts(with: "n_".utf8) }
    return !fields.options.isNotNotification
  }

  /// Where the payload stands (receiving spec §1.4).
  func conversationID() throws(DecodeError) -> String {
    if let id = circumstances.conversationID, !id.isEmpty { return id }
    guard let session = SessionType(rawValue: fields.sessionType) else {
      throw .unknownSessionType(fields.sessionType)
    }
    if session.isGroup {
      guard !fields.groupID.isEmpty else { throw .missingField(Field.groupID.rawValue) }
    } else {
      guard !fields.sendID.isEmpty else { throw .missingField(Field.sendID.rawValue) }
      guard !fields.recvID.isEmpty else { throw .missingField(Field.recvID.rawValue) }
    }
    let id = session.conversationID(sender: fields.sendID, receiver: fields.recvID, group: fields.groupID)
    return isInTwin ? session.twin(of: id) : id
  }

  /// The fact that the payload's own seq carries no message to show; nil without a seq.
  func closedSeq(_ conversationID: String) -> Decoded? {
    guard fields.seq > 0, !conversationID.isEmpty else { return nil }
    return .facts([
      .seqs(SeqFact(account: account, conversationID: conversationID, closed: [fields.seq...fields.seq]))
    ])
  }

  /// Ids under which a client database files duplicates and holes; they stand for no message of their own (receiving
  /// spec §2.1).
  static func isDecorated(_ id: String) -> Bool {
    guard id.utf8.first == UInt8(ascii: "[") else { return false }
    return ["[CLIENT_DUP]", "[SEQ_DUP]", "[DELETED]", "[SEQ_GAP_"].contains { id.utf8.starts(with: $0.utf8) }
  }

  // MARK: Typing

  private func typing(_ message: ChatMessage) -> Decoded {
    if message.isMine { return .ignored(.ownTyping) }
    let element = fields.element(.typingElem, in: bytes).map { [UInt8](bytes[$0]) }
    let tips =
      (element ?? ElementDecoder.contentElement(fields, bytes))?.withUnsafeBufferPointer { inner -> String in
        var reader = JSONReader(inner)
        return (try? ElementDecoder(account: account, senderID: "").text("msgTips", &reader)) ?? ""
      } ?? ""
    // Older callers send words of their own instead of "yes".
    return .typing(
      TypingEvent(
        account: account, conversationID: message.key.conversationID, userID: message.envelope.senderID,
        platformID: message.envelope.platformID, isTyping: !tips.isEmpty && tips != "no"))
  }
}

extension SessionType {
  /// The notification twin of a conversation of this kind (receiving spec §1.4): `n_` and the same parts.
  func twin(of conversationID: String) -> String { "n_" + conversationID.dropFirst(prefix.count) }
}
