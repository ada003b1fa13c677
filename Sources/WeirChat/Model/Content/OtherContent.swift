extension MessageContent {
  /// A message inside another one: quoted or merged. It has no place of its own in a conversation.
  public struct QuotedMessage: Sendable, Equatable {
    /// Its client id; empty when the sender did not say.
    public var clientMsgID: String
    /// Who sent it.
    public var senderID: String
    /// The sender's name at that time.
    public var senderNickname: String
    /// The sender's picture at that time.
    public var senderFaceURL: String
    /// The server's time, in milliseconds since 1970; 0 when not told.
    public var sendTime: Int64
    /// The seq in its own conversation; 0 when not told.
    public var seq: Int64
    /// The content number.
    public var contentType: Int32
    /// The content.
    public var content: MessageContent

    /// A message of its parts.
    public init(
      clientMsgID: String, senderID: String, senderNickname: String = "", senderFaceURL: String = "",
      sendTime: Int64 = 0, seq: Int64 = 0, contentType: Int32, content: MessageContent
    ) {
      self.clientMsgID = clientMsgID
      self.senderID = senderID
      self.senderNickname = senderNickname
      self.senderFaceURL = senderFaceURL
      self.sendTime = sendTime
      self.seq = seq
      self.contentType = contentType
      self.content = content
    }
  }

  /// Several messages forwarded as one.
  public struct Merged: Sendable, Equatable {
    /// The title, such as the name of the chat.
    public var title: String
    /// A few lines that show what is inside.
    public var abstracts: [String]
    /// The messages.
    public var messages: [QuotedMessage]

    /// Forwarded messages.
    public init(title: String, abstracts: [String] = [], messages: [QuotedMessage] = []) {
      self.title = title
      self.abstracts = abstracts
      self.messages = messages
    }
  }

  /// A user's card.
  public struct Card: Sendable, Equatable {
    /// Whose.
    public var userID: String
    /// The name on it.
    public var nickname: String
    /// The picture on it.
    public var faceURL: String
    /// Application data.
    public var ex: String

    /// A card of its parts.
    public init(userID: String, nickname: String, faceURL: String = "", ex: String = "") {
      self.userID = userID
      self.nickname = nickname
      self.faceURL = faceURL
      self.ex = ex
    }
  }

  /// A place on earth.
  public struct Location: Sendable, Equatable {
    /// Words for people.
    public var description: String
    /// Degrees east; as sent, so check the range before use.
    public var longitude: Double
    /// Degrees north; as sent, so check the range before use.
    public var latitude: Double

    /// A place of its parts.
    public init(description: String, longitude: Double, latitude: Double) {
      self.description = description
      self.longitude = longitude
      self.latitude = latitude
    }
  }

  /// A sticker.
  public struct Face: Sendable, Equatable {
    /// Its number in the sender's set.
    public var index: Int64
    /// Application data, such as the name of the set.
    public var data: String

    /// A sticker of its parts.
    public init(index: Int64, data: String = "") {
      self.index = index
      self.data = data
    }
  }

  /// Application data.
  public struct Custom: Sendable, Equatable {
    /// The data, by convention JSON.
    public var data: String
    /// Words for people.
    public var description: String
    /// More data.
    public var `extension`: String

    /// Data of its parts.
    public init(data: String, description: String = "", extension: String = "") {
      self.data = data
      self.description = description
      self.extension = `extension`
    }
  }

  /// A notice of the server that is shown in the conversation, such as "B has joined".
  public struct Notification: Sendable, Equatable {
    /// Which notice (receiving spec §1.5).
    public var contentType: Int32
    /// What it says, as JSON whose shape the number decides.
    public var detail: String

    /// A notice of its parts.
    public init(contentType: Int32, detail: String) {
      self.contentType = contentType
      self.detail = detail
    }
  }
}
