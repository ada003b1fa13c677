/// Decodes the JSON rendition of what OpenIM's server sends over the wire (receiving spec §1.1 to §1.7): one message,
/// pushes and pull answers (`msgs`, `notificationMsgs`), or what the server knows of seqs (`maxSeqs`, `seqs`).
///
/// `content` may be base64, text that holds JSON, or JSON; 64-bit numbers may stand in quotes. No message names its
/// conversation: it is the key the message stands under, or is derived from its fields, notification twins included.
///
/// Memory: as ``OpenIMCallbackDecoder``.
public struct OpenIMWireDecoder: PayloadDecoder {
  public let account: String
  /// The longest payload accepted, in bytes.
  public let lineLimit: Int

  /// A decoder for the view of `account`.
  public init(account: String, lineLimit: Int = 1 << 20) {
    self.account = account
    self.lineLimit = lineLimit
  }

  public func decode(_ payload: [UInt8]) throws(DecodeError) -> Decoded {
    try decode(payload, conversationID: nil)
  }

  /// Decodes one payload.
  ///
  /// A batch decides nothing by the number of its messages: each comes out with its seq, in whatever order and however
  /// often, and with the greatest seq of its conversation, so that the store sees what is missing (receiving spec D2, D3).
  ///
  /// - Parameter conversationID: where a single message stands, if the caller knows; nil to derive it. Payloads of
  ///   several conversations name them themselves.
  /// - Throws: `DecodeError` for a payload that is refused.
  public func decode(_ payload: [UInt8], conversationID: String?) throws(DecodeError) -> Decoded {
    try Payload.demand(payload, lineLimit)
    return try payload.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let fields = try Payload.fields(bytes, acceptsText: true)
      if let contentType = fields.contentType {
        return try message(contentType, fields, bytes, 0..<bytes.count, conversationID)
      }
      // A placeholder for a seq may come without a content number.
      if fields.status == Status.deleted {
        return try message(0, fields, bytes, 0..<bytes.count, conversationID)
      }
      let answer = try Payload.checked { () throws(JSONError) in try WireAnswer(bytes) }
      return try decoded(answer, bytes)
    }
  }

  /// What a push or a pull answer holds, conversation by conversation.
  ///
  /// - Throws: `DecodeError` for a payload that is no such answer.
  func conversations(_ payload: [UInt8]) throws(DecodeError) -> [WireConversation] {
    try Payload.demand(payload, lineLimit)
    return try payload.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let answer = try Payload.checked { () throws(JSONError) in
        var reader = JSONReader(bytes)
        try reader.skipValue()
        try reader.finish()
        return try WireAnswer(bytes)
      }
      return try conversations(answer, bytes)
    }
  }

  private func conversations(
    _ answer: WireAnswer, _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(DecodeError) -> [WireConversation] {
    guard answer.isPartLimitKept else { throw .tooManyParts(limit: Payload.partLimit) }
    var result: [WireConversation] = []
    for group in answer.groups {
      var conversation = WireConversation(id: group.conversationID, isEnd: group.isEnd)
      for range in group.messages {
        do throws(DecodeError) {
          var reader = JSONReader(bytes, range: range)
          let fields = try PayloadFields(&reader, acceptsText: true)
          if fields.seq > 0 { conversation.seqs.append(fields.seq) }
          conversation.parts.append(
            try message(fields.contentType ?? 0, fields, bytes, range, group.conversationID))
        } catch {
          conversation.parts.append(.refused(error))
        }
      }
      result.append(conversation)
    }
    return result
  }

  private func decoded(_ answer: WireAnswer, _ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) -> Decoded {
    guard answer.isKnown else { throw .missingField(Field.contentType.rawValue) }
    var parts = answer.seqs.isEmpty ? [] : [Decoded.facts(answer.seqs.flatMap { $0.facts(account) })]
    for conversation in try conversations(answer, bytes) {
      parts += conversation.parts
      guard let newest = conversation.seqs.max() else { continue }
      parts.append(
        .facts([.seqs(SeqFact(account: account, conversationID: conversation.id, serverMaxSeq: newest))]))
    }
    // A payload of one part that is refused is refused itself.
    if parts.count == 1, case .refused(let error) = parts[0] { throw error }
    return Decoded.of(parts) ?? .ignored(.emptyList)
  }

  private func message(
    _ contentType: Int32, _ fields: PayloadFields, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
    _ conversationID: String?
  ) throws(DecodeError) -> Decoded {
    let assembler = MessageAssembler(
      account: account, fields: fields, bytes: bytes, range: range,
      circumstances: .init(conversationID: conversationID))
    return try assembler.decoded(contentType)
  }
}

/// What a push or a pull answer holds of one conversation.
struct WireConversation {
  var id: String
  var parts: [Decoded] = []
  /// The seqs of all messages that could be read, placeholders included.
  var seqs: [Int64] = []
  /// Whether the server says that nothing follows.
  var isEnd: Bool
}
