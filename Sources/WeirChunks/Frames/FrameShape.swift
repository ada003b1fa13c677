/// What the headers of a whole zstd frame say, without decoding it: where it ends, and how much it can give at most.
struct FrameShape: Equatable {
  var header: FrameHeader
  /// Bytes of the frame, from the magic number to the last one.
  var size: Int
  /// Most bytes that can come out: exact but for compressed blocks, which give at most one block's worth each.
  var mostContent: Int
  /// The only block, where there is just one and it is a compressed one.
  var onlyCompressedBlock: Range<Int>?

  /// Walks over one frame that fills the bytes exactly.
  /// - Throws: `notAFrame`, `skippableFrame`, `truncated`, `trailing` (more bytes, or another frame), `corrupt`.
  init(_ bytes: UnsafeRawBufferPointer) throws(ChunkError) {
    guard let header = try FrameHeader(bytes) else {
      throw ChunkError(.truncated, "\(bytes.count) bytes end inside the frame header")
    }
    self.header = header
    var position = header.size
    var content = 0
    var blocks = 0
    var isLast = false
    while !isLast {
      guard bytes.count - position >= 3 else { throw Self.cut(position) }
      let word = Int(bytes[position]) | Int(bytes[position + 1]) << 8 | Int(bytes[position + 2]) << 16
      position += 3
      isLast = word & 1 == 1
      let size = word >> 3
      guard size <= header.blockMaximum else { throw ChunkError(.corrupt, "a block of \(size) bytes is too large") }
      var stored = size
      switch word >> 1 & 3 {
      case 0: content += size
      case 1:
        content += size
        stored = 1
      case 2:
        guard size > 0 else { throw ChunkError(.corrupt, "a compressed block without bytes") }
        content += header.blockMaximum
        onlyCompressedBlock = blocks == 0 && isLast ? position..<position + size : nil
      default: throw ChunkError(.corrupt, "a block of a reserved kind")
      }
      guard bytes.count - position >= stored else { throw Self.cut(position) }
      position += stored
      blocks += 1
    }
    if header.hasChecksum {
      guard bytes.count - position >= 4 else { throw Self.cut(position) }
      position += 4
    }
    guard position == bytes.count else {
      throw ChunkError(.trailing, "\(bytes.count - position) bytes follow the end of the frame")
    }
    size = position
    mostContent = content
  }

  private static func cut(_ position: Int) -> ChunkError {
    ChunkError(.truncated, "the frame is cut off behind byte \(position)")
  }
}
