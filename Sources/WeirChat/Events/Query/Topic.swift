/// Something a page shows and therefore has to query again when it changes.
public enum Topic: Sendable, Hashable {
  /// One message; its conversation, if the page knows it.
  case message(String, in: String? = nil)
  /// The messages of a conversation.
  case messages(in: String)
  /// The list of conversations.
  case conversations
  /// Sums over all conversations, such as the unread number.
  case totals
  /// How far others have read a conversation.
  case peerReads(in: String)
  /// A social list; for members and join requests that of one group, or nil for all groups.
  case social(SocialFact.Scope, of: String? = nil)
  /// A transfer.
  case mediaTask(String)
}

/// What a page depends on. An interest in nothing in particular is an interest in everything: a page that does not
/// know yet what it depends on must not miss what makes it known.
public struct Interest: Sendable, Equatable {
  /// The topics.
  public var topics: Set<Topic>

  /// An interest in some topics.
  public init(_ topics: Set<Topic>) { self.topics = topics }

  /// An interest in everything.
  public static var everything: Interest { Interest([]) }

  /// Whether it is an interest in everything.
  public var isEverything: Bool { topics.isEmpty }

  /// An interest in what either is interested in.
  public func union(_ other: Interest) -> Interest {
    isEverything || other.isEverything ? .everything : Interest(topics.union(other.topics))
  }

  /// Whether a page with this interest has to query again after an event. A pure function of the two; widening an
  /// event never makes the answer false.
  public func touches(_ event: ChatEvent) -> Bool { isTouched(by: Touch(event)) }

  func isTouched(by touch: Touch) -> Bool {
    switch touch {
    case .nothing: return false
    case .everything: return true
    default: return isEverything || topics.contains { touch.reaches($0) }
    }
  }
}
