extension ChatEvent {
  /// The events of the changes of one or several commits, in order. More than `batch` changes become one `syncApplied`,
  /// since readers would query everything anyway.
  public static func events(
    of changes: [ConversationChange], _ template: ProjectionChange, batch: Int
  ) -> [ChatEvent] {
    guard changes.count > batch, let first = changes.first, let last = changes.last else {
      return changes.flatMap { $0.events(template) }
    }
    var change = template
    change.kind = .known(.syncApplied)
    change.firstRevision = first.revision
    change.projectionRevision = last.revision
    change.affectedCount = changes.reduce(0) { $0 + Int64($1.clientMsgIDs.count) }
    return [ChatEvent(change)]
  }
}

extension ConversationChange {
  /// The events that tell readers of this change, all with its revision: first those about messages, then read marks,
  /// then the one about the list. `template` carries what the store does not know: origin, epoch and connection.
  ///
  /// A bit that this version does not know becomes a `projectionInvalidated` with all bits as its number, so that a
  /// newer store never changes anything in silence.
  public func events(_ template: ProjectionChange) -> [ChatEvent] {
    var change = template
    change.projectionRevision = revision
    change.firstRevision = revision
    change.entityRevision = revision
    guard ChangeKinds.mapped.isSuperset(of: kinds) else {
      change.conversationID = conversationID
      change.kind = .unknown(kinds.rawValue)
      return [.projectionInvalidated(change)]
    }
    if !kinds.isDisjoint(with: .elsewhere) { return eventsElsewhere(change) }
    change.conversationID = conversationID
    change.affectedCount = Int64(clientMsgIDs.count)
    var events = messageEvents(change)
    if isReadMark { events.append(.conversationReadChanged(conversationID: conversationID)) }
    if !kinds.isDisjoint(with: .list) || events.isEmpty {
      change.kind = .known(.conversationChanged)
      events.append(ChatEvent(change))
    }
    return events
  }

  /// What says that messages are new, have changed, or are no longer there.
  private func messageEvents(_ template: ProjectionChange) -> [ChatEvent] {
    var change = template
    let isMutated = !kinds.isDisjoint(with: .mutations)
    // Only where nothing but single messages changed can one be named.
    if clientMsgIDs.count == 1, kinds.isDisjoint(with: .wholeTimeline) { change.clientMessageID = clientMsgIDs[0] }
    if !kinds.isDisjoint(with: .timeline) || isMutated && !(1...Self.single).contains(clientMsgIDs.count) {
      change.kind = .known(.messageUpserted)
      return [ChatEvent(change)]
    }
    var events: [ChatEvent] = []
    if isMutated { events += clientMsgIDs.map { .messageMutated(clientMsgID: $0, conversationID: conversationID) } }
    if !kinds.isDisjoint(with: [.sendState, .receipts]) {
      change.kind = .known(.messageStateChanged)
      events.append(ChatEvent(change))
    }
    return events
  }

  /// Whether a read mark moved, of the account or of others: the store says so, or the unread number moved though
  /// nothing came and nothing went.
  private var isReadMark: Bool {
    !kinds.isDisjoint(with: [.read, .receipts])
      || kinds.contains(.unread) && kinds.isDisjoint(with: [.inserted, .recalled, .deleted, .cleared])
  }

  /// Changes that belong to no conversation.
  private func eventsElsewhere(_ template: ProjectionChange) -> [ChatEvent] {
    var events: [ChatEvent] = []
    if let mediaTaskID {
      let state = mediaState.map { Native.known($0) } ?? .unknown(-1)
      events.append(.mediaTaskUpdated(MediaTaskUpdate(taskID: mediaTaskID, state: state)))
    }
    if kinds.contains(.social) || mediaTaskID == nil {
      var change = template
      change.kind = .known(.socialChanged)
      change.socialScope = social.map { .known($0.scope) }
      change.scopeID = social.flatMap { $0.scopeID.isEmpty ? nil : $0.scopeID }
      events.append(ChatEvent(change))
    }
    return events
  }

  /// Above this many messages one event about the conversation takes the place of one for each.
  private static var single: Int { 16 }
}

extension ChangeKinds {
  /// The kinds that ``ConversationChange/events(_:)`` knows what to do with.
  static let mapped: ChangeKinds = [
    .timeline, .mutations, .list, .elsewhere, .read, .receipts, .sendState,
  ]
  /// Kinds that change which messages a timeline has.
  static let timeline: ChangeKinds = [.inserted, .updated, .cleared, .gaps]
  /// Kinds that may reach messages that are not named.
  static let wholeTimeline: ChangeKinds = [.cleared, .gaps, .read, .receipts]
  /// Kinds that change what single messages show.
  static let mutations: ChangeKinds = [.recalled, .edited, .deleted, .localEx]
  /// Kinds that change the line in the list or the sums.
  static let list: ChangeKinds = [.unread, .summary, .properties, .cleared, .gaps]
  /// Kinds that belong to no conversation.
  static let elsewhere: ChangeKinds = [.social, .media]
}
