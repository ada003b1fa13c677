import Weir

/// Lets the messages of others end their typing, and passes every fact on.
///
/// - Emits when: a fact arrives, the fact itself.
/// - Waits when: downstream waits.
/// - Finishes when: its input does.
/// - Cancels when: downstream does.
/// - Memory: none.
/// - Errors: none.
public struct TypingEnds: Stage {
  private let hub: EventHub

  /// Ends typing on the board of a hub, and tells its readers.
  public init(_ hub: EventHub) { self.hub = hub }

  public mutating func process(_ fact: Fact, _ emit: (Fact) -> Void) {
    if case .message(let message) = fact, !message.envelope.senderID.utf8Equals(message.key.account) {
      hub.messageArrived(from: message.envelope.senderID, in: message.key.conversationID)
    }
    emit(fact)
  }

  public var isOneToOne: Bool { true }
}

extension EventHub {
  /// A message of someone else has come: if they were typing there, they are not any more, and readers hear of it.
  public func messageArrived(from userID: String, in conversationID: String) {
    guard let sequence = transients?.typingSequence(of: userID, in: conversationID) else { return }
    publish(
      .typingChanged(
        TypingUpdate(
          conversationID: conversationID, userID: userID, isTyping: false, sequence: sequence, expiresAtMilliseconds: 0)
      ))
  }
}
