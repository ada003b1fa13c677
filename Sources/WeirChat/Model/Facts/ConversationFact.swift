/// Properties of a conversation that are set, not counted. Each property joins alone: the one with the greatest
/// (revision, bytes) stands.
public struct ConversationFact: Sendable, Equatable {
  /// Whether new messages of a conversation alert.
  public enum ReceiveOption: Int64, Sendable {
    /// Alert.
    case notify = 0
    /// Do not receive.
    case block = 1
    /// Receive without alert: not part of the total of unread messages.
    case quiet = 2
  }

  /// A property and its value.
  public enum Property: Sendable, Equatable {
    /// The name to show.
    case showName(String)
    /// The picture to show.
    case faceURL(String)
    /// Whether it alerts.
    case receiveOption(ReceiveOption)
    /// Whether it stands above the others.
    case isPinned(Bool)
    /// Whether its messages burn after reading, by default.
    case isPrivate(Bool)
    /// Seconds a private message stays after reading.
    case burnDuration(Int64)
    /// Whether the account has left the group.
    case isNotInGroup(Bool)
    /// An unsent text and when it was written, in milliseconds since 1970. Local: never from the server.
    case draft(String, time: Int64)
    /// Application data.
    case ex(String)
    /// JSON of the attached information.
    case attachedInfo(String)
  }

  /// The own user id.
  public var account: String
  /// Which conversation.
  public var conversationID: String
  /// Orders the settings of one property: the server's version, or milliseconds since 1970.
  public var revision: Int64
  /// What was set.
  public var properties: [Property]

  /// Settings of their parts.
  public init(account: String, conversationID: String, revision: Int64, properties: [Property]) {
    self.account = account
    self.conversationID = conversationID
    self.revision = revision
    self.properties = properties
  }
}
