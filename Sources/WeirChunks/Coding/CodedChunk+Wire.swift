extension CodedChunk {
  /// Bytes in front of the coded ones in ``encoded``.
  public static var headerLength: Int { 20 }

  /// The chunk as bytes, for files and wires that have no header of their own.
  ///
  /// Highest byte first: version and coding (4 bits each), flags (1: last, 2: dictionary), dictionary u16, number
  /// u32, original length u32, checksum u32, coded length u32, coded bytes.
  /// - Throws: `badParameter` when a length does not fit into 32 bits.
  public func encoded() throws(ChunkError) -> [UInt8] {
    guard let original = UInt32(exactly: originalLength), let coded = UInt32(exactly: bytes.count) else {
      throw ChunkError(.badParameter, "lengths of \(originalLength) and \(bytes.count) do not fit into the header")
    }
    var result: [UInt8] = []
    result.reserveCapacity(Self.headerLength + bytes.count)
    result.append(Self.version << 4 | coding.rawValue)
    result.append((isLast ? 1 : 0) | (dictionary == nil ? 0 : 2))
    result.append(bigEndian: dictionary ?? 0)
    result.append(bigEndian: number)
    result.append(bigEndian: original)
    result.append(bigEndian: checksum)
    result.append(bigEndian: coded)
    return result + bytes
  }

  /// Reads a chunk from exactly these bytes.
  /// - Throws: `unknownCodec`, `corrupt`, `tooLong`, `truncated` or `trailing`.
  public init(encoded: [UInt8], limits: DecodingLimits = DecodingLimits()) throws(ChunkError) {
    var rest = encoded[...]
    self = try Self.next(in: &rest, limits: limits)
    guard rest.isEmpty else { throw ChunkError(.trailing, "\(rest.count) bytes follow the chunk") }
  }

  /// Reads the next of several chunks that lie behind one another, and takes it off the bytes.
  public static func next(
    in bytes: inout ArraySlice<UInt8>, limits: DecodingLimits = DecodingLimits()
  ) throws(ChunkError) -> CodedChunk {
    var reader = ByteReader(bytes)
    let (first, flags) = (try reader.byte(), try reader.byte())
    guard first >> 4 == version, let coding = Coding(rawValue: first & 0xF) else {
      throw ChunkError(.unknownCodec, "version \(first >> 4), coding \(first & 0xF) is none of ours")
    }
    guard flags < 4 else { throw ChunkError(.corrupt, "unknown flags \(flags)") }
    let dictionary = try reader.uint16()
    guard flags & 2 != 0 || dictionary == 0 else { throw ChunkError(.corrupt, "a dictionary without its flag") }
    let number = try reader.uint32()
    let length = try reader.length()
    try limits.admit(declared: length)
    let checksum = try reader.uint32()
    // Bytes are never made longer: what did not shrink is kept. A part has the overhead of its block headers.
    let coded = try reader.length()
    guard coded <= length || coding == .part && coded <= length + length / 128 + 64 else {
      throw ChunkError(.corrupt, "\(coded) coded bytes for \(length) original ones")
    }
    let chunk = CodedChunk(
      number: number, isLast: flags & 1 != 0, coding: coding, dictionary: flags & 2 != 0 ? dictionary : nil,
      originalLength: length, checksum: checksum, bytes: Array(try reader.take(coded)))
    bytes = bytes[reader.position...]
    return chunk
  }

  private static var version: UInt8 { 1 }
}
