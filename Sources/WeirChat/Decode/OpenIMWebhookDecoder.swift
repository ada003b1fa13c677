/// Decodes the messages that OpenIM's server posts to web-hooks (receiving spec §1.5, end): the avatar is `faceURL`, the
/// content JSON in a text, and nobody has read anything yet.
///
/// The server posts before it has given the message its seq, so a seq of 0 tells nothing; and what it posts before it
/// takes a message (`callbackBefore…`) is no message yet and is ignored by rule.
///
/// Memory: as ``OpenIMCallbackDecoder``.
public struct OpenIMWebhookDecoder: PayloadDecoder {
  public let account: String
  /// The longest payload accepted, in bytes.
  public let lineLimit: Int

  /// A decoder for the view of `account`.
  public init(account: String, lineLimit: Int = 1 << 20) {
    self.account = account
    self.lineLimit = lineLimit
  }

  public func decode(_ payload: [UInt8]) throws(DecodeError) -> Decoded {
    try Payload.demand(payload, lineLimit)
    return try payload.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      let fields = try Payload.fields(bytes, acceptsText: true)
      guard let contentType = fields.contentType else { throw .missingField(Field.contentType.rawValue) }
      if Self.isQuestion(fields.callbackCommand) { return .ignored(.notYetSent) }
      let assembler = MessageAssembler(
        account: account, fields: fields, bytes: bytes, range: 0..<bytes.count,
        circumstances: .init(tellsNoSeq: true))
      return try assembler.decoded(contentType)
    }
  }

  /// Whether the server waits for an answer before it takes the message. The first letter is not always small.
  private static func isQuestion(_ command: String) -> Bool {
    let name = command.utf8.dropFirst()
    return name.starts(with: "allbackBefore".utf8) || name.starts(with: "allbackMsgModify".utf8)
  }
}
