/// One copy of a message as a source delivered it. Several copies of one message join to one row; see `MessageState`.
public struct ChatMessage: Sendable, Equatable {
  /// Which message this is a copy of.
  public var key: MessageKey
  /// What the sender and the server say about it.
  public var envelope: Envelope
  /// How far the server vouches for it.
  public var evidence: ServerEvidence
  /// What holds of it from now on.
  public var marks: MessageMarks
  /// The content number (receiving spec §1.5).
  public private(set) var contentType: Int32
  /// The content, expanded. To change it, see `replaceContent`.
  public private(set) var content: MessageContent
  /// The content as delivered, which is what the store keeps.
  public private(set) var body: MessageBody

  /// A copy of a message as it was delivered.
  init(
    key: MessageKey, envelope: Envelope, evidence: ServerEvidence, marks: MessageMarks, contentType: Int32,
    content: MessageContent, body: MessageBody
  ) {
    self.key = key
    self.envelope = envelope
    self.evidence = evidence
    self.marks = marks
    self.contentType = contentType
    self.content = content
    self.body = body
  }

  /// A message made here, for example by a bridge.
  public init(
    key: MessageKey, envelope: Envelope, evidence: ServerEvidence = .sent, marks: MessageMarks = [],
    content: MessageContent
  ) {
    let (contentType, body) = ElementEncoder.encode(content, contentType: 0)
    self.init(
      key: key, envelope: envelope, evidence: evidence, marks: marks, contentType: contentType, content: content,
      body: body)
  }

  /// Gives the copy another content, as a hook may want to. Content, number and body change together, so that what is
  /// stored is what was set.
  public mutating func replaceContent(with content: MessageContent) {
    (contentType, body) = ElementEncoder.encode(content, contentType: contentType)
    self.content = content
  }

  /// Whether the account sent it. Own messages are never unread.
  public var isMine: Bool { envelope.senderID.utf8Equals(key.account) }
}

/// What surrounds the content of a message. Times are milliseconds since 1970.
public struct Envelope: Sendable, Equatable {
  /// The place in the conversation, given by the server; 0 when the server has not stored it.
  public var seq: Int64 = 0
  /// The server's time; 0 before the server has seen it.
  public var sendTime: Int64 = 0
  /// The server's id of this send. A second send of the same message has another one.
  public var serverMsgID = ""
  /// The sender's time, not comparable between devices.
  public var createTime: Int64 = 0
  /// Who sent it.
  public var senderID = ""
  /// The peer's user id in a single chat.
  public var receiverID = ""
  /// The sender's platform number (receiving spec §1.2).
  public var platformID: Int32 = 0
  /// 100 from a user, 200 from the system.
  public var origin: Int32 = 0
  /// The sender's name at that time.
  public var senderNickname = ""
  /// The sender's picture at that time.
  public var senderFaceURL = ""
  /// Application data.
  public var ex = ""
  /// JSON of the attached information; empty for none.
  public var attachedInfo = ""

  /// An envelope with nothing in it.
  public init() {}

  /// Compares bytes: Swift's own comparison takes texts that differ only in Unicode composition for equal, and then the
  /// one that came first would stay.
  public static func == (left: Envelope, right: Envelope) -> Bool {
    !left.precedes(right) && !right.precedes(left)
  }
}

/// How far the server vouches for a message. Never regresses.
public enum ServerEvidence: Int64, Sendable, Comparable, CaseIterable {
  /// Not at all: a local attempt.
  case none = 0
  /// The server has it.
  case sent = 1
  /// A device of the receiver has it.
  case delivered = 2
  /// The receiver has read it.
  case read = 3

  /// Orders by how far it goes.
  public static func < (left: ServerEvidence, right: ServerEvidence) -> Bool { left.rawValue < right.rawValue }
}

/// Facts about a message that are once true and stay true.
public struct MessageMarks: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int64

  /// Marks of their bits.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The party who did not send it has read it.
  public static let read = MessageMarks(rawValue: 1)
  /// The account deleted it for itself.
  public static let deletedForSelf = MessageMarks(rawValue: 2)
  /// Stored, never shown.
  public static let filtered = MessageMarks(rawValue: 4)
  /// Shown in the conversation, but touches neither its summary nor its unread number.
  public static let quiet = MessageMarks(rawValue: 8)
  /// Taken back. Set by the store, from the recalls it knows.
  public static let recalled = MessageMarks(rawValue: 16)
  /// To be hidden some time after it has been read (option `notPrivate` off, or the attached information says so).
  public static let isPrivate = MessageMarks(rawValue: 32)
  /// A private message whose time has come. Set by the store.
  public static let burned = MessageMarks(rawValue: 64)
  /// Deleted for everybody in the conversation.
  public static let deletedForAll = MessageMarks(rawValue: 128)

  /// The account has read it, as a receipt says. Apart from `read`, because whether a receipt of the account counts
  /// depends on who sent the message. Set by the store.
  static let readByReceipt = MessageMarks(rawValue: 256)
  /// This device has sent it, so that its creation time can be compared with that of what this device sends next. Set by
  /// the store.
  static let sentHere = MessageMarks(rawValue: 512)

  /// Does not count as unread (option `unreadCount` off; receiving spec §1.3).
  public static let uncounted = MessageMarks(rawValue: 2_048)
  /// Leaves the conversation's summary and its place in the list alone (option `conversationUpdate` off).
  public static let unlisted = MessageMarks(rawValue: 1_024)

  /// Marks that follow from other knowledge than the copies of the message.
  static let derived: MessageMarks = [.recalled, .burned, .readByReceipt, .sentHere]
  /// Marks that keep a message from every list.
  static let hidden: MessageMarks = [.deletedForSelf, .filtered, .burned, .deletedForAll]

  /// Whether it is kept from every list.
  public var isHidden: Bool { !isDisjoint(with: Self.hidden) }
}

/// The content as delivered, which is what the store keeps.
public enum MessageBody: Sendable, Equatable {
  /// The JSON of the element that was expanded.
  case element([UInt8])
  /// The whole line, because its content was not understood; a later version may expand it.
  case line([UInt8])
  /// No content came with this copy.
  case absent
}
