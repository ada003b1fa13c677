extension MessageAssembler {
  // MARK: Detail

  /// What a notice says: the text `detail` of its element, which is JSON once more.
  private func detail() -> [UInt8]? {
    if let range = fields.element(.notificationElem, in: bytes) { return Self.detail(bytes, range) }
    guard let element = ElementDecoder.contentElement(fields, bytes) else { return nil }
    return element.withUnsafeBufferPointer { inner in Self.detail(inner, 0..<inner.count) }
  }

  /// The text under `detail`; the object itself when it has no such key, as a revoke record may stand there bare.
  private static func detail(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> [UInt8]? {
    var reader = JSONReader(bytes, range: range)
    do throws(JSONError) {
      var detail: JSONText?
      var isEmpty = true
      try reader.beginObject()
      while let name = try reader.nextName() {
        isEmpty = false
        if "detail" ~= name {
          detail = try reader.located()
          if detail == nil { return nil }
        } else {
          try reader.skipValue()
        }
      }
      try reader.finish()
      return isEmpty ? nil : detail?.unescaped(in: bytes) ?? [UInt8](bytes[range])
    } catch {
      return nil
    }
  }

  // MARK: Recalls

  /// A message of number 2101: the notice of a recall, or the recalled row itself, which names no other message
  /// (receiving spec §1.7 rule 5).
  func recall() throws(DecodeError) -> Decoded {
    guard let json = detail(), let detail = NoticeDetail(json) else { throw .unreadableRecall }
    let own = try conversationID()
    let isRow = !isInTwin && (detail.clientMsgID.isEmpty || detail.clientMsgID.utf8Equals(fields.clientMsgID))
    if isRow {
      return .recall(
        RecallFact(
          account: account, target: .conversation(own), clientMsgID: fields.clientMsgID, record: detail.record,
          original: try message(ContentType.recall)))
    }
    guard !detail.clientMsgID.isEmpty || detail.seq > 0 else { throw .unreadableRecall }
    // The twin's own id is no place for a message: without the conversation the notice's parties tell it.
    let target = detail.conversationID.isEmpty ? try conversationOfParties() : detail.conversationID
    let recall = RecallFact(
      account: account, target: .conversation(target), clientMsgID: detail.clientMsgID, record: detail.record)
    return withOwnSeq([.recall(recall)], own)
  }

  /// The object that the recall callback delivers. It names no conversation.
  func recallCallback(by revokerID: String) throws(DecodeError) -> Decoded {
    guard !fields.clientMsgID.isEmpty else { throw .missingField(Field.clientMsgID.rawValue) }
    let record = RecallRecord(
      time: Timestamp.milliseconds(fields.revokeTime), revokerID: revokerID, revokerRole: fields.revokerRole,
      isByAdmin: fields.isAdminRevoke, seq: max(fields.seq, 0))
    return .recall(
      RecallFact(
        account: account,
        target: .anywhere(SessionType(rawValue: fields.sessionType), senderID: fields.sourceMessageSendID),
        clientMsgID: fields.clientMsgID, record: record))
  }

  // MARK: Notices that change state

  /// What a control notice says; nil when that cannot be read but the message can be kept for a later version.
  func control(_ contentType: Int32) throws(DecodeError) -> Decoded? {
    let json = detail()
    if contentType == ContentType.business {
      let event = notice(contentType, .business, detail: json ?? [UInt8](bytes[range]))
      return withOwnSeq([], (try? conversationID()) ?? "", and: .notice(event))
    }
    if let json, let detail = NoticeDetail(json), let decoded = try control(contentType, detail, json) {
      return decoded
    }
    guard !fields.clientMsgID.isEmpty else { throw .unreadableNotice(contentType: contentType) }
    return nil
  }

  private func control(
    _ contentType: Int32, _ detail: NoticeDetail, _ json: [UInt8]
  ) throws(DecodeError) -> Decoded? {
    // A notice may come without the fields that place a message, as long as it names its conversation itself.
    let own = (try? conversationID()) ?? ""
    switch contentType {
    case ContentType.deleted:
      let seqs = detail.seqs.filter { $0 > 0 }
      guard let target = target(detail), !seqs.isEmpty else { return nil }
      let isForSelf = detail.userID.isEmpty || detail.userID.utf8Equals(account)
      let fact = DeleteFact(
        account: account, conversationID: target, targets: seqs.map { .seq($0) },
        scope: isForSelf ? .forSelf : .forAll)
      return withOwnSeq([.delete(fact)], own)
    case ContentType.read:
      let reader = detail.markAsReadUserID.isEmpty ? fields.sendID : detail.markAsReadUserID
      let seqs = detail.seqs.filter { $0 > 0 }
      guard let target = target(detail), !reader.isEmpty, !seqs.isEmpty || detail.hasReadSeq > 0 else { return nil }
      let fact = ReadFact(
        account: account, conversationID: target, readerID: reader, upToSeq: max(0, detail.hasReadSeq),
        messages: seqs.map { .seq($0) }, time: max(0, fields.sendTime))
      return withOwnSeq([.read(fact)], own)
    case ContentType.cleared:
      // Without a time the notice says nothing that could be kept: the conversations are to be fetched again.
      let ids = detail.conversationIDs.filter { !$0.isEmpty }
      guard !ids.isEmpty else { return nil }
      guard fields.sendTime > 0 else {
        return withOwnSeq([], own, and: .notice(notice(contentType, .conversations, ids, detail: json)))
      }
      let facts = ids.map { id in
        Fact.clear(ClearFact(account: account, conversationID: id, upToTime: fields.sendTime))
      }
      return withOwnSeq(facts, own)
    case ContentType.privacyChanged:
      guard let target = target(detail) else { return nil }
      let fact = ConversationFact(
        account: account, conversationID: target, revision: max(0, fields.sendTime),
        properties: [.isPrivate(detail.isPrivate)])
      return withOwnSeq([.conversation(fact)], own)
    case ContentType.conversationsChanged:
      let ids = detail.conversationIDs.filter { !$0.isEmpty }
      return withOwnSeq([], own, and: .notice(notice(contentType, .conversations, ids, detail: json)))
    default: return nil
    }
  }

  /// The conversation a notice is about: the one it names, else that of the parties it names, else that of its own
  /// parties.
  private func target(_ detail: NoticeDetail) -> String? {
    if !detail.conversationID.isEmpty { return detail.conversationID }
    if !detail.sendID.isEmpty && !detail.recvID.isEmpty {
      return SessionType.single.conversationID(sender: detail.sendID, receiver: detail.recvID, group: "")
    }
    return try? conversationOfParties()
  }

  /// The conversation of the payload's parties, even if it stands in the twin.
  private func conversationOfParties() throws(DecodeError) -> String {
    var outside = self
    outside.circumstances.conversationID = nil
    let id = try outside.conversationID()
    guard outside.isInTwin, let session = SessionType(rawValue: fields.sessionType) else { return id }
    return session.prefix + id.dropFirst(2)
  }

  /// The facts, and that the notice's own seq is dealt with, if it is certain whose seq it is: a callback does not tell
  /// whether the notice stands in the conversation or in its twin.
  private func withOwnSeq(_ facts: [Fact], _ own: String, and event: Decoded? = nil) -> Decoded {
    var facts = facts
    let isCertain = circumstances.conversationID != nil || fields.options.areStated
    if isCertain, case .facts(let closed)? = closedSeq(own) { facts += closed }
    let stored: Decoded? =
      switch facts.count {
      case 0: nil
      case 1: if case .recall(let recall) = facts[0] { .recall(recall) } else { .facts(facts) }
      default: .facts(facts)
      }
    return Decoded.of([stored, event].compactMap(\.self)) ?? .ignored(.emptyList)
  }

  // MARK: Notices that ask for something

  /// The event of a message that is a notice; nil for other messages, and for notices that are only shown.
  func notice(_ message: ChatMessage) -> NoticeEvent? {
    let number = message.contentType
    guard ContentType.notices.contains(number), !ContentType.isControl(number) else { return nil }
    guard let subject = ContentType.subject(of: number) ?? (isInTwin ? .other : nil) else { return nil }
    return notice(number, subject, [message.key.conversationID], detail: detail() ?? [])
  }

  private func notice(
    _ contentType: Int32, _ subject: NoticeEvent.Subject, _ conversationIDs: [String] = [], detail: [UInt8]
  ) -> NoticeEvent {
    NoticeEvent(
      account: account, contentType: contentType, subject: subject, conversationIDs: conversationIDs,
      groupID: fields.groupID, time: max(0, fields.sendTime), detail: detail)
  }
}
