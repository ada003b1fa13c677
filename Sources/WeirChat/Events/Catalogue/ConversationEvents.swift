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
  /// The events that tell readers of this change, all with its revision: first those about messages, then the one
  /// about the list. `template` carries what the store does not know: origin, epoch and connection.
  ///
  /// A bit that this version does not know becomes a `projectionInvalidated` with all bits as its number, so that a
  /// newer store never changes anything in silence.
  public func events(_ template: ProjectionChange) -> [ChatEvent] {
    var change = template
    change.projectionRevision = revision
    change.firstRevision = revision
    change.entityRevision = revision
    change.conversationID = conversationID
    change.affectedCount = Int64(clientMsgIDs.count)
    change.clientMessageID = clientMsgIDs.count == 1 ? clientMsgIDs[0] : nil
    guard ChangeKinds.mapped.isSuperset(of: kinds) else {
      change.kind = .unknown(kinds.rawValue)
      return [.projectionInvalidated(change)]
    }
    var events: [ChatEvent] = []
    if !kinds.isDisjoint(with: [.inserted, .updated]) || kinds.contains(.recalled) && clientMsgIDs.count > Self.single {
      change.kind = .known(.messageUpserted)
      events.append(ChatEvent(change))
    } else if kinds.contains(.recalled) {
      events += clientMsgIDs.map { .messageMutated(clientMsgID: $0, conversationID: conversationID) }
    }
    // Nothing came and nothing was taken back, and yet the unread number moved: a read mark did it.
    if kinds.contains(.unread), kinds.isDisjoint(with: [.inserted, .recalled]) {
      events.append(.conversationReadChanged(conversationID: conversationID))
    }
    if !kinds.isDisjoint(with: [.unread, .summary]) || events.isEmpty {
      change.kind = .known(.conversationChanged)
      change.clientMessageID = nil
      events.append(ChatEvent(change))
    }
    return events
  }

  /// Above this many messages one event about the conversation takes the place of one for each.
  private static var single: Int { 16 }
}

extension ChangeKinds {
  /// The kinds that ``ConversationChange/events(_:)`` knows what to do with.
  static let mapped: ChangeKinds = [.inserted, .updated, .recalled, .unread, .summary]
}
