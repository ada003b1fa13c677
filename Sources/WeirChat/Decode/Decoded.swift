/// What one payload turned out to be.
public enum Decoded: Sendable, Equatable {
  /// A copy of a message, for the store.
  case message(ChatMessage)
  /// A message was taken back, for the store.
  case recall(RecallFact)
  /// Facts for the store of another kind, or several at once. Never empty.
  case facts([Fact])
  /// Someone is typing, or has stopped. Never stored.
  case typing(TypingEvent)
  /// A message the server keeps nowhere: one transient event, never stored (receiving spec §2.4).
  case onlineOnly(ChatMessage)
  /// A notice of the server that asks for something to be fetched again, or that only the application understands.
  case notice(NoticeEvent)
  /// Callbacks were lost before they reached the graph, so many up to now: fetch what is newer than the newest known.
  case lost(UInt64)
  /// Nothing to do, by rule.
  case ignored(IgnoreReason)
  /// A part of a payload that could not be read. Only inside `several`: a payload of one part throws.
  case refused(DecodeError)
  /// More than one of the others, in the payload's order. Not nested.
  case several([Decoded])

  /// The facts for the store, in the payload's order.
  public var facts: [Fact] {
    switch self {
    case .message(let message): [.message(message)]
    case .recall(let recall): [.recall(recall)]
    case .facts(let facts): facts
    case .typing, .onlineOnly, .notice, .lost, .ignored, .refused: []
    case .several(let parts): parts.flatMap(\.facts)
    }
  }

  /// The fact for the store, if there is exactly one.
  public var fact: Fact? {
    switch self {
    case .message(let message): .message(message)
    case .recall(let recall): .recall(recall)
    case .facts(let facts) where facts.count == 1: facts.first
    default: nil
    }
  }

  /// Itself, or the parts of `several`.
  public var parts: [Decoded] {
    if case .several(let parts) = self { parts } else { [self] }
  }

  /// One value of any number of parts; nil of none. Parts of parts are taken out.
  static func of(_ parts: [Decoded]) -> Decoded? {
    if parts.count == 1 { return parts.first }
    return parts.isEmpty ? nil : .several(parts.flatMap(\.parts))
  }
}

/// Why a well-formed payload needs no action (receiving spec §1.7 rule 2, §2.4).
public enum IgnoreReason: Sendable, Equatable {
  /// A message without a client id.
  case emptyClientMsgID
  /// The account's own typing, come back.
  case ownTyping
  /// The server asks before it takes a message; what it takes comes again.
  case notYetSent
  /// A list without entries.
  case emptyList

  /// Stable code of the reason.
  public var code: String {
    switch self {
    case .emptyClientMsgID: "ignored.empty-client-id"
    case .ownTyping: "ignored.own-typing"
    case .notYetSent: "ignored.not-yet-sent"
    case .emptyList: "ignored.empty-list"
    }
  }
}
