import ChatFixtures

@testable import WeirChat

/// Facts of the fixtures' account, in few words.
enum Make {
  static let account = ChatScript.account
  static let group = "sg_3027148891"
  static let peer = "8842110937"
  static let single = "si_7315502264_8842110937"
  static let time: Int64 = 1_718_000_000_000

  /// A copy of a message that the server delivered.
  static func message(
    _ id: String, seq: Int64, from sender: String = peer, in conversation: String = group, text: String? = nil,
    at sendTime: Int64? = nil, server: String? = nil, marks: MessageMarks = [], attached: String = ""
  ) -> Fact {
    var envelope = Envelope()
    envelope.seq = seq
    envelope.sendTime = sendTime ?? time &+ seq &* 1_000
    envelope.serverMsgID = server ?? "server-\(id)-\(seq)"
    envelope.createTime = envelope.sendTime &- 100
    envelope.senderID = sender
    if conversation == single { envelope.receiverID = sender == account ? peer : account }
    envelope.attachedInfo = attached
    return .message(
      ChatMessage(
        key: MessageKey(account: account, conversationID: conversation, clientMsgID: id), envelope: envelope,
        marks: marks, content: .text(text ?? "text of \(id)")))
  }

  /// An own message as its sender stored it, before the server has it.
  static func pending(_ id: String, at createTime: Int64 = time, in conversation: String = single) -> Fact {
    var envelope = Envelope()
    envelope.createTime = createTime
    envelope.senderID = account
    if conversation == single { envelope.receiverID = peer }
    return .message(
      ChatMessage(
        key: MessageKey(account: account, conversationID: conversation, clientMsgID: id), envelope: envelope,
        evidence: .none, content: .text("text of \(id)")))
  }

  static func attempt(
    _ id: String, _ step: SendFact.Step, number: Int64 = 1, in conversation: String = single
  ) -> Fact {
    .send(
      SendFact(
        account: account, conversationID: conversation, clientMsgID: id, event: .attempt(number: number, step: step)))
  }

  static func ack(_ id: String, seq: Int64 = 0, at sendTime: Int64, in conversation: String = single) -> Fact {
    .send(
      SendFact(
        account: account, conversationID: conversation, clientMsgID: id,
        event: .acknowledged(serverMsgID: "server-\(id)-\(seq)", sendTime: sendTime, seq: seq)))
  }

  static func delivered(_ id: String, in conversation: String = single) -> Fact {
    .send(SendFact(account: account, conversationID: conversation, clientMsgID: id, event: .delivered(time: 0)))
  }

  static func recall(_ id: String, in conversation: String = group, at revoked: Int64 = time + 500_000) -> Fact {
    .recall(
      RecallFact(
        account: account, target: .conversation(conversation), clientMsgID: id,
        record: RecallRecord(time: revoked, revokerID: peer)))
  }

  static func recall(seq: Int64, in conversation: String = group, at revoked: Int64 = time + 500_000) -> Fact {
    .recall(
      RecallFact(
        account: account, target: .conversation(conversation), clientMsgID: "",
        record: RecallRecord(time: revoked, revokerID: peer, seq: seq)))
  }

  static func edit(
    _ target: MessageReference, version: Int64, text: String, in conversation: String = group, by editor: String = peer
  ) -> Fact {
    .edit(
      EditFact(
        account: account, conversationID: conversation, target: target, version: version,
        time: time &+ version &* 10_000, editorID: editor, contentType: 101,
        body: .element(Array("{\"content\":\(CallbackLine.quoted(text))}".utf8))))
  }

  static func delete(
    _ targets: MessageReference..., scope: DeleteFact.Scope = .forSelf, in conversation: String = group
  ) -> Fact {
    .delete(DeleteFact(account: account, conversationID: conversation, targets: targets, scope: scope))
  }

  static func clear(_ seq: Int64, time: Int64 = 0, hides: Bool = false, in conversation: String = group) -> Fact {
    .clear(
      ClearFact(
        account: account, conversationID: conversation, upToSeq: seq, upToTime: time, hidesConversation: hides))
  }

  static func read(
    _ seq: Int64, by reader: String = account, at when: Int64 = 0, in conversation: String = group
  ) -> Fact {
    .read(ReadFact(account: account, conversationID: conversation, readerID: reader, upToSeq: seq, time: when))
  }

  static func read(
    _ targets: [MessageReference], by reader: String = account, at when: Int64 = 0, in conversation: String = group
  ) -> Fact {
    .read(ReadFact(account: account, conversationID: conversation, readerID: reader, messages: targets, time: when))
  }

  static func seqs(
    closed: [ClosedRange<Int64>] = [], answered: [ClosedRange<Int64>] = [], max: Int64 = 0, min: Int64 = 0,
    in conversation: String = group
  ) -> Fact {
    .seqs(
      SeqFact(
        account: account, conversationID: conversation, closed: closed, answered: answered, serverMaxSeq: max,
        serverMinSeq: min))
  }

  static func set(
    _ properties: ConversationFact.Property..., revision: Int64 = 1, in conversation: String = group
  ) -> Fact {
    .conversation(
      ConversationFact(account: account, conversationID: conversation, revision: revision, properties: properties))
  }

  static func local(_ id: String, _ text: String, revision: Int64 = 1, in conversation: String = group) -> Fact {
    .local(
      LocalFact(account: account, conversationID: conversation, clientMsgID: id, revision: revision, localEx: text))
  }
}
