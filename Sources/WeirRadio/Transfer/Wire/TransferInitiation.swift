/// INIT of P2: what is to be sent, and how.
public struct TransferInitiation: Sendable, Equatable {
  /// A number that the sender never used before.
  public var nonce: UInt64
  /// The lowest and the highest version that the sender speaks, 0 to 7; the range holds 2.
  public var versions: ClosedRange<UInt8>
  /// The profiles that the sender speaks, P2 among them.
  public var profiles: TransferProfiles
  /// Bytes on the air: those of the content as `codec` makes them.
  public var wireLength: Int
  /// Bytes of the content.
  public var originalLength: Int
  /// How the content was made smaller: 0 not at all, 1 zstd. What a receiver does not know it refuses by name.
  public var codec: UInt8
  /// Which dictionary the codec used; 0 for none.
  public var dictionary: UInt16
  /// Bytes of a chunk that the sender proposes; the answer may lower it.
  public var chunk: Int
  /// What names the content: ``ControlKey/contentIdentity(of:)`` of it, before compression.
  public var content: UInt64
  /// The rate of the first burst, as a number that both stations know.
  public var rate: UInt8
  /// Whether the sender can go on with a part that the receiver kept.
  public var isResumable: Bool

  /// An offer in P2 alone.
  public init(
    nonce: UInt64, wireLength: Int, originalLength: Int, codec: UInt8 = 0, dictionary: UInt16 = 0, chunk: Int,
    content: UInt64, rate: UInt8, isResumable: Bool = true
  ) {
    self.nonce = nonce
    versions = 2...2
    profiles = .burstSack
    self.wireLength = wireLength
    self.originalLength = originalLength
    self.codec = codec
    self.dictionary = dictionary
    self.chunk = chunk
    self.content = content
    self.rate = rate
    self.isResumable = isResumable
  }

  func check() throws(TransferError) {
    try TransferChecks.check(versions, profiles, for: .burstSack, profile: .burstSack)
    guard TransferGeometry.isValid(length: wireLength), TransferGeometry.isValid(length: originalLength) else {
      throw .malformed("an INIT says \(wireLength) bytes for \(originalLength); both are 1 to 524287")
    }
    guard TransferGeometry.isValid(chunk: chunk) else { throw .malformed("an INIT says chunks of \(chunk) bytes") }
    guard codec != 0 || (wireLength == originalLength && dictionary == 0) else {
      throw .malformed("an INIT without a codec has two lengths or a dictionary")
    }
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(nonce, width: 8)
    bytes += [versions.lowerBound, versions.upperBound, profiles.rawValue]
    bytes.append(wireLength, width: 3)
    bytes.append(originalLength, width: 3)
    bytes.append(codec)
    bytes.append(dictionary, width: 2)
    bytes.append(chunk, width: 2)
    bytes.append(content, width: 8)
    bytes += [rate, isResumable ? 1 : 0]
    return bytes
  }

  init(_ reader: inout ByteReader) throws(TransferError) {
    nonce = try reader.number(8)
    versions = try TransferChecks.versions(&reader)
    profiles = TransferProfiles(rawValue: try reader.byte())
    wireLength = Int(try reader.number(3))
    originalLength = Int(try reader.number(3))
    codec = try reader.byte()
    dictionary = try reader.short()
    chunk = Int(try reader.short())
    content = try reader.number(8)
    rate = try reader.byte()
    isResumable = try reader.byte() == 1
  }
}

/// FILE_INIT of P1: what is to be sent; nobody answers.
public struct FileInitiation: Sendable, Equatable {
  /// A number that the sender never used before: tells a second transfer from a late frame of the first.
  public var nonce: UInt64
  /// The lowest and the highest version that the sender speaks, 0 to 7; the range holds 1.
  public var versions: ClosedRange<UInt8>
  /// The profiles that the sender speaks, P1 among them.
  public var profiles: TransferProfiles
  /// Bytes of the content.
  public var length: Int
  /// Bytes of a chunk.
  public var chunk: Int
  /// CRC-32C of the content.
  public var checksum: UInt32

  /// The start of a content in P1 alone.
  public init(nonce: UInt64, content: [UInt8], chunk: Int) {
    self.nonce = nonce
    versions = 1...1
    profiles = .phyAck
    length = content.count
    self.chunk = chunk
    checksum = ContentChecksum.of(content)
  }

  func check() throws(TransferError) {
    try TransferChecks.check(versions, profiles, for: .phyAck, profile: .phyAck)
    guard TransferGeometry.isValid(length: length), TransferGeometry.isValid(chunk: chunk) else {
      throw .malformed("a FILE_INIT says \(length) bytes in chunks of \(chunk)")
    }
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(nonce, width: 8)
    bytes += [versions.lowerBound, versions.upperBound, profiles.rawValue]
    bytes.append(length, width: 3)
    bytes.append(chunk, width: 2)
    bytes.append(checksum, width: 4)
    return bytes
  }

  init(_ reader: inout ByteReader) throws(TransferError) {
    nonce = try reader.number(8)
    versions = try TransferChecks.versions(&reader)
    profiles = TransferProfiles(rawValue: try reader.byte())
    length = Int(try reader.number(3))
    chunk = Int(try reader.short())
    checksum = try reader.word()
  }
}

enum TransferChecks {
  static func versions(_ reader: inout ByteReader) throws(TransferError) -> ClosedRange<UInt8> {
    let lowest = try reader.byte()
    let highest = try reader.byte()
    guard lowest <= highest else { throw .malformed("the lowest version is above the highest") }
    return lowest...highest
  }

  static func check(
    _ versions: ClosedRange<UInt8>, _ profiles: TransferProfiles, for version: TransferVersion,
    profile: TransferProfiles
  ) throws(TransferError) {
    guard versions.contains(version.rawValue), versions.upperBound <= 7 else {
      throw .malformed("versions \(versions) in a frame of version \(version.rawValue)")
    }
    guard profiles.isSuperset(of: profile), profiles.isSubset(of: .all) else {
      throw .malformed("profiles \(profiles.rawValue) in a frame of version \(version.rawValue)")
    }
  }
}
