/// A 128-bit hash value.
public struct Hash128: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The upper 64 bits.
  public let high: UInt64
  /// The lower 64 bits.
  public let low: UInt64

  /// A value of two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Orders by the 128-bit number.
  public static func < (left: Hash128, right: Hash128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// 32 hexadecimal digits.
  public var description: String {
    [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// SipHash-2-4 with 128-bit output and a fixed key: the same value in every process and on every machine, unlike
/// `Hasher`. It guards against accidents, not against someone who searches for collisions, since the key is public.
///
/// Values added with `add(_:)` carry their length, so `"a", "bc"` and `"ab", "c"` differ.
public struct FixedHash: Sendable {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  /// Bytes not yet mixed, lowest first.
  private var tail: UInt64 = 0
  private var count: UInt64 = 0

  /// A hash under the given key; the default is the key of all stored hashes.
  public init(key0: UInt64 = 0x0706_0504_0302_0100, key1: UInt64 = 0x0f0e_0d0c_0b0a_0908) {
    v0 = 0x736f_6d65_7073_6575 ^ key0
    v1 = 0x646f_7261_6e64_6f6d ^ key1 ^ 0xee
    v2 = 0x6c79_6765_6e65_7261 ^ key0
    v3 = 0x7465_6462_7974_6573 ^ key1
  }

  /// Adds bytes as they are.
  public mutating func add(raw bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count && count & 7 != 0 {
      push(bytes[index])
      index += 1
    }
    while index + 8 <= bytes.count {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      count &+= 8
      index += 8
    }
    while index < bytes.count {
      push(bytes[index])
      index += 1
    }
  }

  /// Adds a number, as eight bytes, lowest first.
  public mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { add(raw: $0) }
  }

  /// Adds a truth value.
  public mutating func add(_ flag: Bool) {
    add(flag ? 1 : 0 as Int64)
  }

  /// Adds bytes with their length.
  public mutating func add(_ bytes: [UInt8]) {
    add(Int64(bytes.count))
    bytes.withUnsafeBytes { add(raw: $0) }
  }

  /// Adds text with its length in UTF-8.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 {
      add(Int64($0.count))
      add(raw: UnsafeRawBufferPointer($0))
    }
  }

  /// The hash of everything added. More may be added afterwards; the value is that of the prefix.
  public func value() -> Hash128 {
    var end = self
    end.mix(end.tail | (end.count << 56))
    end.v2 ^= 0xee
    for _ in 0..<4 { end.round() }
    let low = end.v0 ^ end.v1 ^ end.v2 ^ end.v3
    end.v1 ^= 0xdd
    for _ in 0..<4 { end.round() }
    return Hash128(high: end.v0 ^ end.v1 ^ end.v2 ^ end.v3, low: low)
  }

  private mutating func push(_ byte: UInt8) {
    tail |= UInt64(byte) << (8 * (count & 7))
    count &+= 1
    if count & 7 == 0 {
      mix(tail)
      tail = 0
    }
  }

  private mutating func mix(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  @inline(__always)
  private mutating func round() {
    v0 = v0 &+ v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 = v2 &+ v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 = v0 &+ v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 = v2 &+ v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }
}
