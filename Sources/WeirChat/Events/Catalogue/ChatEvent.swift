/// What an ``EventHub`` delivers: kinds 1 to 15 of the catalogue (receiving spec §3). Events say where to look; only
/// states, presence and typing are values of their own.
public indirect enum ChatEvent: Sendable, Equatable {
  /// The client moved to another state.
  case stateChanged(Native<ClientState>)
  /// The outbox took a message and will keep it.
  case messageQueued(OutboxReceipt)
  /// A failed message is back in the outbox.
  case messageRetryQueued(OutboxReceipt)
  /// A message was taken out of the outbox.
  case messageCancelled(OutboxReceipt)
  /// A read mark of the account moved; nil means in all conversations.
  case conversationReadChanged(conversationID: String?)
  /// A message was edited, recalled or deleted; its conversation, if the source knows it.
  case messageMutated(clientMsgID: String, conversationID: String? = nil)
  /// A transfer moved on.
  case mediaTaskUpdated(MediaTaskUpdate)
  /// Messages are new or moved forward.
  case messageUpserted(ProjectionChange)
  /// The send state or receipt of a message changed.
  case messageStateChanged(ProjectionChange)
  /// The line of a conversation in the list changed.
  case conversationChanged(ProjectionChange)
  /// Friends, requests, groups, members or blocks changed.
  case socialChanged(ProjectionChange)
  /// A batch was committed.
  case syncApplied(ProjectionChange)
  /// Someone came, went, or is away.
  case presenceChanged(PresenceUpdate)
  /// Someone types, or stopped.
  case typingChanged(TypingUpdate)
  /// Something changed that cannot be told in detail.
  case projectionInvalidated(ProjectionChange)

  /// The event of a payload. A payload that this version cannot map (an unknown schema or kind, ids that are missing, or
  /// one that says itself that it must not be interpreted) becomes ``projectionInvalidated(_:)`` with its numbers kept:
  /// it is never dropped and never an error (receiving spec §3, invariant 5).
  public init(_ change: ProjectionChange) {
    guard !change.requiresFullRequery, change.isMappable, let kind = change.kind.known else {
      self = .projectionInvalidated(change)
      return
    }
    switch kind {
    case .messageUpserted: self = .messageUpserted(change)
    case .messageStateChanged: self = .messageStateChanged(change)
    case .conversationChanged: self = .conversationChanged(change)
    case .socialChanged: self = .socialChanged(change)
    case .syncApplied: self = .syncApplied(change)
    case .projectionInvalidated: self = .projectionInvalidated(change)
    }
  }

  /// Its kind.
  public var kind: EventKind {
    switch self {
    case .stateChanged: .stateChanged
    case .messageQueued: .messageQueued
    case .messageRetryQueued: .messageRetryQueued
    case .messageCancelled: .messageCancelled
    case .conversationReadChanged: .conversationReadChanged
    case .messageMutated: .messageMutated
    case .mediaTaskUpdated: .mediaTaskUpdated
    case .messageUpserted: .messageUpserted
    case .messageStateChanged: .messageStateChanged
    case .conversationChanged: .conversationChanged
    case .socialChanged: .socialChanged
    case .syncApplied: .syncApplied
    case .presenceChanged: .presenceChanged
    case .typingChanged: .typingChanged
    case .projectionInvalidated: .projectionInvalidated
    }
  }

  /// The payload of kinds 8 to 12 and 15.
  public var change: ProjectionChange? {
    switch self {
    case .messageUpserted(let change), .messageStateChanged(let change), .conversationChanged(let change),
      .socialChanged(let change), .syncApplied(let change), .projectionInvalidated(let change):
      change
    default: nil
    }
  }

  /// Whether everything must be queried again: the payload says so, or cannot be understood. Kind 15 always means it.
  public var requiresFullRequery: Bool {
    if case .projectionInvalidated = self { return true }
    guard let change else { return false }
    return change.requiresFullRequery || !change.isMappable
  }
}
