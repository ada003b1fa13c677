/// The application's own words on a message. Never from the server, never overwritten by it; the greatest local revision
/// stands.
public struct LocalFact: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Where the message stands.
  public var conversationID: String
  /// Which message.
  public var clientMsgID: String
  /// Counts the settings of this client.
  public var revision: Int64
  /// The application's data.
  public var localEx: String

  /// A setting of its parts.
  public init(account: String, conversationID: String, clientMsgID: String, revision: Int64, localEx: String) {
    self.account = account
    self.conversationID = conversationID
    self.clientMsgID = clientMsgID
    self.revision = revision
    self.localEx = localEx
  }
}
