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

  /// The client id of the one message it is about; empty when it names none, several, or a seq.
  public var clientMsgID: String {
    switch self {
    case .message(let message): message.key.clientMsgID
    case .recall(let recall): recall.clientMsgID
    case .edit(let edit): edit.target.clientMsgID ?? ""
    case .send(let send): send.clientMsgID
    case .local(let local): local.clientMsgID
    case .delete, .clear, .read, .seqs, .conversation, .social, .mediaTask: ""
    }
  }

  /// The conversation it is about; empty when it names none.
  public var conversationID: String {
    switch self {
    case .message(let message): message.key.conversationID
    case .recall(let recall): if case .conversation(let id) = recall.target { id } else { "" }
    case .edit(let edit): edit.conversationID
    case .delete(let delete): delete.conversationID
    case .clear(let clear): clear.conversationID
    case .read(let read): read.conversationID
    case .send(let send): send.conversationID
    case .seqs(let seqs): seqs.conversationID
    case .conversation(let conversation): conversation.conversationID
    case .local(let local): local.conversationID
    case .social, .mediaTask: ""
    }
  }

  /// Whether only this device knows it, so that no server can deliver it again: an own message on its way out, a step
  /// of its sending, a draft, the application's own words. The store syncs such facts to the disk before it answers.
  public var isOnlyHere: Bool {
    switch self {
    case .message(let message): message.evidence == .none && message.envelope.seq == 0
    case .send(let send): if case .attempt = send.event { true } else { false }
    case .local: true
    case .conversation(let conversation):
      conversation.properties.contains { if case .draft = $0 { true } else { false } }
    case .recall, .edit, .delete, .clear, .read, .seqs, .social, .mediaTask: false
    }
  }
}
