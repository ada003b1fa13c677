extension ChunkIndex {
  /// Original bytes of a range; only the chunks that hold some of them are fetched and decoded.
  ///
  /// Memory: the result, and one chunk with its original.
  /// - Parameters:
  ///   - fetch: gives the coded bytes at a range of offsets, for example from a file.
  /// - Throws: `outOfRange`, `tooLong` for a range longer than the decompressor's total limit, what is wrong with a
  ///   chunk, and what `fetch` throws.
  public func read(
    _ range: Range<Int>, with decompressor: Decompressor, fetch: (Range<Int>) throws -> [UInt8]
  ) throws -> [UInt8] {
    let numbers = try chunks(holding: range)
    guard range.count <= decompressor.limits.totalLength else {
      throw ChunkError(.tooLong, "\(range.count) bytes are asked for, the limit is \(decompressor.limits.totalLength)")
    }
    var result: [UInt8] = []
    for number in numbers {
      let entry = entries[number]
      let original = try decompressor.decompress(chunk(number, bytes: fetch(entry.coded)))
      let wanted = entry.original.clamped(to: range)
      let start = wanted.lowerBound - entry.original.lowerBound
      result += original[start..<start + wanted.count]
    }
    return result
  }

  /// As ``read(_:with:fetch:)``, where all coded bytes are in memory.
  public func read(
    _ range: Range<Int>, of coded: [UInt8], with decompressor: Decompressor
  ) throws(ChunkError) -> [UInt8] {
    guard coded.count == codedLength else {
      throw ChunkError(.badIndex, "\(coded.count) coded bytes, the index says \(codedLength)")
    }
    do {
      return try read(range, with: decompressor) { Array(coded[$0]) }
    } catch let error as ChunkError {
      throw error
    } catch {
      throw ChunkError(.badIndex, "\(error)")
    }
  }
}

extension ChunkIndex {
  /// The index as bytes. Highest byte first: "WCI1", flags (1: dictionary), dictionary u16, number of chunks u32; for
  /// each chunk coding u8, original length u32, coded length u32, checksum u32; last the checksum of all that, u32.
  /// - Throws: `badIndex` when a chunk is longer, or their number larger, than 32 bits can say.
  public func encoded() throws(ChunkError) -> [UInt8] {
    var result = Self.magic
    result.append(dictionary == nil ? 0 : 1)
    result.append(bigEndian: dictionary ?? 0)
    guard let number = UInt32(exactly: count) else { throw ChunkError(.badIndex, "\(count) chunks are too many") }
    result.append(bigEndian: number)
    for entry in entries {
      guard let original = UInt32(exactly: entry.original.count), let coded = UInt32(exactly: entry.coded.count) else {
        throw ChunkError(.badIndex, "a chunk of \(entry.original.count) bytes does not fit into an index")
      }
      result.append(entry.coding.rawValue)
      result.append(bigEndian: original)
      result.append(bigEndian: coded)
      result.append(bigEndian: entry.checksum)
    }
    result.append(bigEndian: ContentChecksum.of(result))
    return result
  }

  /// Reads an index that somebody else wrote.
  ///
  /// Memory: no more than the bytes have room for.
  /// - Throws: `badIndex`, `checksum`, `tooLong`, `truncated`, `trailing`.
  public init(encoded: [UInt8], limits: DecodingLimits = DecodingLimits()) throws(ChunkError) {
    self.init()
    guard encoded.count >= Self.emptyLength else {
      throw ChunkError(.truncated, "\(encoded.count) bytes are too few for an index")
    }
    guard encoded.starts(with: Self.magic) else { throw ChunkError(.badIndex, "the bytes do not begin like an index") }
    var reader = ByteReader(encoded[Self.magic.count...])
    let flags = try reader.byte()
    let named = try reader.uint16()
    guard flags <= 1, flags == 1 || named == 0 else { throw ChunkError(.badIndex, "unknown flags \(flags)") }
    let number = try reader.length()
    // 2^32 entries of 13 bytes fit into 64 bits, so nothing here can overflow.
    let room = reader.remaining - 4
    guard number * Self.entryLength <= room else { throw ChunkError(.truncated, "\(number) chunks in \(room) bytes") }
    guard number * Self.entryLength == room else { throw ChunkError(.trailing, "\(number) chunks in \(room) bytes") }
    for chunk in 0..<number {
      let (code, length, coded) = (try reader.byte(), try reader.length(), try reader.length())
      guard let coding = CodedChunk.Coding(rawValue: code) else {
        throw ChunkError(.badIndex, "chunk \(chunk) has the coding \(code), which is none of ours")
      }
      try limits.admit(declared: length)
      try append(originalLength: length, codedLength: coded, coding: coding, checksum: try reader.uint32())
      guard originalLength <= limits.totalLength else {
        throw ChunkError(.tooLong, "chunk \(chunk) makes more than \(limits.totalLength) bytes in all")
      }
    }
    guard try reader.uint32() == ContentChecksum.of(Array(encoded.dropLast(4))) else {
      throw ChunkError(.checksum, "the index is damaged")
    }
    setDictionary(flags == 1 ? named : nil)
  }

  private static var magic: [UInt8] { Array("WCI1".utf8) }
  private static var entryLength: Int { 13 }
  private static var emptyLength: Int { 15 }
}
