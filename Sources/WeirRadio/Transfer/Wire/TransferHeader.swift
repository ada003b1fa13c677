/// Which protocol a frame is of. The raw values stand on the wire.
public enum TransferVersion: UInt8, Sendable, CaseIterable {
  /// Profile P1: the receiver is silent, a frame counts as delivered once the modem has confirmed it.
  case phyAck = 1
  /// Profile P2: bursts, and reports of what is missing.
  case burstSack = 2
}

/// The profiles that a station speaks.
public struct TransferProfiles: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  /// The profiles of a mask as on the wire.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// P1.
  public static let phyAck = TransferProfiles(rawValue: 1)
  /// P2.
  public static let burstSack = TransferProfiles(rawValue: 2)
  static let all: TransferProfiles = [.phyAck, .burstSack]
}

/// What a frame is. The raw values stand on the wire.
public enum TransferType: UInt8, Sendable, CaseIterable {
  /// INIT, and FILE_INIT of P1.
  case initiation = 1
  /// INIT_ACK.
  case answer = 2
  /// DATA.
  case data = 3
  /// STATUS.
  case status = 4
  /// POLL.
  case poll = 5
  /// FINISH.
  case finish = 6
  /// FINISH_ACK.
  case finishAnswer = 7
  /// CANCEL.
  case cancel = 8
  /// PAUSE.
  case pause = 9
  /// RESUME.
  case resume = 10
  /// MSG.
  case message = 11
  /// PARITY.
  case parity = 12

  /// Bytes of the tag: a forged chunk still fails the check of the content, anything else has no second check.
  var tagLength: Int { self == .data || self == .parity ? 4 : 8 }

  /// Whether frames of this type exist in a version.
  func exists(in version: TransferVersion) -> Bool {
    switch version {
    case .phyAck: self == .initiation || self == .data || self == .cancel
    case .burstSack: true
    }
  }

  /// Who may send it; nil for both.
  var origin: TransferParty? {
    switch self {
    case .initiation, .data, .poll, .finish, .parity: .sender
    case .answer, .status, .finishAnswer: .receiver
    case .cancel, .pause, .resume, .message: nil
    }
  }
}

/// The two ends of a transfer. The raw values stand on the wire.
public enum TransferParty: UInt8, Sendable, CaseIterable {
  /// Who sends the file.
  case sender = 0
  /// Who receives it.
  case receiver = 1
}

/// The bits of a header. Each is meant for some types and zero elsewhere.
struct TransferFlags: OptionSet, Sendable, Hashable {
  let rawValue: UInt8
  /// On DATA of P2: the last of a burst, to be answered by STATUS.
  static let poll = TransferFlags(rawValue: 1)
  /// On CANCEL: answers a CANCEL.
  static let answers = TransferFlags(rawValue: 2)
  /// On CANCEL of P2: made before the nonce of the receiver was known.
  static let early = TransferFlags(rawValue: 4)
}

/// The first nine bytes of a frame.
public struct TransferHeader: Sendable, Equatable {
  /// The protocol.
  public let version: TransferVersion
  /// What the frame is.
  public let type: TransferType
  /// Whom it is for.
  public let destination: UInt8
  /// Who says to have sent it.
  public let source: UInt8
  /// Tells sessions of the same two stations apart; proves nothing.
  public let session: UInt16
  let index: UInt16
  let flags: TransferFlags

  /// Whether it is a CANCEL made before the sender of the file knew the receiver's nonce, so that the offer authenticates it.
  public var isEarlyCancel: Bool { type == .cancel && flags.contains(.early) }

  var bytes: [UInt8] {
    var bytes = [TransferFraming.magic, version.rawValue << 5 | type.rawValue, destination, source]
    bytes.append(session, width: 2)
    bytes.append(index, width: 2)
    bytes.append(flags.rawValue)
    return bytes
  }
}

extension TransferHeader {
  /// The header of bytes that have the shape of a frame; nil when they are not ours.
  init?(shapeOf bytes: [UInt8]) {
    guard bytes.count >= TransferFraming.headerLength, bytes.count <= TransferFraming.maximumLength,
      bytes[0] == TransferFraming.magic, let version = TransferVersion(rawValue: bytes[1] >> 5),
      let type = TransferType(rawValue: bytes[1] & 31), type.exists(in: version),
      bytes.count >= TransferFraming.headerLength + type.tagLength + TransferFraming.checksumLength
    else { return nil }
    self.init(
      version: version, type: type, destination: bytes[2], source: bytes[3],
      session: UInt16(bytes[4]) << 8 | UInt16(bytes[5]), index: UInt16(bytes[6]) << 8 | UInt16(bytes[7]),
      flags: TransferFlags(rawValue: bytes[8]))
  }
}

/// The numbers of the framing.
public enum TransferFraming {
  /// The first byte of each frame.
  public static let magic: UInt8 = 0xB7
  /// The longest frame, in bytes: well above what any of the known modems sends.
  public static let maximumLength = 1_024
  static let headerLength = 9
  static let checksumLength = 2
  /// What a DATA frame has besides its chunk, in bytes.
  public static let dataOverhead = headerLength + 4 + checksumLength
  /// What a frame of another type has besides its body, in bytes.
  public static let controlOverhead = headerLength + 8 + checksumLength
  /// Chunks that a bitmap can speak of.
  static let bitmapSpan = 240
  static let mapLength = 30
}
