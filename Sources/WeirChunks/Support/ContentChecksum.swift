/// The checksum of original bytes: the low 32 bits of XXH64, which is also what zstd writes into a frame.
///
/// It finds damage, not forgery: whoever can change the bytes can change it too.
public enum ContentChecksum {
  /// The checksum of some bytes.
  public static func of(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: bytes.withUnsafeBytes(xxh64))
  }

  /// XXH64 with seed 0.
  static func xxh64(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var offset = 0
    var hash: UInt64
    let count = bytes.count
    if count >= 32 {
      var (a, b, c, d) = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
      let last = count &- 32
      while offset <= last {
        a = round(a, read64(bytes, offset))
        b = round(b, read64(bytes, offset &+ 8))
        c = round(c, read64(bytes, offset &+ 16))
        d = round(d, read64(bytes, offset &+ 24))
        offset &+= 32
      }
      hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
      for lane in [a, b, c, d] { hash = (hash ^ round(0, lane)) &* prime1 &+ prime4 }
    } else {
      hash = prime5
    }
    hash &+= UInt64(count)
    while offset &+ 8 <= count {
      hash = rotate(hash ^ round(0, read64(bytes, offset)), 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= count {
      let four = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      hash = rotate(hash ^ (four &* prime1), 23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < count {
      hash = rotate(hash ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
      offset &+= 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func read64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ by: UInt64) -> UInt64 { value << by | value >> (64 &- by) }

  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
}
