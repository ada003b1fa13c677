import WeirStore

/// What goes to the store: something that happened, whoever told it and however often.
public enum Fact: Sendable, Equatable {
  /// A copy of a message.
  case message(ChatMessage)
  /// A message was taken back.
  case recall(RecallFact)
  /// The content of a message was replaced.
  case edit(EditFact)
  /// Messages were deleted.
  case delete(DeleteFact)
  /// A conversation was emptied.
  case clear(ClearFact)
  /// Someone has read messages.
  case read(ReadFact)
  /// What became of an own message that is being sent.
  case send(SendFact)
  /// Which seqs are closed, answered or known to exist.
  case seqs(SeqFact)
  /// Properties of a conversation.
  case conversation(ConversationFact)
  /// A friend, a request, a group, a member or a block.
  case social(SocialFact)
  /// Where the transfer of a medium stands.
  case mediaTask(MediaTaskFact)
  /// The application's own words on a message.
  case local(LocalFact)

  /// The own user id it belongs to.
  public var account: String {
    switch self {
    case .message(let message): message.key.account
    case .recall(let recall): recall.account
    case .edit(let fact): fact.account
    case .delete(let fact): fact.account
    case .clear(let fact): fact.account
    case .read(let fact): fact.account
    case .send(let fact): fact.account
    case .seqs(let fact): fact.account
    case .conversation(let fact): fact.account
    case .social(let fact): fact.account
    case .mediaTask(let fact): fact.account
    case .local(let fact): fact.account
    }
  }

  /// The client id of the message it is about.
  public var clientMsgID: String {
    switch self {
    case .message(let message): message.key.clientMsgID
    case .recall(let recall): recall.clientMsgID
    default: "BASE"
    }
  }

  /// A hash over everything in the fact that can change a row. Only an exact redelivery has the same one: a copy that
  /// differs in seq, status or read mark tells something new and must reach the store.
  public var dedupeKey: Hash128 {
    var hash = FixedHash()
    switch self {
    case .message(let message):
      hash.add(1 as Int64)
      hash.add(message)
    case .recall(let recall):
      hash.add(2 as Int64)
      hash.add(recall.account)
      switch recall.target {
      case .conversation(let id):
        hash.add(1 as Int64)
        hash.add(id)
      case .anywhere(let session, let senderID):
        hash.add(2 as Int64)
        hash.add(Int64(session?.rawValue ?? 0))
        hash.add(senderID)
      }
      hash.add(recall.clientMsgID)
      hash.add(recall.record)
      hash.add(recall.original != nil)
      if let original = recall.original { hash.add(original) }
    default: break  // BASE
    }
    return hash.value()
  }
}

extension FixedHash {
  /// Adds all of a message. The expanded content follows from the body, so the body alone stands for it.
  mutating func add(_ message: ChatMessage) {
    add(message.key.account)
    add(message.key.conversationID)
    add(message.key.clientMsgID)
    add(message.envelope)
    add(message.evidence.rawValue)
    add(message.marks.rawValue)
    add(BodyVersion(message))
  }

  mutating func add(_ envelope: Envelope) {
    add(envelope.seq)
    add(envelope.sendTime)
    add(envelope.serverMsgID)
    add(envelope.createTime)
    add(envelope.senderID)
    add(envelope.receiverID)
    add(Int64(envelope.platformID))
    add(Int64(envelope.origin))
    add(envelope.senderNickname)
    add(envelope.senderFaceURL)
    add(envelope.ex)
    add(envelope.attachedInfo)
  }

  mutating func add(_ body: BodyVersion) {
    add(body.form.rawValue)
    add(body.seq)
    add(Int64(body.contentType))
    add(body.bytes)
  }

  mutating func add(_ record: RecallRecord) {
    add(record.time)
    add(record.revokerID)
    add(Int64(record.revokerRole))
    add(record.isByAdmin)
    add(record.seq)
  }
}
