extension MessageContent {
  /// Text that mentions users.
  public struct Mention: Sendable, Equatable {
    /// The text, mentions included.
    public var text: String
    /// The mentioned users; `AtAllTag` stands for everybody.
    public var userIDs: [String]
    /// Whether the account is mentioned. Computed here, since the sender's own flag tells the sender's view.
    public var mentionsMe: Bool
    /// The names under which the users are mentioned, as far as they are told.
    public var users: [MentionedUser]
    /// The message it answers, if it quotes one.
    public var quoted: QuotedMessage?

    /// A text of its parts.
    public init(
      text: String, userIDs: [String], mentionsMe: Bool, users: [MentionedUser] = [], quoted: QuotedMessage? = nil
    ) {
      self.text = text
      self.userIDs = userIDs
      self.mentionsMe = mentionsMe
      self.users = users
      self.quoted = quoted
    }

    /// Whether everybody is mentioned.
    public var mentionsAll: Bool { userIDs.contains("AtAllTag") }
  }

  /// A mentioned user and the name in the text.
  public struct MentionedUser: Sendable, Equatable {
    /// Who.
    public var userID: String
    /// The name in the group.
    public var nickname: String

    /// A mentioned user.
    public init(userID: String, nickname: String) {
      self.userID = userID
      self.nickname = nickname
    }
  }

  /// An answer that quotes a message.
  public struct Quote: Sendable, Equatable {
    /// The answer.
    public var text: String
    /// The client id of the quoted message; empty when the sender did not say.
    public var clientMsgID: String
    /// Who sent the quoted message.
    public var senderID: String
    /// The content number of the quoted message; 2101 when it was recalled since.
    public var contentType: Int32
    /// What was quoted, as the sender saw it; nil when its content cannot be read or was recalled. The stored message, if
    /// there is one, knows better.
    public var quoted: QuotedMessage?
    /// Marks inside the answer.
    public var entities: [TextEntity]

    /// A quote of its parts.
    public init(
      text: String, clientMsgID: String, senderID: String, contentType: Int32, quoted: QuotedMessage? = nil,
      entities: [TextEntity] = []
    ) {
      self.text = text
      self.clientMsgID = clientMsgID
      self.senderID = senderID
      self.contentType = contentType
      self.quoted = quoted
      self.entities = entities
    }

    /// An answer to a quoted message.
    public init(text: String, quoted: QuotedMessage, entities: [TextEntity] = []) {
      self.init(
        text: text, clientMsgID: quoted.clientMsgID, senderID: quoted.senderID, contentType: quoted.contentType,
        quoted: quoted, entities: entities)
    }

    /// Whether the quoted message was recalled before the quote was delivered.
    public var isRecalled: Bool { contentType == 2_101 }
  }

  /// Text with marks.
  public struct RichText: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The text without marks.
    public var text: String
    /// The marks.
    public var entities: [TextEntity]

    /// A text of its parts.
    public init(_ text: String, entities: [TextEntity] = []) {
      self.text = text
      self.entities = entities
    }

    /// A text without marks.
    public init(stringLiteral text: String) { self.init(text) }
  }

  /// A mark on a part of a text.
  public struct TextEntity: Sendable, Equatable {
    /// What it marks, in the sender's words.
    public var type: String
    /// Where it begins, as the sender counts (OpenIM's clients count UTF-16 units).
    public var offset: Int64
    /// How long it is, counted alike.
    public var length: Int64
    /// A link, or empty.
    public var url: String
    /// Application data.
    public var ex: String

    /// A mark of its parts.
    public init(type: String, offset: Int64, length: Int64, url: String = "", ex: String = "") {
      self.type = type
      self.offset = offset
      self.length = length
      self.url = url
      self.ex = ex
    }
  }
}
