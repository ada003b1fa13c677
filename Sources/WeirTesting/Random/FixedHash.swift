/// A hash that is the same in every process, unlike `Hasher`.
enum FixedHash {
  /// FNV-1a, 64 bits, over the UTF-8 bytes of `text`.
  static func fnv1a(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 {
      hash ^= UInt64(byte)
      hash &*= 0x0000_0100_0000_01b3
    }
    return hash
  }
}
