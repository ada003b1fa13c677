/// The first bytes of a zstd frame (RFC 8878, 3.1.1.1).
struct FrameHeader: Equatable {
  /// Bytes of the header, the magic number included.
  var size: Int
  /// How far the frame may look back, in bytes.
  var window: UInt64
  /// The length of the content, where the frame says it.
  var contentSize: UInt64?
  /// The dictionary that the frame names by zstd's own number; 0 for none.
  var dictionary: UInt32
  /// Whether four bytes of checksum follow the last block.
  var hasChecksum: Bool

  /// Most bytes of a header.
  static let mostBytes = 18
  static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// Reads a header.
  /// - Returns: nil when the bytes are the beginning of a header and more of it has to come.
  init?(_ bytes: UnsafeRawBufferPointer) throws(ChunkError) {
    guard let first = bytes.first else { return nil }
    if bytes.count >= 4 && first & 0xF0 == 0x50 && bytes[1] == 0x2A && bytes[2] == 0x4D && bytes[3] == 0x18 {
      throw ChunkError(.skippableFrame, "a skippable frame where content is expected")
    }
    for (index, byte) in bytes.prefix(4).enumerated() where byte != Self.magic[index] {
      if bytes.count < 4, Self.mayBeSkippable(bytes) { return nil }
      throw ChunkError(.notAFrame, "the bytes do not begin like a zstd frame")
    }
    guard bytes.count >= 5 else { return nil }
    let descriptor = bytes[4]
    guard descriptor & 0b1000 == 0 else { throw ChunkError(.corrupt, "a reserved bit of the frame header is set") }
    let isSingleSegment = descriptor & 0b10_0000 != 0
    let dictionarySize = [0, 1, 2, 4][Int(descriptor & 3)]
    let contentFlag = Int(descriptor >> 6)
    let contentSizeBytes = contentFlag == 0 ? (isSingleSegment ? 1 : 0) : 1 << contentFlag
    size = 5 + (isSingleSegment ? 0 : 1) + dictionarySize + contentSizeBytes
    guard bytes.count >= size else { return nil }
    hasChecksum = descriptor & 0b100 != 0
    var position = 5
    func number(_ count: Int) -> UInt64 {
      (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[position + $1]) }
    }
    window = 0
    if !isSingleSegment {
      let base = UInt64(1) << (10 + UInt64(bytes[5] >> 3))
      window = base + base / 8 * UInt64(bytes[5] & 7)
      position += 1
    }
    dictionary = UInt32(truncatingIfNeeded: number(dictionarySize))
    position += dictionarySize
    if contentSizeBytes > 0 { contentSize = number(contentSizeBytes) + (contentSizeBytes == 2 ? 256 : 0) }
    if isSingleSegment { window = contentSize ?? 0 }
  }

  /// Most bytes of one block.
  var blockMaximum: Int { Int(min(window, 1 << 17)) }

  /// Throws when the frame asks for more than is allowed.
  func admit(_ limits: DecodingLimits, dictionary expected: UInt32) throws(ChunkError) {
    if window > UInt64(1) << limits.windowLog {
      throw ChunkError(.windowTooLarge, "the frame looks back \(window) bytes, the limit is 2^\(limits.windowLog)")
    }
    if dictionary != 0 && dictionary != expected {
      throw ChunkError(.unknownDictionary, "the frame names dictionary \(dictionary) by itself, which nobody declared")
    }
  }

  private static func mayBeSkippable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes[0] & 0xF0 == 0x50 else { return false }
    return zip(bytes.dropFirst(), [0x2A, 0x4D, 0x18] as [UInt8]).allSatisfy { $0 == $1 }
  }
}
