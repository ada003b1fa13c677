/// Which topics an event reaches (receiving spec §3, column "reader re-queries"). Where an event does not tell an id it
/// reaches all ids.
enum Touch: Sendable, Equatable {
  /// No topic: states and what lives in memory only.
  case nothing
  /// All topics.
  case everything
  /// An outgoing message, or all of them.
  case outgoing(id: String?, conversation: String?)
  /// A message, its timeline, and the list with its preview and counts.
  case mutated(id: String, conversation: String?)
  /// Messages of a conversation, or one of them; the list with its preview and counts.
  case upserted(conversation: String?, id: String?)
  /// The state of a message, which the preview shows too.
  case messageState(conversation: String?, id: String?)
  /// Read marks of a conversation, or of all.
  case read(conversation: String?)
  /// The list and the sums.
  case list
  /// A social list, or all.
  case social(SocialFact.Scope?, of: String?)
  /// A transfer.
  case media(String)

  init(_ event: ChatEvent) {
    guard !event.requiresFullRequery else {
      self = .everything
      return
    }
    switch event {
    case .stateChanged, .presenceChanged, .typingChanged: self = .nothing
    case .messageQueued(let receipt), .messageRetryQueued(let receipt), .messageCancelled(let receipt):
      self = .outgoing(id: receipt.clientMsgID, conversation: receipt.conversationID)
    case .conversationReadChanged(let conversation): self = .read(conversation: conversation)
    case .messageMutated(let id, let conversation): self = .mutated(id: id, conversation: conversation)
    case .mediaTaskUpdated(let update): self = .media(update.taskID)
    case .messageUpserted(let change):
      self = .upserted(conversation: change.conversationID, id: change.clientMessageID)
    case .messageStateChanged(let change):
      self = .messageState(conversation: change.conversationID, id: change.clientMessageID)
    case .conversationChanged: self = .list
    case .socialChanged(let change):
      // A list that is not told, or not known, is all of them; an id says nothing without its list.
      let scope = change.socialScope?.known
      self = .social(scope, of: scope == nil ? nil : change.scopeID ?? change.conversationID)
    case .syncApplied, .projectionInvalidated: self = .everything
    }
  }

  func reaches(_ topic: Topic) -> Bool {
    switch (self, topic) {
    case (.nothing, _): false
    case (.everything, _): true
    case (.outgoing(let id, let conversation), .message(let wanted, let place)),
      (.upserted(let conversation, let id), .message(let wanted, let place)),
      (.messageState(let conversation, let id), .message(let wanted, let place)):
      Self.agree(id, wanted) && Self.agree(conversation, place)
    case (.mutated(let id, let conversation), .message(let wanted, let place)):
      Self.agree(id, wanted) && Self.agree(conversation, place)
    case (.outgoing(_, let conversation), .messages(let place)),
      (.mutated(_, let conversation), .messages(let place)),
      (.upserted(let conversation, _), .messages(let place)),
      (.messageState(let conversation, _), .messages(let place)),
      (.read(let conversation), .peerReads(let place)):
      Self.agree(conversation, place)
    case (.mutated, .conversations), (.upserted, .conversations), (.messageState, .conversations),
      (.read, .conversations), (.list, .conversations):
      true
    case (.mutated, .totals), (.upserted, .totals), (.read, .totals), (.list, .totals): true
    case (.social(let scope, let entity), .social(let wanted, let group)):
      (scope == nil || scope == wanted) && Self.agree(entity, group)
    case (.media(let id), .mediaTask(let wanted)): id.utf8Equals(wanted)
    default: false
    }
  }

  /// Whether two ids may be the same: what is not told agrees with all.
  private static func agree(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return true }
    return left.utf8Equals(right)
  }
}
