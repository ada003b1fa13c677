/// FNV-1a with 64 bits: the same value for the same text in every process, for lanes and sampling.
public enum StableHash {
  /// Hash of a text's UTF-8 bytes.
  public static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }

  /// Hash of an integer's eight bytes, lowest first.
  public static func hash(_ value: UInt64) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      hash = (hash ^ ((value >> shift) & 0xff)) &* 0x0000_0100_0000_01b3
    }
    return hash
  }
}
