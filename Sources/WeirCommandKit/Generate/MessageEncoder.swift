/// Writes messages and recalls in the shape of OpenIM's callbacks (receiving spec §1.2): empty members are left out,
/// the nine that Go always writes are always there.
struct MessageEncoder: Sendable {
  /// What is written of a draft.
  enum Form {
    /// As it was delivered first.
    case original
    /// As it is delivered later: sent, and in a single chat read.
    case later
    /// As a recalled row.
    case recalled(RecallFact)
  }

  private let seed: UInt64
  private let cast: Cast
  private var elements: ElementEncoder

  init(seed: UInt64, cast: Cast) {
    self.seed = seed
    self.cast = cast
    elements = ElementEncoder(cast: cast)
  }

  /// True when the later form differs from the original.
  func hasLaterForm(_ draft: Draft) -> Bool {
    let traits = Traits(draft, seed)
    return traits.status < 2 || (!draft.conversation.isGroup && !traits.isRead)
  }

  /// Writes a message as a value.
  mutating func write(_ draft: Draft, _ form: Form, to writer: inout JSONWriter) {
    let traits = Traits(draft, seed)
    let isGroup = draft.conversation.isGroup
    var isLater = false
    if case .original = form {} else { isLater = true }
    writer.beginObject()
    writer.field("clientMsgID", traits.clientID)
    if draft.seq > 0 { writer.field("serverMsgID", traits.serverID) }
    writer.field("createTime", traits.createTime)
    writer.field("sendTime", draft.sendTime)
    writer.field("sessionType", isGroup ? 3 : 1)
    writer.field("sendID", cast.userID(draft.sender))
    if !isGroup { writer.field("recvID", cast.userID(receiver(of: draft))) }
    writer.field("msgFrom", 100)
    if case .recalled = form {
      writer.field("contentType", 2_101)
    } else {
      writer.field("contentType", ElementEncoder.contentType(of: draft))
    }
    writer.field("senderPlatformID", traits.platform)
    writer.field("senderNickname", cast.nickname(draft.sender))
    if traits.hasFace { writer.field("senderFaceUrl", "https://faces.example.org/\(draft.sender.number).png") }
    if isGroup { writer.field("groupID", cast.groupID(draft.conversation)) }
    writer.field("seq", draft.seq)
    writer.field("isRead", traits.isRead || (isLater && !isGroup))
    writer.field("status", isLater ? 2 : traits.status)
    if traits.hasEmptyAttachment { writer.field("attachedInfo", "null") }
    if traits.hasExtra { writer.field("ex", "{\"client\":\"generated\"}") }
    if case .recalled(let recall) = form {
      writeDetail(to: &writer) { writeRecallPayload(recall, inSeconds: false, to: &$0) }
    } else {
      writeElement(of: draft, traits, to: &writer)
    }
    writer.endObject()
  }

  /// Writes the notification of a recall as a value; `seq` counts in the conversation's notification twin.
  func writeNotification(_ recall: RecallFact, seq: Int64, to writer: inout JSONWriter) {
    let conversation = recall.target.conversation
    var random = SeededRandom(seed: seed, stream: UInt64(recall.number) | 1 << 58)
    writer.beginObject()
    writer.field("clientMsgID", ElementEncoder.identifier(&random))
    writer.field("serverMsgID", ElementEncoder.identifier(&random))
    writer.field("createTime", recall.time)
    writer.field("sendTime", recall.time)
    writer.field("sessionType", conversation.isGroup ? 3 : 1)
    writer.field("sendID", cast.userID(recall.revoker))
    if !conversation.isGroup {
      writer.field("recvID", cast.userID(recall.revoker == .account ? conversation.peer : .account))
    }
    writer.field("msgFrom", 200)
    writer.field("contentType", 2_101)
    writer.field("senderPlatformID", 0)
    if conversation.isGroup { writer.field("groupID", cast.groupID(conversation)) }
    writer.field("seq", seq)
    writer.field("isRead", false)
    writer.field("status", 2)
    writeDetail(to: &writer) { detail in
      detail.beginObject()
      detail.field("revokerUserID", cast.userID(recall.revoker))
      detail.field("clientMsgID", Traits(recall.target, seed).clientID)
      detail.field("revokeTime", recall.time)
      // The misspelling is OpenIM's.
      detail.field("sesstionType", conversation.isGroup ? 3 : 1)
      detail.field("seq", recall.target.seq)
      detail.field("conversationID", cast.conversationID(conversation))
      detail.field("isAdminRevoke", isByAdministrator(recall))
      detail.endObject()
    }
    writer.endObject()
  }

