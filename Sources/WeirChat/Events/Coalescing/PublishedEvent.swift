/// An event as it was published, with everything the queues of all subscribers need to know of it, found once.
final class PublishedEvent: Sendable {
  let envelope: EventEnvelope
  let key: CoalescingKey
  /// The timeline that covers the event, if it is about messages of a conversation that it names.
  let timeline: CoalescingKey?
  let touch: Touch
  let conversationID: String?
  let clientMsgID: String?
  let revisions: ClosedRange<Int64>?
  let affected: Int64
  /// Orders events of one key.
  private let rank: Int64

  init(_ envelope: EventEnvelope) {
    self.envelope = envelope
    key = CoalescingKey(envelope.event)
    touch = Touch(envelope.event)
    let change = envelope.event.change
    revisions = change?.revisions
    affected = change?.affectedCount ?? 0
    switch envelope.event {
    case .messageQueued(let receipt), .messageRetryQueued(let receipt), .messageCancelled(let receipt):
      (conversationID, clientMsgID, rank) = (receipt.conversationID, receipt.clientMsgID, 0)
    case .messageStateChanged:
      (conversationID, clientMsgID, rank) = (change?.conversationID, change?.clientMessageID, 1)
    case .messageMutated(let id, let conversation): (conversationID, clientMsgID, rank) = (conversation, id, 2)
    case .messageUpserted:
      (conversationID, clientMsgID, rank) = (change?.conversationID, change?.clientMessageID, 3)
    case .conversationReadChanged(let conversation): (conversationID, clientMsgID, rank) = (conversation, nil, 0)
    // A final state is never displaced by progress.
    case .mediaTaskUpdated(let update): (conversationID, clientMsgID, rank) = (nil, nil, update.isTerminal ? 1 : 0)
    // What came later is not always newer.
    case .presenceChanged(let update): (conversationID, clientMsgID, rank) = (nil, nil, update.sequence)
    case .typingChanged(let update): (conversationID, clientMsgID, rank) = (nil, nil, update.sequence)
    default: (conversationID, clientMsgID, rank) = (change?.conversationID, change?.clientMessageID, 0)
    }
    timeline =
      switch key.scope {
      case .message, .timeline: conversationID.map { CoalescingKey(.timeline, $0) }
      default: nil
      }
  }

  var kind: EventKind { envelope.event.kind }

  /// Whether it stands in the place of an earlier published event of its key: it asks for as much, or is newer.
  func displaces(_ other: PublishedEvent) -> Bool {
    guard kind.reliability == .transient else { return rank >= other.rank }
    // The numbers of a user begin anew with each connection.
    return (envelope.connectionGeneration, rank) >= (other.envelope.connectionGeneration, other.rank)
  }
}
