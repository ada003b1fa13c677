/// What two stations share from an offer on: its nonce, and not yet the receiver's.
public struct TransferOffer: Sendable {
  /// The station that offers.
  public let sender: UInt8
  /// The station that is to receive.
  public let receiver: UInt8
  /// Tells sessions of these two apart.
  public let number: UInt16
  /// What is offered.
  public let initiation: TransferInitiation
  let key: ControlKey

  /// An offer that was made or heard.
  public init(key: ControlKey, sender: UInt8, receiver: UInt8, number: UInt16, initiation: TransferInitiation) {
    self.key = key
    self.sender = sender
    self.receiver = receiver
    self.number = number
    self.initiation = initiation
  }
}

/// What two stations share during a transfer. Its key is made of both nonces, so that no frame of an earlier one fits.
public struct TransferSession: Sendable {
  /// The protocol.
  public let version: TransferVersion
  /// The station that sends the file.
  public let sender: UInt8
  /// The station that receives it.
  public let receiver: UInt8
  /// Tells sessions of these two apart.
  public let number: UInt16
  /// The chunks.
  public let geometry: TransferGeometry
  let nonces: [UInt8]
  let key: SipHash24

  /// The session of P2 that an offer and its acceptance make.
  /// - Throws: ``TransferError`` `invalidDataLength` when they make no chunks.
  public init(_ offer: TransferOffer, accepted acceptance: TransferAcceptance) throws(TransferError) {
    self.init(
      .burstSack, offer.key, offer.sender, offer.receiver, offer.number,
      try TransferGeometry(length: offer.initiation.wireLength, chunk: acceptance.chunk),
      [offer.initiation.nonce, acceptance.nonce])
  }

  /// The session of P1 that a FILE_INIT makes. There is no nonce of the receiver: who recorded a whole transfer can send it again.
  /// - Throws: ``TransferError`` `invalidDataLength` when it makes no chunks.
  public init(
    key: ControlKey, sender: UInt8, receiver: UInt8, number: UInt16, initiation: FileInitiation
  ) throws(TransferError) {
    self.init(
      .phyAck, key, sender, receiver, number,
      try TransferGeometry(length: initiation.length, chunk: initiation.chunk), [initiation.nonce, 0])
  }

  private init(
    _ version: TransferVersion, _ key: ControlKey, _ sender: UInt8, _ receiver: UInt8, _ number: UInt16,
    _ geometry: TransferGeometry, _ nonces: [UInt64]
  ) {
    self.version = version
    self.sender = sender
    self.receiver = receiver
    self.number = number
    self.geometry = geometry
    var bytes: [UInt8] = []
    for nonce in nonces { bytes.append(nonce, width: 8) }
    self.nonces = bytes
    self.key = key.hash.derived(label: "weir-transfer-session", bytes + [sender, receiver, version.rawValue])
  }
}

/// With what a frame is authenticated.
public enum TransferAuthentication: Sendable {
  /// INIT and FILE_INIT: the secret of the two stations.
  case control(ControlKey)
  /// INIT_ACK, and a CANCEL made before it was heard: the secret, and the nonce of the offer.
  case offer(TransferOffer)
  /// Everything else: the key of the session.
  case session(TransferSession)

  /// Who of the two has sent the frame of a header; nil when it is not a frame of this.
  func origin(of header: TransferHeader) -> TransferParty? {
    switch self {
    case .control:
      return header.type == .initiation ? .sender : nil
    case .offer(let offer):
      guard header.version == .burstSack, header.type == .answer || header.isEarlyCancel,
        header.session == offer.number
      else { return nil }
      return Self.origin(of: header, offer.sender, offer.receiver)
    case .session(let session):
      guard header.version == session.version, header.type != .initiation, header.type != .answer,
        !header.isEarlyCancel, header.session == session.number
      else { return nil }
      return Self.origin(of: header, session.sender, session.receiver)
    }
  }

  private static func origin(of header: TransferHeader, _ sender: UInt8, _ receiver: UInt8) -> TransferParty? {
    switch (header.source, header.destination) {
    case (sender, receiver): .sender
    case (receiver, sender): .receiver
    default: nil
    }
  }

  /// The tag of a frame: SipHash-2-4 over the direction, the nonces that both know by then, the header and the body.
  func tag(of header: TransferHeader, from origin: TransferParty, _ body: some Collection<UInt8>) -> [UInt8] {
    var input = [origin.rawValue]
    input.reserveCapacity(17 + TransferFraming.headerLength + body.count)
    let hash: SipHash24
    switch self {
    case .control(let key):
      hash = key.hash
      input.append(0, width: 16)
    case .offer(let offer):
      hash = offer.key.hash
      input.append(offer.initiation.nonce, width: 8)
      input.append(0, width: 8)
    case .session(let session):
      hash = session.key
      input += session.nonces
    }
    input += header.bytes
    input += body
    var tag: [UInt8] = []
    tag.append(hash(input), width: 8)
    return Array(tag.prefix(header.type.tagLength))
  }
}
