/// What to search a store's messages for.
///
/// Found is a message whose text has every term of `text` in it; see ``SearchPage`` for how far the answer reaches.
///
/// - Terms are separated by white space and may come in any order. Inside a term the order counts: a term of several
///   Chinese characters, syllables or words is found where they follow each other, whatever punctuation is between them.
///   Double quotes make one term of words with spaces between.
/// - Chinese, kana, Hangul, Thai, emoji: any part of a text, of one character and up.
/// - Other scripts: whole words, and from two letters on beginnings of words where a term ends (`invo` finds "invoice",
///   `voice` does not); in quotes whole words only.
/// - Case, accents, full and half width make no difference. Punctuation is not searched for: a text of nothing else finds
///   nothing.
public struct SearchQuery: Sendable, Equatable {
  /// What to look for, as the user typed it; at most 4,096 bytes and 64 words.
  public var text: String
  /// Only in this conversation.
  public var conversationID: String?
  /// Only from this sender.
  public var senderID: String?
  /// Only messages of this time, in milliseconds since 1970.
  public var times: ClosedRange<Int64>?
  /// Only content of these numbers (receiving spec §1.5).
  public var contentTypes: Set<Int32>?
  /// Continue behind a page.
  public var after: SearchCursor?
  /// Most hits of a page, up to 1,000.
  public var limit: Int
  /// Most messages that are looked at because the index does not hold them yet, or the store has no index.
  public var tailLimit: Int

  /// A search for `text` in all messages.
  public init(
    _ text: String, in conversationID: String? = nil, from senderID: String? = nil, times: ClosedRange<Int64>? = nil,
    contentTypes: Set<Int32>? = nil, after: SearchCursor? = nil, limit: Int = 50, tailLimit: Int = 20_000
  ) {
    self.text = text
    self.conversationID = conversationID
    self.senderID = senderID
    self.times = times
    self.contentTypes = contentTypes
    self.after = after
    self.limit = limit
    self.tailLimit = tailLimit
  }
}

/// Where a page of hits ends.
public struct SearchCursor: Sendable, Hashable, Codable {
  let key: Int64
  let row: Int64
}

/// A page of hits, the latest message first.
public struct SearchPage: Sendable, Equatable {
  /// The messages found.
  public var hits: [SearchHit] = []
  /// Where the next page begins; nil when there is none.
  public var next: SearchCursor?
  /// How many messages that are not indexed yet were left out, because they were more than the query's `tailLimit`. With 0
  /// the answer is complete, and the same as if everything were indexed. Messages that came last are looked at first.
  public var unsearched: Int64 = 0

  /// A page without hits.
  public init() {}
}

/// A message that was found.
public struct SearchHit: Sendable, Equatable {
  /// Where it is.
  public var conversationID: String
  /// Which it is.
  public var clientMsgID: String
  /// Who sent it.
  public var senderID: String
  /// When: the server's time, or the sender's before there is one; milliseconds since 1970.
  public var time: Int64
  /// The number of its content.
  public var contentType: Int32
  /// A piece of its text around the first match.
  public var snippet: SearchSnippet
}

/// How far an index has got.
public struct SearchProgress: Sendable, Equatable {
  /// Messages that are not indexed yet, and changes of messages, beyond what is indexed.
  public var behind: Int64
  /// Whether the index is complete.
  public var isComplete: Bool { behind == 0 }
}
