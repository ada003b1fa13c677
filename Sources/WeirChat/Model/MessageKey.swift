/// The identity of a message: the same message through push, pull, history and echo has the same key.
///
/// The conversation is part of it, since two conversations may carry the same client id (receiving spec D15).
public struct MessageKey: Sendable, Hashable, CustomStringConvertible {
  /// The own user id, whose view of the conversation this is.
  public let account: String
  /// The conversation (receiving spec §1.4).
  public let conversationID: String
  /// The id the sender's client made. Not empty.
  public let clientMsgID: String

  /// A key of its three parts.
  public init(account: String, conversationID: String, clientMsgID: String) {
    self.account = account
    self.conversationID = conversationID
    self.clientMsgID = clientMsgID
  }

  /// Compares bytes: ids that differ only in Unicode composition are different ids.
  public static func == (left: MessageKey, right: MessageKey) -> Bool {
    left.clientMsgID.utf8Equals(right.clientMsgID) && left.conversationID.utf8Equals(right.conversationID)
      && left.account.utf8Equals(right.account)
  }

  /// Hashes bytes, as `==` compares them.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(utf8: clientMsgID)
    hasher.combine(utf8: conversationID)
    hasher.combine(utf8: account)
  }

  /// Conversation and client id, for messages to people.
  public var description: String { "\(conversationID)/\(clientMsgID)" }
}
