/// CRC-16/CCITT-FALSE, which guards a frame: polynomial 0x1021, start 0xFFFF, highest bit first.
enum FrameChecksum {
  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021 }
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var value: UInt16 = 0xFFFF
    for byte in bytes { value = value << 8 ^ table[Int(value >> 8 ^ UInt16(byte))] }
    return value
  }
}

/// CRC-32C (Castagnoli), which guards the whole content: polynomial 0x1EDC6F41, lowest bit first.
enum ContentChecksum {
  fileprivate static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var checksum = RunningChecksum()
    checksum.add(bytes)
    return checksum.value
  }
}

/// CRC-32C of bytes that come in pieces.
struct RunningChecksum: Sendable {
  private var state: UInt32 = 0xFFFF_FFFF

  var value: UInt32 { ~state }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    var value = state
    for byte in bytes { value = value >> 8 ^ ContentChecksum.table[Int((value ^ UInt32(byte)) & 0xFF)] }
    state = value
  }
}
