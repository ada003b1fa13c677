/// Which projection event a ``ProjectionChange`` belongs to. The numbers are those of ``EventKind``.
public enum ProjectionKind: Int64, Sendable, CaseIterable {
  /// Messages are new or moved forward.
  case messageUpserted = 8
  /// The send state or receipt of a message changed.
  case messageStateChanged = 9
  /// The line of a conversation in the list changed.
  case conversationChanged = 10
  /// Friends, requests, groups, members or blocks changed.
  case socialChanged = 11
  /// A batch was committed.
  case syncApplied = 12
  /// Something changed that cannot be told in detail.
  case projectionInvalidated = 15
}

/// Where a change came from.
public enum ProjectionOrigin: Int64, Sendable, CaseIterable {
  /// A call of the application.
  case local = 0
  /// A server.
  case remoteSync = 1
  /// The outbox.
  case outbox = 2
}

/// The state of a message as a hint tells it, to decide how urgent a query is. It never reaches a view.
public enum MessageStateHint: Int64, Sendable, CaseIterable {
  /// In the outbox.
  case queued = 0
  /// On its way.
  case sending = 1
  /// The server has it.
  case sent = 2
  /// A device of the receiver has it.
  case delivered = 3
  /// The receiver has read it.
  case read = 4
  /// Given up.
  case failed = 5
  /// Withdrawn.
  case cancelled = 6
}

/// What kinds 8 to 12 and 15 carry: where to query again (receiving spec §3). Its values say where to look, never what is
/// there.
public struct ProjectionChange: Sendable, Equatable {
  /// The only schema this version understands.
  public static let knownSchema: Int64 = 1

  /// The schema of the payload. Another one than ``knownSchema`` asks for a full query.
  public var schemaVersion: Int64
  /// What changed.
  public var kind: Native<ProjectionKind>
  /// Where it came from.
  public var origin: Native<ProjectionOrigin>
  /// Which social list changed; nil for none, which means all of them.
  public var socialScope: Native<SocialFact.Scope>?
  /// The state of a message; nil when the event is not about one.
  public var messageState: Native<MessageStateHint>?
  /// The login it belongs to.
  public var accountEpoch: UInt64
  /// The connection it came in on. Orders states; an older one does not make a hint void.
  public var connectionGeneration: UInt64
  /// The revision of the store with the change; 0 when not told.
  public var projectionRevision: Int64
  /// The first of the revisions it stands for; equal to `projectionRevision` for a single change.
  public var firstRevision: Int64
  /// The revision of the entity; 0 when not told.
  public var entityRevision: Int64
  /// The seq of the message or of the sync; 0 when not told.
  public var sequence: Int64
  /// About how many rows changed.
  public var affectedCount: Int64
  /// The conversation, where there is only one.
  public var conversationID: String?
  /// The message, where there is only one.
  public var clientMessageID: String?
  /// The server's id of that message.
  public var serverMessageID: String?
  /// The group or user of a social change.
  public var scopeID: String?
  /// Whether everything must be queried again. Nothing else of the payload is read then.
  public var requiresFullRequery: Bool

  /// A change of its parts; what is left out is not told. `firstRevision` defaults to `projectionRevision`.
  public init(
    schemaVersion: Int64 = ProjectionChange.knownSchema, kind: Native<ProjectionKind>,
    origin: Native<ProjectionOrigin> = .known(.remoteSync), socialScope: Native<SocialFact.Scope>? = nil,
    messageState: Native<MessageStateHint>? = nil, accountEpoch: UInt64 = 0, connectionGeneration: UInt64 = 0,
    projectionRevision: Int64 = 0, firstRevision: Int64? = nil, entityRevision: Int64 = 0, sequence: Int64 = 0,
    affectedCount: Int64 = 0, conversationID: String? = nil, clientMessageID: String? = nil,
    serverMessageID: String? = nil, scopeID: String? = nil, requiresFullRequery: Bool = false
  ) {
    self.schemaVersion = schemaVersion
    self.kind = kind
    self.origin = origin
    self.socialScope = socialScope
    self.messageState = messageState
    self.accountEpoch = accountEpoch
    self.connectionGeneration = connectionGeneration
    self.projectionRevision = projectionRevision
    self.firstRevision = min(firstRevision ?? projectionRevision, projectionRevision)
    self.entityRevision = entityRevision
    self.sequence = sequence
    self.affectedCount = affectedCount
    self.conversationID = conversationID
    self.clientMessageID = clientMessageID
    self.serverMessageID = serverMessageID
    self.scopeID = scopeID
    self.requiresFullRequery = requiresFullRequery
  }

  /// A change that asks for everything to be queried again.
  public static func everything(accountEpoch: UInt64 = 0, connectionGeneration: UInt64 = 0) -> ProjectionChange {
    ProjectionChange(
      kind: .known(.projectionInvalidated), origin: .known(.local), accountEpoch: accountEpoch,
      connectionGeneration: connectionGeneration, requiresFullRequery: true)
  }

  /// The revisions it stands for; nil when it tells none.
  public var revisions: ClosedRange<Int64>? {
    guard projectionRevision > 0 else { return nil }
    return min(max(firstRevision, 1), projectionRevision)...projectionRevision
  }

  /// Whether this version can tell from the payload where to look: a known schema and kind, and the ids that the kind
  /// cannot do without.
  public var isMappable: Bool {
    guard schemaVersion == Self.knownSchema, let kind = kind.known else { return false }
    switch kind {
    case .messageUpserted: return conversationID?.isEmpty == false
    case .messageStateChanged: return conversationID?.isEmpty == false || clientMessageID?.isEmpty == false
    case .conversationChanged, .socialChanged, .syncApplied, .projectionInvalidated: return true
    }
  }
}
