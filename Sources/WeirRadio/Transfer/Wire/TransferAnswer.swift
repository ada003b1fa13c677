/// INIT_ACK: what the receiver says to an offer.
public enum TransferAnswer: Sendable, Equatable {
  /// It takes the file.
  case accepted(TransferAcceptance)
  /// It does not.
  case refused(TransferRefusal)

  var body: [UInt8] {
    switch self {
    case .accepted(let acceptance): [0] + acceptance.body
    case .refused(let refusal): [refusal.rawValue]
    }
  }

  init(_ reader: inout ByteReader) throws(TransferError) {
    let code = try reader.byte()
    if code == 0 {
      self = .accepted(try TransferAcceptance(&reader))
    } else if let refusal = TransferRefusal(rawValue: code) {
      self = .refused(refusal)
    } else {
      throw .malformed("an INIT_ACK says \(code), which means nothing")
    }
  }

  func check(_ offer: TransferInitiation) throws(TransferError) {
    if case .accepted(let acceptance) = self { try acceptance.check(offer) }
  }
}

/// Why a receiver takes no file. The raw values stand on the wire.
public enum TransferRefusal: UInt8, Sendable, CaseIterable {
  /// Another transfer is under way.
  case busy = 1
  /// Longer than the receiver takes.
  case tooBig = 2
  /// It cannot undo the codec, or has not the dictionary.
  case noCodec = 3
  /// It has no room to keep the file.
  case noSpace = 4
  /// This sender has sent as much as it may.
  case quota = 5
  /// No version and profile that both speak.
  case noProfile = 6
}

/// What a receiver agrees to.
public struct TransferAcceptance: Sendable, Equatable {
  /// A number that the receiver never used before.
  public var nonce: UInt64
  /// Bytes of a chunk: no more than proposed.
  public var chunk: Int
  /// Frames of a burst, 1 to 240.
  public var burst: UInt8
  /// The first chunk that is missing; 0 without a kept part, the count of chunks when nothing is missing.
  public var base: Int
  /// Chunks behind `base` that the receiver has, in ascending runs, within 240 of `base`. Behind that all count as missing.
  public var received: [Range<Int>]

  /// A yes, from the beginning or from what was kept.
  public init(nonce: UInt64, chunk: Int, burst: UInt8, base: Int = 0, received: [Range<Int>] = []) {
    self.nonce = nonce
    self.chunk = chunk
    self.burst = burst
    self.base = base
    self.received = received
  }

  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(nonce, width: 8)
    bytes += [TransferVersion.burstSack.rawValue, TransferProfiles.burstSack.rawValue]
    bytes.append(chunk, width: 2)
    bytes.append(burst)
    bytes.append(base, width: 2)
    return bytes + ChunkMap.bitmap(received, from: base)
  }

  init(_ reader: inout ByteReader) throws(TransferError) {
    nonce = try reader.number(8)
    guard try reader.byte() == TransferVersion.burstSack.rawValue,
      try reader.byte() == TransferProfiles.burstSack.rawValue
    else { throw .malformed("an INIT_ACK chooses what was not offered") }
    chunk = Int(try reader.short())
    burst = try reader.byte()
    base = Int(try reader.short())
    received = try ChunkMap.ranges(bitmap: reader.remaining(), from: base)
  }

  func check(_ offer: TransferInitiation) throws(TransferError) {
    guard chunk <= offer.chunk, let geometry = try? TransferGeometry(length: offer.wireLength, chunk: chunk) else {
      throw .malformed("an INIT_ACK agrees to chunks of \(chunk) bytes where \(offer.chunk) were offered")
    }
    guard 1...UInt8(TransferFraming.bitmapSpan) ~= burst else { throw .malformed("bursts of \(burst) frames") }
    guard offer.isResumable || (base == 0 && received.isEmpty) else {
      throw .malformed("an INIT_ACK goes on with a part, which was not offered")
    }
    guard 0...geometry.count ~= base else {
      throw .malformed("the first missing chunk is \(base) of \(geometry.count)")
    }
    guard ChunkMap.areAscending(received, within: base + 1..<max(base + 1, geometry.count)) else {
      throw .malformed("an INIT_ACK has chunks that do not exist, or in no order")
    }
    guard (received.last?.upperBound ?? base) - base <= TransferFraming.bitmapSpan else {
      throw .malformed("an INIT_ACK speaks of more than 240 chunks")
    }
  }
}
