/// The content of a message was replaced. Of several edits the greatest by (version, time, editor, bytes) stands
/// (receiving spec §2.7); the place of the message never moves.
public struct EditFact: Sendable, Equatable {
  /// The own user id.
  public var account: String
  /// Where the message stands.
  public var conversationID: String
  /// Which message.
  public var target: MessageReference
  /// Counts the edits of the message from 1, as the source tells; 1 when it tells nothing.
  public var version: Int64
  /// Milliseconds since 1970.
  public var time: Int64
  /// Who edited.
  public var editorID: String
  /// The content number of the new content.
  public var contentType: Int32
  /// The new content.
  public var body: MessageBody

  /// An edit of its parts.
  public init(
    account: String, conversationID: String, target: MessageReference, version: Int64 = 1, time: Int64,
    editorID: String, contentType: Int32, body: MessageBody
  ) {
    self.account = account
    self.conversationID = conversationID
    self.target = target
    self.version = version
    self.time = time
    self.editorID = editorID
    self.contentType = contentType
    self.body = body
  }
}
