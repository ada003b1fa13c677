import WeirStore

extension MessageContent {
  /// The texts by which a message is found: what its reader reads as words of its sender. Not what it quotes or
  /// carries along, which is found where it stands.
  var searchTexts: [String] {
    switch self {
    case .text(let text), .markdown(let text): [text]
    case .richText(let text): [text.text]
    case .mention(let mention): [mention.text]
    case .quote(let quote): [quote.text]
    case .custom(let custom): [custom.description]
    case .file(let file): [file.name]
    case .merged(let merged): [merged.title] + merged.abstracts
    case .card(let card): [card.nickname]
    case .location(let place): [place.description]
    case .picture, .sound, .video, .face, .notification, .placeholder: []
    }
  }
}

extension MessageMarks {
  /// Marks that keep a message from every search. Private messages are kept from it from the start.
  static let unsearchable = MessageMarks.hidden.union([.recalled, .isPrivate])
}

/// The text of a stored row.
struct SearchableRow {
  /// The parts of the text.
  var texts: [String]
  /// The number of the content that is shown: the edit's, if there is one.
  var contentType: Int32

  /// The row as a search sees it; nil when its marks keep it from every search, or it has no text. Clears are not
  /// looked at.
  ///
  /// - Throws: `StoreError` of kind `corrupt`.
  init?(
    _ row: MessageRow, account: String, decoder: OpenIMCallbackDecoder, strings: InternedStrings
  ) throws(StoreError) {
    guard row.marks.isDisjoint(with: .unsearchable) else { return nil }
    let state = try row.state(strings)
    let body = state.amendments.edit?.body ?? state.body
    let content: MessageContent? =
      switch body.form {
      case .element:
        body.bytes.withUnsafeBufferPointer {
          ElementDecoder(account: account, senderID: state.envelope.senderID).expand(
            body.contentType, $0, 0..<$0.count)
        }
      case .line: decoder.content(ofLine: body.bytes)
      case .absent: nil
      }
    guard let texts = content?.searchTexts, !texts.isEmpty else { return nil }
    (self.texts, contentType) = (texts, body.contentType)
  }
}

extension MessageRow {
  /// The time a search orders the message by, in milliseconds: the server's, or the sender's before there is one.
  var searchTime: Int64 { sendTime > 0 ? sendTime : createTime }
}

/// A place in the order of search: by time, then by the row's number. What fits into the row id of the index is the key
/// there, so that the index is read from the latest message backward and a page costs no sorting.
struct SearchKey: Comparable {
  private static let rowBits: Int64 = 21
  private static let latest: Int64 = (1 << 42) - 1

  /// 42 bits of time (to the year 2109) and the low bits of the row's number.
  let packed: Int64
  let row: Int64

  init(time: Int64, row: Int64) {
    self.init(packed: Self.first(at: time) | row & (1 << Self.rowBits - 1), row: row)
  }

  init(packed: Int64, row: Int64) { (self.packed, self.row) = (packed, row) }

  /// The least packed key of a time.
  static func first(at time: Int64) -> Int64 { min(max(time, 0), latest) << rowBits }

  /// The greatest packed key of a time.
  static func last(at time: Int64) -> Int64 { first(at: time) | (1 << rowBits - 1) }

  static func < (left: SearchKey, right: SearchKey) -> Bool { (left.packed, left.row) < (right.packed, right.row) }
}
