/// What a reader hears after a commit: something in a conversation changed, query it again. It carries no content, so a
/// lost or repeated hint can do no harm (receiving spec §3).
public struct InvalidationHint: Sendable, Equatable {
  /// Which of the catalogue's events it stands for (receiving spec §3, kinds 6, 8 and 10).
  public enum Event: String, Sendable, CaseIterable {
    /// A message was taken back, and nothing else of its conversation is new.
    case messageMutated
    /// Messages are new or moved forward: query the conversation's messages.
    case messageUpserted
    /// Only the line in the list changed: query the conversations.
    case conversationChanged
  }

  /// Counts from 1 without holes as long as the emitter lives, so that the loss of any hint is seen.
  public var number: UInt64
  /// The revision of the change. Revisions have no holes either, also across restarts.
  public var revision: Int64
  /// The event that describes the change best; `kinds` tells all of it.
  public var event: Event
  /// Where.
  public var conversationID: String
  /// What.
  public var kinds: ChangeKinds
  /// The messages that changed.
  public var clientMsgIDs: [String]

  /// The hint with `number` for a change.
  public init(number: UInt64, _ change: ConversationChange) {
    self.number = number
    revision = change.revision
    conversationID = change.conversationID
    kinds = change.kinds
    clientMsgIDs = change.clientMsgIDs
    if !change.kinds.isDisjoint(with: [.inserted, .updated]) {
      event = .messageUpserted
    } else {
      event = change.kinds.contains(.recalled) ? .messageMutated : .conversationChanged
    }
  }
}

extension ChangeKinds {
  /// The kinds in words, in a fixed order.
  public var names: [String] {
    let all: [(ChangeKinds, String)] = [
      (.inserted, "inserted"), (.updated, "updated"), (.recalled, "recalled"), (.unread, "unread"),
      (.summary, "summary"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}
