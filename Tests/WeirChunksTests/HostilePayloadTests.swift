import CZstd
import Testing
import WeirChunks
import WeirTesting

/// Frames that somebody damaged or made up: a typed error, never other bytes, never memory for what is only claimed.
@Suite struct HostilePayloadTests {
  private static let original = Sample.text.bytes(3_000)

  @Test func `bombs give no more than what is declared and allowed`() throws {
    let zeros = Sample.zeros.bytes(100 << 20)
    let bomb = try CodedChunk(compressing: zeros)
    #expect(bomb.weight < 20_000)
    // Truly declared: beyond the limit.
    #expect(failure { _ = try bomb.original() } == .tooLong)
    // Declared smaller than the frame says, or than it gives.
    var liar = bomb
    liar.originalLength = 1_000
    #expect(failure { _ = try liar.original() } == .overrun)
    let silent = try Self.frames([Sample.zeros.bytes(1 << 20)], sizes: false)
    #expect(failure { _ = try Self.chunk(silent, length: 1_000).original() } == .overrun)
  }

  @Test func `no memory is taken for what a frame cannot give`() throws {
    // Some 20 bytes that declare half a GiB: were they believed, this would need it.
    let limits = DecodingLimits(length: 1 << 40, totalLength: 1 << 40)
    let small = try Self.frames([[1, 2, 3]], sizes: false)
    #expect(failure { _ = try Self.chunk(small, length: 1 << 39).original(limits: limits) } == .shortOutput)
    var part = try run(CompressStream(), [[1, 2, 3]])[0]
    part.originalLength = 1 << 39
    #expect(failure { _ = try run(DecompressChunks(limits: limits), [part]) } == .shortOutput)
  }

  @Test func `a window beyond the limit is refused, also where nothing would use it`() throws {
    for log in 18...27 {
      let frame = try Self.frames([Self.original], sizes: false, windowLog: log)
      let limits = DecodingLimits(windowLog: 20)
      let expected: ChunkError.Kind? = log > 20 ? .windowTooLarge : nil
      #expect(failure { _ = try Self.chunk(frame, length: 3_000).original(limits: limits) } == expected)
      #expect(failure { _ = try run(DecompressFrame(length: 3_000, limits: limits), [frame]) } == expected)
    }
  }

  @Test(arguments: [true, false]) func `a frame cut off anywhere is an error`(sizes: Bool) throws {
    let frame = try Self.frames([Self.original], sizes: sizes, checksum: true)
    for count in 0..<frame.count {
      let cut = Array(frame[..<count])
      #expect(failure { _ = try Self.chunk(cut, length: 3_000).original() } == .truncated)
      #expect(failure { _ = try run(DecompressFrame(length: 3_000), [cut]) } == .truncated)
    }
  }

