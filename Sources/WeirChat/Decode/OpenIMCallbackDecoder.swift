/// Which callback delivers a payload. Payloads of some kinds look alike, so a source that knows should say.
public enum CallbackKind: String, Sendable, CaseIterable {
  /// The payload tells by its keys: a message, a recall, a typing notice, read receipts or conversations. A deleted
  /// message cannot be told from a new one.
  case any
  /// A new message, or one that came while offline.
  case newMessage
  /// A message the server keeps nowhere.
  case onlineOnlyMessage
  /// A message was taken back.
  case recalled
  /// A message was deleted for this account; the payload is the message.
  case deleted
  /// Messages were read by their receivers; the payload is an array.
  case readReceipts
  /// Someone is typing, or has stopped.
  case typing
  /// Conversations are new or changed; the payload is an array.
  case conversations
  /// A message of the application's own; the payload is free of form.
  case business
}

/// Decodes what OpenIM's callbacks deliver (receiving spec §1.1 to §1.7).
///
/// It takes messages, recalls (as a message of number 2101, as an original row that was recalled since, or as the
/// callback's own object), typing notices (as a message or as the callback's object), read receipts and conversations.
/// Rows of a client database (§1.1) are read as messages too.
///
/// Memory: about three times the payload while it is decoded; lists of many small entries take up to fifty times their
/// text, and hold at most 10,000 entries.
public struct OpenIMCallbackDecoder: PayloadDecoder {
  public let account: String
  /// The longest payload accepted, in bytes.
  public let lineLimit: Int

  /// A decoder for the view of `account`.
  public init(account: String, lineLimit: Int = 1 << 20) {
    self.account = account
    self.lineLimit = lineLimit
  }

  /// Decodes one payload that tells by its keys what it is, without its line feed.
  ///
  /// - Throws: `DecodeError` for a payload that is refused.
  public func decode(_ line: [UInt8]) throws(DecodeError) -> Decoded {
    try decode(line, as: .any)
  }

  /// Decodes one payload of a callback.
  ///
  /// - Parameters:
  ///   - kind: which callback.
  ///   - receivedAt: when it came, in milliseconds since 1970. Conversations carry no version, so this orders what they
  ///     say; 0 to order them by the times they carry.
  /// - Throws: `DecodeError` for a payload that is refused.
  public func decode(
    _ payload: [UInt8], as kind: CallbackKind, receivedAt: Int64 = 0
  ) throws(DecodeError) -> Decoded {
    try Payload.demand(payload, lineLimit)
    return try payload.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      switch kind {
      case .any:
        var reader = JSONReader(bytes)
        if (try? reader.peek()) == UInt8(ascii: "[") { return try list(bytes, receivedAt) }
        return try object(bytes)
      case .newMessage: return try message(bytes)
      case .onlineOnlyMessage: return try message(bytes, .init(isOnlineOnly: true))
      case .deleted: return try message(bytes, .init(isDeleted: true))
      case .recalled:
        let fields = try Payload.fields(bytes)
        return try assembler(fields, bytes).recallCallback(by: fields.revokerID ?? "")
      case .typing: return try typing(try Payload.fields(bytes))
      case .readReceipts:
        return try Payload.parts(try Payload.elements(bytes)) { (range) throws(DecodeError) in
          try ReadReceipt(bytes, range).decoded(account)
        }
      case .conversations:
        return try Payload.parts(try Payload.elements(bytes)) { (range) throws(DecodeError) in
          try ConversationPayload(bytes, range).decoded(account, receivedAt)
        }
      case .business:
        return .notice(
          NoticeEvent(
            account: account, contentType: ContentType.business, subject: .business, time: max(0, receivedAt),
            detail: payload))
      }
    }
  }

  private func object(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> Decoded {
    let fields = try Payload.fields(bytes)
    if let contentType = fields.contentType { return try assembler(fields, bytes).decoded(contentType) }
    if let revokerID = fields.revokerID { return try assembler(fields, bytes).recallCallback(by: revokerID) }
    if fields.platforms != nil { return try typing(fields) }
    throw .missingField(Field.contentType.rawValue)
  }

  private func message(
    _ bytes: UnsafeBufferPointer<UInt8>, _ circumstances: MessageAssembler.Circumstances = .init()
  ) throws(DecodeError) -> Decoded {
    let fields = try Payload.fields(bytes)
    guard let contentType = fields.contentType else { throw .missingField(Field.contentType.rawValue) }
    return try assembler(fields, bytes, circumstances).decoded(contentType)
  }

  private func assembler(
    _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>,
    _ circumstances: MessageAssembler.Circumstances = .init()
  ) -> MessageAssembler {
    MessageAssembler(
      account: account, fields: fields, bytes: bytes, range: 0..<bytes.count, circumstances: circumstances)
  }

  /// An array whose entries tell what they are.
  private func list(_ bytes: UnsafeBufferPointer<UInt8>, _ receivedAt: Int64) throws(DecodeError) -> Decoded {
    let ranges = try Payload.elements(bytes)
    guard !ranges.isEmpty else { throw .unknownShape("an array") }
    return try Payload.parts(ranges) { (range) throws(DecodeError) in
      switch ListEntry(bytes, range) {
      case .receipt: return try ReadReceipt(bytes, range).decoded(account)
      case .conversation: return try ConversationPayload(bytes, range).decoded(account, receivedAt)
      case nil: throw .unknownShape("an array")
      }
    }
  }

  private func typing(_ fields: PayloadFields) throws(DecodeError) -> Decoded {
    guard !fields.conversationID.isEmpty else { throw .missingField(Field.conversationID.rawValue) }
    guard !fields.userID.isEmpty else { throw .missingField(Field.userID.rawValue) }
    guard let platforms = fields.platforms else { throw .missingField(Field.platformIDs.rawValue) }
    if fields.userID.utf8Equals(account) { return .ignored(.ownTyping) }
    return .typing(
      TypingEvent(
        account: account, conversationID: fields.conversationID, userID: fields.userID,
        platformID: platforms.count == 1 ? platforms.first : 0, isTyping: platforms.count > 0))
  }
}

/// What an entry of an array is, by the keys that only its kind has.
private enum ListEntry {
  case receipt
  case conversation

  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    var reader = JSONReader(bytes, range: range)
    guard let found = try? Self.find(&reader) else { return nil }
    self = found
  }

  private static func find(_ reader: inout JSONReader) throws(JSONError) -> ListEntry? {
    try reader.beginObject()
    while let name = try reader.nextName() {
      switch name {
      case "msgIDList": return .receipt
      case "conversationType", "recvMsgOpt", "latestMsg", "showName": return .conversation
      default: try reader.skipValue()
      }
    }
    return nil
  }
}
