/// A message as a reader sees it.
public struct StoredMessage: Sendable, Equatable {
  /// What is to be shown.
  public enum Display: Sendable, Equatable {
    /// The content.
    case content(MessageContent)
    /// That it was taken back. The content is not given out any more.
    case recalled(RecallRecord)
  }

  /// An edit that replaced the content.
  public struct Edit: Sendable, Equatable {
    /// Counts the edits of the message from 1.
    public var version: Int64
    /// Milliseconds since 1970.
    public var time: Int64
    /// Who edited.
    public var editorID: String
  }

  /// Which message.
  public var key: MessageKey
  /// What surrounds the content.
  public var envelope: Envelope
  /// How far the server vouches for it.
  public var evidence: ServerEvidence
  /// What holds of it.
  public var marks: MessageMarks
  /// What it is to its reader.
  public var state: MessageDisplayState
  /// What is to be shown.
  public var display: Display
  /// The edit that stands; nil for the original content.
  public var edit: Edit?
  /// When the party who did not send it has read it, in milliseconds since 1970; 0 when it has not, or no time is known.
  public var hasReadTime: Int64
  /// How many others have read an own message: the greater of what is reported and who is known.
  public var readerCount: Int
  /// The number of the latest attempt to send it; 0 when no attempt is known.
  public var attempt: Int64
  /// Whether it was withdrawn, but the server had it already.
  public var wasCancelledTooLate: Bool
  /// The moment from which a private message is hidden, in milliseconds since 1970; nil for others and unread ones.
  public var burnDeadline: Int64?
  /// The application's own words on it.
  public var localEx: String
  /// The time it stands at in its conversation: the server's, or a provisional one for an own message without.
  public var sortTime: Int64
  /// The revision of its latest change.
  public var revision: Int64

  /// Whether the account sent it.
  public var isMine: Bool { envelope.senderID.utf8Equals(key.account) }

  /// One line for a list.
  public var preview: String {
    switch display {
    case .content(let content): content.preview
    case .recalled: "[Recalled]"
    }
  }

  /// Where a page continues after this message.
  public var position: MessagePosition {
    MessagePosition(sendTime: sortTime, seq: envelope.seq, clientMsgID: key.clientMsgID)
  }
}

/// A place in a conversation. Messages are ordered by time, seq and client id.
public struct MessagePosition: Sendable, Equatable {
  /// The time the message there stands at, in milliseconds.
  public var sendTime: Int64
  /// Its seq.
  public var seq: Int64
  /// Its client id.
  public var clientMsgID: String

  /// A place of its parts.
  public init(sendTime: Int64, seq: Int64, clientMsgID: String) {
    self.sendTime = sendTime
    self.seq = seq
    self.clientMsgID = clientMsgID
  }
}
