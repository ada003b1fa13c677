import WeirChat
import WeirStore

/// What the browser shows of a store, all from one snapshot, as plain values.
public struct InboxPage: Sendable, Equatable {
  /// A line of the list.
  public struct Conversation: Sendable, Equatable {
    public var id: String
    public var title: String
    public var unread: Int
    /// Messages known to exist that have not come: up to so many more may be unread.
    public var unfetched: Int64 = 0
    public var preview: String
    /// Milliseconds since 1970; 0 when unknown.
    public var time: Int64

    public init(
      id: String, title: String, unread: Int = 0, unfetched: Int64 = 0, preview: String = "", time: Int64 = 0
    ) {
      (self.id, self.title, self.unread, self.preview, self.time) = (id, title, unread, preview, time)
      self.unfetched = unfetched
    }
  }

  /// A message of the timeline.
  public struct Message: Sendable, Equatable {
    public var id: String
    public var sender: String
    public var text: String
    public var isMine: Bool
    /// Milliseconds since 1970.
    public var time: Int64

    public init(id: String, sender: String, text: String, isMine: Bool = false, time: Int64 = 0) {
      (self.id, self.sender, self.text, self.isMine, self.time) = (id, sender, text, isMine, time)
    }
  }

  /// Newest first.
  public var conversations: [Conversation] = []
  /// All conversations, also those that are not in the list.
  public var count = 0
  public var unread = 0
  /// Messages known to exist that have not come: up to so many more may be unread.
  public var unfetched: Int64 = 0
  /// The conversation whose messages these are; nil when there is none.
  public var selected: String?
  /// Oldest first.
  public var messages: [Message] = []

  public init() {}

  /// Conversations and messages that are asked for at most.
  public static let (listLimit, timelineLimit) = (500, 200)

  /// Asks one snapshot for a page; without a wish the first conversation is the selected one.
  public init(_ view: ProjectionView, selecting wish: String?) throws(StoreError) {
    let list = try view.conversations(limit: Self.listLimit)
    let totals = try view.totals()
    (count, unread, unfetched) = (totals.conversations, totals.unread, totals.unfetched)
    conversations = list.map {
      Conversation(
        id: $0.conversationID, title: $0.title, unread: $0.unread, unfetched: $0.unfetched,
        preview: $0.last?.preview ?? "", time: $0.lastTime)
    }
    selected = wish ?? list.first?.conversationID
    guard let selected else { return }
    messages = try view.messages(in: selected, limit: Self.timelineLimit).reversed().map { message in
      let name = message.envelope.senderNickname
      return Message(
        id: message.key.clientMsgID, sender: name.isEmpty ? message.envelope.senderID : name,
        text: Self.text(of: message),
        isMine: message.isMine, time: message.envelope.sendTime)
    }
  }

  /// The whole text of a message; of other content the line that a list shows.
  private static func text(of message: StoredMessage) -> String {
    switch message.display {
    case .content(.text(let text)), .content(.markdown(let text)): text
    case .content(.richText(let rich)): rich.text
    case .content(.mention(let mention)): mention.text
    case .content(.quote(let quote)): quote.text
    default: message.preview
    }
  }
}