  @Test func `a byte changed anywhere is an error, or leaves the content as it was`() throws {
    let chunk = try CodedChunk(compressing: Self.original)
    for place in chunk.bytes.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = chunk
        damaged.bytes[place] ^= change
        if let content = try? damaged.original() { #expect(content == Self.original) }
      }
    }
  }

  @Test func `every change of a chunk's own header is found, or leaves the content as it was`() throws {
    let encoded = try CodedChunk(compressing: Self.original).encoded()
    for place in 0..<CodedChunk.headerLength {
      for change in 1...255 as ClosedRange<UInt8> {
        var damaged = encoded
        damaged[place] ^= change
        guard let chunk = try? CodedChunk(encoded: damaged) else { continue }
        if let content = try? chunk.original() { #expect(content == Self.original) }
      }
    }
    for count in encoded.indices {
      #expect(failure { _ = try CodedChunk(encoded: Array(encoded[..<count])) } == .truncated)
    }
    #expect(failure { _ = try CodedChunk(encoded: encoded + [0]) } == .trailing)
  }

  @Test func `whatever follows the frame is an error`() throws {
    let frame = try Self.frames([Self.original])
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
    let two = try Self.frames([Self.original, Self.original])
    for bytes in [frame + [0], frame + skippable, frame + [0x28, 0xB5], two] {
      for length in [3_000, 6_000] {
        #expect(failure { _ = try Self.chunk(bytes, length: length).original() } == .trailing)
      }
      #expect(failure { _ = try run(DecompressFrame(length: nil), [bytes]) } == .trailing)
      #expect(failure { _ = try run(DecompressFrame(length: nil), bytes.map { [$0] }) } == .trailing)
    }
  }

  @Test func `what is no frame is not decoded`() throws {
    let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
    let frame = try Self.frames([Self.original])
    for (bytes, kind) in [
      (skippable, .skippableFrame), (skippable + frame, .skippableFrame), (Sample.zeros.bytes(20), .notAFrame),
      (Sample.text.bytes(50), .notAFrame), ([0x50, 0x2A, 0x4D, 0x19, 1], .notAFrame),
    ] as [([UInt8], ChunkError.Kind)] {
      #expect(failure { _ = try Self.chunk(bytes, length: 3_000).original() } == kind)
      #expect(failure { _ = try run(DecompressFrame(length: nil), bytes.map { [$0] }) } == kind)
    }
  }

  @Test func `a frame that gives less or more than declared is an error`() throws {
    for sizes in [true, false] {
      let frame = try Self.frames([Self.original], sizes: sizes)
      #expect(failure { _ = try Self.chunk(frame, length: 3_001).original() } == .shortOutput)
      #expect(failure { _ = try Self.chunk(frame, length: 2_999).original() } == .overrun)
    }
    let frame = try Self.frames([Self.original], sizes: false)
    #expect(failure { _ = try run(DecompressFrame(length: 3_001), [frame]) } == .shortOutput)
    #expect(failure { _ = try run(DecompressFrame(length: 2_999), [frame]) } == .overrun)
    #expect(try run(DecompressFrame(length: nil), [frame]).joined().elementsEqual(Self.original))
    var kept = try CodedChunk(compressing: [1, 2, 3])
    kept.originalLength = 4
    #expect(failure { _ = try kept.original() } == .shortOutput)
    kept.originalLength = 2
    #expect(failure { _ = try kept.original() } == .overrun)
    kept.originalLength = -1
    #expect(failure { _ = try kept.original() } == .corrupt)
  }

  @Test func `a dictionary named inside the frame must be the declared one`() throws {
    let dictionary = try CompressionDictionary.trained(on: PayloadTests.lines, size: 8_192)
    let frame = try Self.frames([Self.original], dictionary: dictionary.bytes)
    #expect(failure { _ = try Self.chunk(frame, length: 3_000).original() } == .unknownDictionary)
    var named = Self.chunk(frame, length: 3_000)
    named.dictionary = dictionary.id
    #expect(try named.original(dictionaries: DictionarySet([dictionary])) == Self.original)
  }

  static func chunk(_ frame: [UInt8], length: Int) -> CodedChunk {
    CodedChunk(
      coding: .frame, originalLength: length,
      checksum: ContentChecksum.of(length == 6_000 ? original + original : original), bytes: frame)
  }

  /// Frames as other programs write them, one behind the other.
  static func frames(
    _ contents: [[UInt8]], sizes: Bool = true, windowLog: Int = 20, checksum: Bool = false, dictionary: [UInt8] = []
  ) throws -> [UInt8] {
    let context = try #require(ZSTD_createCCtx())
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, sizes ? 1 : 0)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0)
    if !dictionary.isEmpty { ZSTD_CCtx_loadDictionary(context, dictionary, dictionary.count) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, Int32(windowLog))
    var all: [UInt8] = []
    for content in contents {
      var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count) + 64)
      var result = 0
      // Streamed where sizes are unknown, so that the window is not made smaller.
      if sizes {
        result = ZSTD_compress2(context, &frame, frame.count, content, content.count)
      } else {
        content.withUnsafeBytes { bytes in
          var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
          frame.withUnsafeMutableBytes { room in
            var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
            _ = ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue)
            result = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end)
            result = result == 0 ? output.pos : -1
          }
        }
      }
      try #require(ZSTD_isError(result) == 0)
      all += frame[..<result]
    }
    return all
  }
}
