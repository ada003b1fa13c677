/// What makes two events mergeable (receiving spec §3, last column). Ids are compared by their bytes. The hash is taken
/// once, when the event is published, and not once for each subscriber.
public struct CoalescingKey: Sendable, Hashable, CustomStringConvertible {
  /// The first part of a key.
  public enum Scope: UInt8, Sendable, CaseIterable {
    /// The client's state.
    case state
    /// The outbox, where no message is known.
    case outbox
    /// One message.
    case message
    /// The read marks of one conversation.
    case read
    /// The read marks of all conversations.
    case readAll
    /// One transfer.
    case media
    /// The messages of one conversation.
    case timeline
    /// The list.
    case conversations
    /// One social list, of one group where there are several.
    case social
    /// Everything that is visible.
    case sync
    /// Everything.
    case everything
    /// One user.
    case presence
    /// One user in one conversation.
    case typing
  }

  /// The first part.
  public let scope: Scope
  /// The conversation, message, task, user or social list; empty where the scope has none.
  public let first: String
  /// The user of a typing event, or the group of a social list; else empty.
  public let second: String
  private let mixed: Int

  init(_ scope: Scope, _ first: String = "", _ second: String = "") {
    self.scope = scope
    self.first = first
    self.second = second
    var hasher = Hasher()
    hasher.combine(scope)
    hasher.combine(utf8: first)
    hasher.combine(utf8: second)
    mixed = hasher.finalize()
  }

  /// The key of an event.
  public init(_ event: ChatEvent) {
    guard !event.requiresFullRequery else {
      self.init(.everything)
      return
    }
    switch event {
    case .stateChanged: self.init(.state)
    case .messageQueued(let receipt), .messageRetryQueued(let receipt), .messageCancelled(let receipt):
      if let id = receipt.clientMsgID { self.init(.message, id) } else { self.init(.outbox) }
    case .conversationReadChanged(let conversation):
      if let conversation { self.init(.read, conversation) } else { self.init(.readAll) }
    case .messageMutated(let id, _): self.init(.message, id)
    case .mediaTaskUpdated(let update): self.init(.media, update.taskID)
    case .messageUpserted(let change): self.init(.timeline, change.conversationID ?? "")
    case .messageStateChanged(let change):
      if let id = change.clientMessageID {
        self.init(.message, id)
      } else {
        self.init(.timeline, change.conversationID ?? "")
      }
    case .conversationChanged: self.init(.conversations)
    case .socialChanged(let change): self.init(social: change)
    case .syncApplied: self.init(.sync)
    case .presenceChanged(let update): self.init(.presence, update.userID)
    case .typingChanged(let update): self.init(.typing, update.conversationID, update.userID)
    case .projectionInvalidated: self.init(.everything)
    }
  }

  /// A list that is not told, or not known, is any list: empty parts.
  private init(social change: ProjectionChange) {
    guard let scope = change.socialScope?.known else {
      self.init(.social)
      return
    }
    let list =
      switch scope {
      case .friendRequests: "friendRequests"
      case .friendships: "friendships"
      case .groups: "groups"
      case .groupMembers: "groupMembers"
      case .blocks: "blocks"
      case .groupJoinRequests: "groupJoinRequests"
      }
    self.init(.social, list, change.scopeID ?? change.conversationID ?? "")
  }

  /// Whether both name the same thing.
  public static func == (left: CoalescingKey, right: CoalescingKey) -> Bool {
    left.mixed == right.mixed && left.scope == right.scope && left.first.utf8Equals(right.first)
      && left.second.utf8Equals(right.second)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(mixed) }

  /// The scope, and the names in it.
  public var description: String {
    [first, second].reduce("\(scope)") { $1.isEmpty ? $0 : "\($0) \($1)" }
  }
}