  /// Writes the payload of the recall callback as a value. OpenIM gives the time in seconds when the account itself
  /// recalled on this device (receiving spec §1.7).
  func writeRecallPayload(_ recall: RecallFact, inSeconds: Bool, to writer: inout JSONWriter) {
    let target = recall.target
    let isGroup = target.conversation.isGroup
    writer.beginObject()
    writer.field("revokerID", cast.userID(recall.revoker))
    writer.field("revokerRole", isGroup ? (isByAdministrator(recall) ? 60 : 20) : 0)
    writer.field("clientMsgID", Traits(target, seed).clientID)
    writer.field("revokerNickname", cast.nickname(recall.revoker))
    writer.field("revokeTime", inSeconds ? recall.time / 1_000 : recall.time)
    writer.field("sourceMessageSendTime", target.sendTime)
    writer.field("sourceMessageSendID", cast.userID(target.sender))
    writer.field("sourceMessageSenderNickname", cast.nickname(target.sender))
    writer.field("sessionType", isGroup ? 3 : 1)
    writer.field("seq", target.seq)
    writer.field("isAdminRevoke", isByAdministrator(recall))
    writer.endObject()
  }

  private func receiver(of draft: Draft) -> Cast.Person {
    draft.sender == .account ? draft.conversation.peer : .account
  }

  private func isByAdministrator(_ recall: RecallFact) -> Bool { recall.revoker != recall.target.sender }

  private mutating func writeElement(of draft: Draft, _ traits: Traits, to writer: inout JSONWriter) {
    var random = traits.content
    var quotation: JSONWriter?
    if let quoted = draft.quotedDraft {
      var nested = JSONWriter()
      write(quoted, .original, to: &nested)
      quotation = nested
    }
    elements.write(draft, quoting: quotation?.bytes, using: &random, to: &writer)
    guard draft.conversation.isGroup, traits.hasExtra else { return }
    writer.key("attachedInfoElem")
    writer.beginObject()
    writer.key("groupHasReadInfo")
    writer.beginObject()
    writer.field("hasReadCount", 0)
    writer.field("groupMemberCount", draft.conversation.memberCount + 1)
    writer.endObject()
    writer.field("isPrivateChat", false)
    writer.field("burnDuration", 0)
    writer.endObject()
  }

  /// A notification's content is JSON text in a JSON string.
  private func writeDetail(to writer: inout JSONWriter, _ body: (inout JSONWriter) -> Void) {
    var detail = JSONWriter()
    body(&detail)
    writer.key("notificationElem")
    writer.beginObject()
    writer.key("detail")
    writer.string(validUTF8: detail.bytes)
    writer.endObject()
  }
}

/// What a message has besides its draft, drawn from its own random numbers in a fixed order.
private struct Traits {
  let clientID: String
  let serverID: String
  let createTime: Int64
  let platform: Int
  /// 1 where a push still carries the sender's "sending", else 2 (receiving spec §1.6).
  let status: Int
  let isRead: Bool
  let hasFace: Bool
  let hasEmptyAttachment: Bool
  let hasExtra: Bool
  /// Random numbers for the content.
  let content: SeededRandom

  init(_ draft: Draft, _ seed: UInt64) {
    var random = SeededRandom(seed: seed, stream: UInt64(draft.number))
    clientID = ElementEncoder.identifier(&random)
    serverID = ElementEncoder.identifier(&random)
    // The sender's clock: a little earlier, and wrong by minutes for some senders.
    let skew: Int64 = draft.sender.number % 25 == 7 ? 420_000 : 0
    createTime = draft.sendTime - 20 - Int64(random.below(1_500)) + skew
    platform = [1, 1, 2, 2, 2, 3, 4, 5, 7, 9, 11][random.below(11)]
    status = random.below(8) == 0 ? 1 : 2
    isRead = random.below(2) == 0 && draft.sender == .account && !draft.conversation.isGroup && draft.seq > 0
    hasFace = draft.sender.number % 3 != 0
    hasEmptyAttachment = random.below(10) == 0
    hasExtra = random.below(12) == 0
    content = SeededRandom(seed: random.next())
  }
}
