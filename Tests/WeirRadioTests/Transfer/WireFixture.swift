import Foundation

@testable import WeirRadio

/// Two stations in the middle of a transfer, and ways to make what no station would send.
struct WireFixture {
  static let sender: UInt8 = 0x11
  static let receiver: UInt8 = 0x22
  static let number: UInt16 = 0x1234

  let key: ControlKey
  let content: [UInt8]
  let initiation: TransferInitiation
  let offer: TransferOffer
  let session: TransferSession
  /// The same nonces and key over 32,768 chunks.
  let largeSession: TransferSession
  let fileInitiation: FileInitiation
  let phySession: TransferSession

  init() throws {
    key = try ControlKey(0..<16)
    content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    initiation = TransferInitiation(
      nonce: 0x0102_0304_0506_0708, wireLength: 1_000, originalLength: 1_000, chunk: 64,
      content: key.contentIdentity(of: content), rate: 18)
    offer = TransferOffer(
      key: key, sender: Self.sender, receiver: Self.receiver, number: Self.number, initiation: initiation)
    let nonce: UInt64 = 0x1112_1314_1516_1718
    session = try TransferSession(offer, accepted: TransferAcceptance(nonce: nonce, chunk: 64, burst: 240))
    var large = initiation
    large.wireLength = TransferGeometry.maximumLength
    large.originalLength = TransferGeometry.maximumLength
    largeSession = try TransferSession(
      TransferOffer(
        key: key, sender: Self.sender, receiver: Self.receiver, number: Self.number, initiation: large),
      accepted: TransferAcceptance(nonce: nonce, chunk: 16, burst: 240))
    fileInitiation = FileInitiation(nonce: initiation.nonce, content: content, chunk: 64)
    phySession = try TransferSession(
      key: key, sender: Self.sender, receiver: Self.receiver, number: Self.number, initiation: fileInitiation)
  }

  /// What a station of this transfer knows.
  func authentication(_ header: TransferHeader) -> TransferAuthentication? {
    switch header.type {
    case .initiation: .control(key)
    case .answer: .offer(offer)
    case .cancel where header.isEarlyCancel: .offer(offer)
    default: .session(header.version == .phyAck ? phySession : session)
    }
  }

  func packet(
    _ frame: TransferFrame, from party: TransferParty = .sender, version: TransferVersion = .burstSack
  ) -> TransferPacket {
    TransferPacket(
      version: version, from: party == .sender ? Self.sender : Self.receiver,
      to: party == .sender ? Self.receiver : Self.sender, session: Self.number, frame)
  }

  /// A frame of any header and body with the checksum and, as far as there is a key, the tag that belong to it.
  func signed(
    _ type: TransferType, from party: TransferParty = .sender, version: TransferVersion = .burstSack,
    index: UInt16 = 0, flags: UInt8 = 0, _ body: [UInt8], with authentication: TransferAuthentication? = nil
  ) -> [UInt8] {
    let header = TransferHeader(
      version: version, type: type, destination: party == .sender ? Self.receiver : Self.sender,
      source: party == .sender ? Self.sender : Self.receiver, session: Self.number, index: index,
      flags: TransferFlags(rawValue: flags))
    let secret = authentication ?? self.authentication(header)
    var bytes = header.bytes + body
    bytes += secret?.tag(of: header, from: party, body) ?? []
    return Self.checked(bytes + [0, 0])
  }

  /// The bytes with the checksum that belongs to them.
  static func checked(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard bytes.count >= 2 else { return bytes }
    bytes.removeLast(2)
    bytes.append(FrameChecksum.of(bytes), width: 2)
    return bytes
  }

  /// Reads at whichever of the two stations the bytes are for.
  func read(_ bytes: [UInt8], with authentication: TransferAuthentication? = nil) -> TransferReading {
    let local = bytes.count > 2 && bytes[2] == Self.sender ? Self.sender : Self.receiver
    return TransferPacket.read(bytes, at: local) { authentication ?? self.authentication($0) }
  }
}

extension TransferReading {
  /// Why it was rejected; nil for the other answers.
  var rejection: TransferError.Kind? {
    if case .rejected(let error) = self { error.kind } else { nil }
  }
}

/// Bytes of hexadecimal digits.
func bytes(_ hex: String) -> [UInt8] { HexText.bytes(Array(hex.utf8)) ?? [] }
