/// Reads numbers from bytes that somebody else wrote; the highest byte comes first.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - position }

  mutating func byte() throws(ChunkError) -> UInt8 { try UInt8(integer(1)) }
  mutating func uint16() throws(ChunkError) -> UInt16 { try UInt16(integer(2)) }
  mutating func uint32() throws(ChunkError) -> UInt32 { try UInt32(integer(4)) }

  /// A number of four bytes.
  mutating func length() throws(ChunkError) -> Int { try Int(uint32()) }

  mutating func take(_ count: Int) throws(ChunkError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else {
      throw ChunkError(.truncated, "\(count) bytes are needed, \(remaining) are left")
    }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func integer(_ size: Int) throws(ChunkError) -> UInt64 {
    try take(size).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension [UInt8] {
  /// Appends a number, highest byte first.
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
