/// DATA: one chunk.
public struct TransferData: Sendable, Equatable {
  /// Which chunk.
  public var index: UInt16
  /// Its bytes: as many as the geometry says.
  public var bytes: [UInt8]
  /// Whether it ends a burst and asks for a STATUS; never in P1.
  public var endsBurst: Bool

  /// A chunk at an index.
  public init(index: UInt16, bytes: [UInt8], endsBurst: Bool = false) {
    self.index = index
    self.bytes = bytes
    self.endsBurst = endsBurst
  }

  func check(_ geometry: TransferGeometry, _ version: TransferVersion) throws(TransferError) {
    guard let length = geometry.length(ofChunkAt: Int(index)) else {
      throw .malformed("chunk \(index) of \(geometry.count)")
    }
    guard bytes.count == length else { throw .malformed("chunk \(index) has \(bytes.count) bytes, not \(length)") }
    guard version == .burstSack || !endsBurst else { throw .malformed("P1 has no bursts") }
  }
}

/// FINISH: all is sent; is it whole?
public struct TransferFinish: Sendable, Equatable {
  /// CRC-32C of the content, as it is after decompression.
  public var checksum: UInt32
  /// ``ControlKey/contentIdentity(of:)`` of the content.
  public var content: UInt64

  /// What the receiver has to find.
  public init(checksum: UInt32, content: UInt64) {
    self.checksum = checksum
    self.content = content
  }

  /// What a content has to be found as, under a key.
  public init(of content: [UInt8], key: ControlKey) {
    self.init(checksum: ContentChecksum.of(content), content: key.contentIdentity(of: content))
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(checksum, width: 4)
    bytes.append(content, width: 8)
    return bytes
  }
}

/// FINISH_ACK: what the receiver found. The raw values stand on the wire.
public enum TransferVerdict: UInt8, Sendable, CaseIterable {
  /// Everything is here and right: the only success.
  case whole = 0
  /// Chunks are missing; a STATUS says which.
  case incomplete = 1
  /// The CRC-32C is another.
  case checksumDiffers = 2
  /// The keyed name of the content is another.
  case contentDiffers = 3
  /// It cannot be decompressed.
  case codecFailed = 4
}

/// CANCEL: one end gives up.
public struct TransferCancel: Sendable, Equatable {
  /// Why. The raw values stand on the wire.
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// A person or a program wants it.
    case wanted = 0
    /// The other was not heard for too long.
    case timeout = 1
    /// Too many tries without progress.
    case retriesExceeded = 2
    /// The radio is lost or wanted elsewhere.
    case radioLost = 3
    /// A failure within.
    case failed = 4
  }

  /// Why.
  public var reason: Reason
  /// Who gave up.
  public var party: TransferParty
  /// Whether it answers the other's CANCEL, whose reason and party it repeats.
  public var isAnswer: Bool
  /// Whether it is made before the receiver's nonce was known; never in P1. The offer authenticates it then.
  public var isEarly: Bool

  /// A giving up.
  public init(reason: Reason, by party: TransferParty, isAnswer: Bool = false, isEarly: Bool = false) {
    self.reason = reason
    self.party = party
    self.isAnswer = isAnswer
    self.isEarly = isEarly
  }

  var flags: TransferFlags {
    var flags: TransferFlags = []
    if isAnswer { flags.insert(.answers) }
    if isEarly { flags.insert(.early) }
    return flags
  }

  func check(from origin: TransferParty, _ version: TransferVersion) throws(TransferError) {
    guard (party == origin) != isAnswer else { throw .malformed("a CANCEL names the other as who gave up") }
    guard version == .burstSack || !(isAnswer || isEarly) else { throw .malformed("P1 answers no CANCEL") }
  }
}

/// PAUSE and RESUME: how long an end is away, and when it goes on.
public struct TransferPause: Sendable, Equatable {
  /// The longest time, in milliseconds: a day.
  public static let longest: UInt32 = 86_400_000

  /// Rises with each PAUSE of an end; RESUME repeats it.
  public var number: UInt16
  /// PAUSE: for how long nobody listens. RESUME: until the next frame of who sends it. Up to `longest`.
  public var milliseconds: UInt32

  /// A time away.
  public init(number: UInt16, milliseconds: UInt32) {
    self.number = number
    self.milliseconds = milliseconds
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(milliseconds, width: 4)
    return bytes
  }

  func check() throws(TransferError) {
    guard milliseconds <= Self.longest else { throw .malformed("a pause of \(milliseconds) ms") }
  }
}

/// MSG: one frame of chat between the same two, during a transfer.
public struct TransferMessage: Sendable, Equatable {
  /// The longest, in bytes: what fits into the longest frame.
  public static let maximumLength = TransferFraming.maximumLength - TransferFraming.controlOverhead

  /// Rises with each MSG of an end, so that a second copy is known as one.
  public var number: UInt16
  /// What is said, 1 to `maximumLength` bytes.
  public var bytes: [UInt8]

  /// Something said.
  public init(number: UInt16, bytes: [UInt8]) {
    self.number = number
    self.bytes = bytes
  }

  func check() throws(TransferError) {
    guard 1...Self.maximumLength ~= bytes.count else { throw .malformed("a MSG of \(bytes.count) bytes") }
  }
}

/// PARITY: chunks added up, for links without a way back or with a very long one.
public struct TransferParity: Sendable, Equatable {
  /// The first chunk of the group.
  public var base: UInt16
  /// Chunks of the group, 1 or more.
  public var span: UInt16
  /// Which of them: 0 for all, otherwise the start of the generator that both ends agree on.
  public var seed: UInt32
  /// Their sum, as long as the longest of the group; shorter chunks count as followed by zeros.
  public var bytes: [UInt8]

  /// A sum of chunks.
  public init(base: UInt16, span: UInt16, seed: UInt32, bytes: [UInt8]) {
    self.base = base
    self.span = span
    self.seed = seed
    self.bytes = bytes
  }

  var body: [UInt8] {
    var body: [UInt8] = []
    body.append(span, width: 2)
    body.append(seed, width: 4)
    return body + bytes
  }

  func check(_ geometry: TransferGeometry) throws(TransferError) {
    guard span > 0, Int(base) + Int(span) <= geometry.count else {
      throw .malformed("a PARITY of \(span) chunks from \(base) of \(geometry.count)")
    }
    guard bytes.count == geometry.length(ofChunkAt: Int(base)) else {
      throw .malformed("a PARITY of \(bytes.count) bytes for chunks of \(geometry.chunk)")
    }
  }
}
