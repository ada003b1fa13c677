/// The 17 kinds of the event catalogue (receiving spec §3). The raw value is the number in its table.
///
/// Kinds 1 to 15 travel through an ``EventHub``. The last two answer one caller each and therefore do not: a
/// ``Request`` completes, a ``CredentialBroker`` asks its provider.
public enum EventKind: Int64, Sendable, CaseIterable, CustomStringConvertible {
  /// The client moved to another state.
  case stateChanged = 1
  /// The outbox took a message and will keep it.
  case messageQueued = 2
  /// A failed message is back in the outbox.
  case messageRetryQueued = 3
  /// A message was taken out of the outbox.
  case messageCancelled = 4
  /// A read mark of the account moved.
  case conversationReadChanged = 5
  /// A message was edited, recalled or deleted.
  case messageMutated = 6
  /// A transfer moved on.
  case mediaTaskUpdated = 7
  /// Messages are new or moved forward.
  case messageUpserted = 8
  /// The send state or receipt of a message changed.
  case messageStateChanged = 9
  /// The line of a conversation in the list changed.
  case conversationChanged = 10
  /// Friends, requests, groups, members or blocks changed.
  case socialChanged = 11
  /// A batch was committed; anything may have changed.
  case syncApplied = 12
  /// Someone came, went, or is away.
  case presenceChanged = 13
  /// Someone types, or stopped.
  case typingChanged = 14
  /// Something changed that cannot be told in detail.
  case projectionInvalidated = 15
  /// A call has ended.
  case requestCompletion = 16
  /// A fresh credential is needed.
  case credentialRequest = 17

  /// How far a kind may be relied on.
  public enum Reliability: Sendable, Hashable {
    /// The latest value counts; earlier ones may go.
    case state
    /// Says where to look. May be merged into a wider hint, never lost without one.
    case hint
    /// Like a hint; progress may be skipped, the terminal state is in the store.
    case stateHint
    /// A hint that carries a ``ProjectionChange`` and thus a revision.
    case projectionHint
    /// A hint for a whole batch.
    case batchHint
    /// Of the moment only: may be lost, never stored.
    case transient
    /// A hint to look at everything, in place of what could not be understood.
    case protective
    /// Exactly one for each call.
    case exactlyOnce
    /// At most one under way; all who wait share its answer.
    case singleFlight
  }

  /// How far the kind may be relied on.
  public var reliability: Reliability {
    switch self {
    case .stateChanged: .state
    case .messageQueued, .messageRetryQueued, .messageCancelled, .conversationReadChanged, .messageMutated: .hint
    case .mediaTaskUpdated: .stateHint
    case .messageUpserted, .messageStateChanged, .conversationChanged, .socialChanged: .projectionHint
    case .syncApplied: .batchHint
    case .presenceChanged, .typingChanged: .transient
    case .projectionInvalidated: .protective
    case .requestCompletion: .exactlyOnce
    case .credentialRequest: .singleFlight
    }
  }

  /// Whether a hint about a batch covers the kind (kinds 8 to 12).
  public var isCoveredBySync: Bool { (Self.messageUpserted.rawValue...Self.syncApplied.rawValue).contains(rawValue) }

  /// Whether the kind says where to query again.
  public var isHint: Bool {
    switch reliability {
    case .hint, .stateHint, .projectionHint, .batchHint, .protective: true
    case .state, .transient, .exactlyOnce, .singleFlight: false
    }
  }

  /// The name in the catalogue.
  public var description: String {
    switch self {
    case .stateChanged: "stateChanged"
    case .messageQueued: "messageQueued"
    case .messageRetryQueued: "messageRetryQueued"
    case .messageCancelled: "messageCancelled"
    case .conversationReadChanged: "conversationReadChanged"
    case .messageMutated: "messageMutated"
    case .mediaTaskUpdated: "mediaTaskUpdated"
    case .messageUpserted: "messageUpserted"
    case .messageStateChanged: "messageStateChanged"
    case .conversationChanged: "conversationChanged"
    case .socialChanged: "socialChanged"
    case .syncApplied: "syncApplied"
    case .presenceChanged: "presenceChanged"
    case .typingChanged: "typingChanged"
    case .projectionInvalidated: "projectionInvalidated"
    case .requestCompletion: "requestCompletion"
    case .credentialRequest: "credentialRequest"
    }
  }
}
