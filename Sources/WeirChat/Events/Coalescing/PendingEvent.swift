/// One entry of an ``EventQueue``: an event, and what has been merged into it since. The event to deliver is made only
/// when it is taken, so merging allocates nothing.
struct PendingEvent: Sendable {
  /// How wide the entry has become by covering events of other keys.
  enum Width: Int, Sendable, Comparable {
    case asPublished
    /// All messages of one conversation.
    case timeline
    /// The read marks of all conversations.
    case readAll
    /// All social lists.
    case social
    /// Everything that is visible.
    case sync
    case everything

    static func < (left: Width, right: Width) -> Bool { left.rawValue < right.rawValue }
  }

  /// The event that asks for most: the latest, unless an earlier one asks for more.
  private(set) var published: PublishedEvent
  /// The place of the latest event.
  private(set) var number: UInt64
  private(set) var covers: Int
  private(set) var width = Width.asPublished
  private var isWidened = false
  private var connectionGeneration: UInt64
  private var affected: Int64
  /// The revisions of everything in it; nil as soon as one event tells none. A reader may skip an event whose revisions
  /// it has seen, so one that is not only about those must not name them.
  private var revisions: ClosedRange<Int64>?
  private var namesConversation = true
  private var namesMessage = true

  init(_ event: PublishedEvent) {
    published = event
    number = event.envelope.number
    covers = event.envelope.covers
    isWidened = event.envelope.isWidened
    connectionGeneration = event.envelope.connectionGeneration
    affected = event.affected
    revisions = event.revisions
  }

  /// Takes in a later event of the same key.
  mutating func merge(_ event: PublishedEvent) {
    if namesConversation, !Self.same(event.conversationID, published.conversationID) { namesConversation = false }
    if namesMessage, !Self.same(event.clientMsgID, published.clientMsgID) { namesMessage = false }
    if event.displaces(published) { published = event }
    add(event.envelope.covers, event.envelope.connectionGeneration, event.affected, event.revisions)
    number = event.envelope.number
  }

  /// Takes in a later event of another key, which this entry covers when it is as wide as `width`.
  mutating func cover(_ event: PublishedEvent, as width: Width) {
    self.width = max(self.width, width)
    add(event.envelope.covers, event.envelope.connectionGeneration, event.affected, event.revisions)
    number = event.envelope.number
  }

  /// Takes in another entry. Both have become as wide as `width`.
  mutating func cover(_ other: PendingEvent, as width: Width, isOverflow: Bool) {
    self.width = max(self.width, other.width, width)
    isWidened = isWidened || other.isWidened || isOverflow
    add(other.covers, other.connectionGeneration, other.affected, other.revisions)
    number = max(number, other.number)
  }

  /// Makes the entry wider than what is in it, for lack of room.
  mutating func widen(to width: Width) {
    self.width = max(self.width, width)
    isWidened = true
  }

  /// The timeline that covers all of it, if there is one.
  var timeline: CoalescingKey? { namesConversation ? published.timeline : nil }

  private mutating func add(_ covers: Int, _ generation: UInt64, _ affected: Int64, _ revisions: ClosedRange<Int64>?) {
    self.covers &+= covers
    connectionGeneration = max(connectionGeneration, generation)
    let (sum, overflow) = self.affected.addingReportingOverflow(affected)
    self.affected = overflow ? .max : sum
    if let mine = self.revisions, let revisions {
      self.revisions = min(mine.lowerBound, revisions.lowerBound)...max(mine.upperBound, revisions.upperBound)
    } else {
      self.revisions = nil
    }
  }

  private static func same(_ left: String?, _ right: String?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8Equals(right)
    default: false
    }
  }
}

extension PendingEvent {
  /// What a subscriber gets.
  var envelope: EventEnvelope {
    var envelope = published.envelope
    envelope.number = number
    envelope.covers = covers
    envelope.isWidened = isWidened
    envelope.connectionGeneration = connectionGeneration
    if covers > 1 || width != .asPublished { envelope.event = merged }
    return envelope
  }

  private var merged: ChatEvent {
    switch width {
    case .asPublished: return narrowed(published.envelope.event)
    case .timeline: return .messageUpserted(change(.messageUpserted, in: published.conversationID))
    case .readAll: return .conversationReadChanged(conversationID: nil)
    case .social: return .socialChanged(change(.socialChanged))
    case .sync: return .syncApplied(change(.syncApplied))
    case .everything:
      var all = change(.projectionInvalidated)
      all.requiresFullRequery = true
      return .projectionInvalidated(all)
    }
  }

  /// The event without the ids that were not in all of those it stands for.
  private func narrowed(_ event: ChatEvent) -> ChatEvent {
    switch event {
    case .messageUpserted(let change): .messageUpserted(narrowed(change))
    case .messageStateChanged(let change): .messageStateChanged(narrowed(change))
    case .conversationChanged(let change): .conversationChanged(narrowed(change))
    case .socialChanged(let change): .socialChanged(narrowed(change))
    case .syncApplied(let change): .syncApplied(narrowed(change))
    case .projectionInvalidated(let change): .projectionInvalidated(narrowed(change))
    case .messageMutated(let id, let conversation):
      .messageMutated(clientMsgID: id, conversationID: namesConversation ? conversation : nil)
    case .messageQueued(let receipt): .messageQueued(narrowed(receipt))
    case .messageRetryQueued(let receipt): .messageRetryQueued(narrowed(receipt))
    case .messageCancelled(let receipt): .messageCancelled(narrowed(receipt))
    case .stateChanged, .conversationReadChanged, .mediaTaskUpdated, .presenceChanged, .typingChanged: event
    }
  }

  private func narrowed(_ change: ProjectionChange) -> ProjectionChange {
    var change = change
    change.connectionGeneration = connectionGeneration
    change.affectedCount = affected
    change.projectionRevision = revisions?.upperBound ?? 0
    change.firstRevision = revisions?.lowerBound ?? 0
    if !namesConversation { change.conversationID = nil }
    if !namesMessage {
      change.clientMessageID = nil
      change.serverMessageID = nil
    }
    return change
  }

  private func narrowed(_ receipt: OutboxReceipt) -> OutboxReceipt {
    var receipt = receipt
    if !namesConversation { receipt.conversationID = nil }
    if !namesMessage { receipt.clientMsgID = nil }
    return receipt
  }

  private func change(_ kind: ProjectionKind, in conversationID: String? = nil) -> ProjectionChange {
    let envelope = published.envelope
    return ProjectionChange(
      kind: .known(kind), origin: envelope.event.change?.origin ?? .known(.local), accountEpoch: envelope.accountEpoch,
      connectionGeneration: connectionGeneration, projectionRevision: revisions?.upperBound ?? 0,
      firstRevision: revisions?.lowerBound, affectedCount: affected, conversationID: conversationID)
  }
}
