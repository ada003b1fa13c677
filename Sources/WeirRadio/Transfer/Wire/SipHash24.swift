/// SipHash-2-4 with 64 bits: a keyed hash that nobody without the key can guess. Aumasson and Bernstein, 2012.
///
/// The key is kept out of descriptions and reflections.
struct SipHash24: Sendable, CustomStringConvertible, CustomReflectable {
  private let low: UInt64
  private let high: UInt64

  /// The hash under a key of two words; the first eight bytes of a written key are `low`, lowest byte first.
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  var description: String { "SipHash24" }
  var customMirror: Mirror { Mirror(self, children: []) }

  /// The hash of all bytes.
  func callAsFunction(_ bytes: [UInt8]) -> UInt64 {
    var state = State(low: low, high: high)
    bytes.withUnsafeBytes { bytes in
      let whole = bytes.count & ~7
      var index = 0
      while index < whole {
        state.mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
        index += 8
      }
      var last = UInt64(truncatingIfNeeded: bytes.count) << 56
      var shift: UInt64 = 0
      while index < bytes.count {
        last |= UInt64(bytes[index]) << shift
        shift += 8
        index += 1
      }
      state.mix(last)
    }
    return state.finished()
  }

  /// Two hashes of one input as the key of another: the input stands behind a label and 1 or 2.
  func derived(label: StaticString, _ input: [UInt8]) -> SipHash24 {
    let label = label.withUTF8Buffer { Array($0) }
    return SipHash24(low: self(label + [1] + input), high: self(label + [2] + input))
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    init(low: UInt64, high: UInt64) {
      v0 = 0x736F_6D65_7073_6575 ^ low
      v1 = 0x646F_7261_6E64_6F6D ^ high
      v2 = 0x6C79_6765_6E65_7261 ^ low
      v3 = 0x7465_6462_7974_6573 ^ high
    }

    mutating func mix(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finished() -> UInt64 {
      v2 ^= 0xFF
      round()
      round()
      round()
      round()
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 = v0 &+ v1
      v1 = (v1 &<< 13 | v1 &>> 51) ^ v0
      v0 = v0 &<< 32 | v0 &>> 32
      v2 = v2 &+ v3
      v3 = (v3 &<< 16 | v3 &>> 48) ^ v2
      v0 = v0 &+ v3
      v3 = (v3 &<< 21 | v3 &>> 43) ^ v0
      v2 = v2 &+ v1
      v1 = (v1 &<< 17 | v1 &>> 47) ^ v2
      v2 = v2 &<< 32 | v2 &>> 32
    }
  }
}

/// Compares tags in the same time wherever they differ, so that the time of a refusal does not tell how much of a guess was right.
enum ConstantTime {
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
