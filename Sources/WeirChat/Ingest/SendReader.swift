/// Turns what comes back from sending into facts (receiving spec §2.2). The echo of an own message is an ordinary message
/// and comes by the decoders.
public struct SendReader: Sendable {
  private let decoder: OpenIMCallbackDecoder

  /// Reads for the account of a decoder.
  public init(_ decoder: OpenIMCallbackDecoder) { self.decoder = decoder }

  /// The facts of a successful send: of the message that the SDK hands back, or of the server's short answer
  /// (`serverMsgID`, `clientMsgID`, `sendTime`).
  ///
  /// - Throws: `DecodeError` for an answer that names no message.
  public func acknowledged(_ payload: [UInt8], conversationID: String) throws(DecodeError) -> [Fact] {
    try Payload.demand(payload, decoder.lineLimit)
    let fields = try payload.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      try Payload.fields(bytes, acceptsText: true)
    }
    guard !fields.clientMsgID.isEmpty else { throw .missingField(Field.clientMsgID.rawValue) }
    guard fields.seq >= 0 else { throw .negativeSeq(fields.seq) }
    let acknowledgement = event(
      fields.clientMsgID, conversationID,
      .acknowledged(serverMsgID: fields.serverMsgID, sendTime: max(0, fields.sendTime), seq: fields.seq))
    guard fields.contentType != nil else { return [acknowledgement] }
    let copy = try decoder.decode(payload, as: .newMessage).facts.filter { fact in
      // The copy may still say that it is on its way, which the acknowledgement knows better.
      if case .send = fact { false } else { true }
    }
    return copy + [acknowledgement]
  }

  /// A step of an attempt to send, as this client takes it.
  public func attempt(
    _ number: Int64, _ step: SendFact.Step, clientMsgID: String, conversationID: String
  ) -> Fact {
    event(clientMsgID, conversationID, .attempt(number: number, step: step))
  }

  private func event(_ clientMsgID: String, _ conversationID: String, _ event: SendFact.Event) -> Fact {
    .send(
      SendFact(account: decoder.account, conversationID: conversationID, clientMsgID: clientMsgID, event: event))
  }
}
