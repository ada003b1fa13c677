import ChatFixtures

@testable import WeirChat

/// Random events over few ids, so that keys meet, and what readers may be interested in.
struct EventScript {
  var random: SeededRandom
  var revision: Int64 = 0
  let conversations: Int
  let messages: Int

  init(_ seed: UInt64, conversations: Int = 4, messages: Int = 6) {
    random = SeededRandom(seed)
    self.conversations = conversations
    self.messages = messages
  }

  mutating func conversation() -> String { "c\(random.below(conversations))" }

  mutating func message() -> String { "m\(random.below(messages))" }

  /// A payload with the next revision, or now and then without one.
  mutating func change(_ kind: ProjectionKind) -> ProjectionChange {
    revision += 1
    var change = ProjectionChange(
      kind: .known(kind), projectionRevision: random.once(in: 12) ? 0 : revision, affectedCount: 1,
      conversationID: conversation())
    if random.once(in: 2) { change.clientMessageID = message() }
    return change
  }

  mutating func next() -> ChatEvent {
    switch random.below(34) {
    case 0: return .stateChanged(Native(Int64(random.below(11))))
    case 1, 2: return .presenceChanged(presence())
    case 3, 4: return .typingChanged(typing())
    case 5: return .messageQueued(receipt())
    case 6: return .messageRetryQueued(receipt())
    case 7: return .messageCancelled(receipt())
    case 8, 9: return .conversationReadChanged(conversationID: random.once(in: 6) ? nil : conversation())
    case 10, 11, 12:
      return .messageMutated(clientMsgID: message(), conversationID: random.once(in: 3) ? nil : conversation())
    case 13, 14:
      return .mediaTaskUpdated(MediaTaskUpdate(taskID: "t\(random.below(4))", state: Native(Int64(random.below(7)))))
    case 15: return .syncApplied(change(.syncApplied))
    case 16...18: return .conversationChanged(change(.conversationChanged))
    case 19...21:
      var change = change(.socialChanged)
      change.socialScope = random.once(in: 4) ? nil : Native(Int64(random.below(8)))
      change.scopeID = random.once(in: 2) ? "g\(random.below(3))" : nil
      return ChatEvent(change)
    case 22...25:
      var change = change(.messageStateChanged)
      if random.once(in: 4) {
        change.conversationID = nil
        change.clientMessageID = message()
      }
      return ChatEvent(change)
    case 26 where random.once(in: 4): return .projectionInvalidated(.everything())
    default: return ChatEvent(change(.messageUpserted))
    }
  }

  mutating func presence() -> PresenceUpdate {
    PresenceUpdate(
      userID: "u\(random.below(5))", status: .known(.online), sequence: Int64(random.below(50)),
      expiresAtMilliseconds: 1_000)
  }

  mutating func typing() -> TypingUpdate {
    TypingUpdate(
      conversationID: conversation(), userID: "u\(random.below(5))", isTyping: random.once(in: 2),
      sequence: Int64(random.below(50)), expiresAtMilliseconds: 1_000)
  }

  private mutating func receipt() -> OutboxReceipt {
    OutboxReceipt(
      clientMsgID: random.once(in: 3) ? nil : message(), conversationID: random.once(in: 3) ? nil : conversation())
  }

  /// Every topic that the events can reach.
  var topics: [Topic] {
    let conversations = (0..<conversations).map { "c\($0)" }
    let messages = (0..<messages).map { "m\($0)" }
    return [.conversations, .totals] + conversations.map { .messages(in: $0) }
      + conversations.map { .peerReads(in: $0) } + messages.map { .message($0) }
      + messages.flatMap { id in conversations.map { .message(id, in: $0) } }
      + SocialFact.Scope.allCases.flatMap { scope in
        [.social(scope)] + (0..<3).map { .social(scope, of: "g\($0)") }
          + conversations.map { .social(scope, of: $0) }
      } + (0..<4).map { .mediaTask("t\($0)") }
  }
}

/// Hints of the given kind, for tests that need one.
func upserted(_ revision: Int64, in conversation: String, _ message: String? = nil, epoch: UInt64 = 0) -> ChatEvent {
  ChatEvent(
    ProjectionChange(
      kind: .known(.messageUpserted), accountEpoch: epoch, projectionRevision: revision, affectedCount: 1,
      conversationID: conversation, clientMessageID: message))
}

func listChanged(_ revision: Int64, in conversation: String? = nil, epoch: UInt64 = 0) -> ChatEvent {
  ChatEvent(
    ProjectionChange(
      kind: .known(.conversationChanged), accountEpoch: epoch, projectionRevision: revision, affectedCount: 1,
      conversationID: conversation))
}
