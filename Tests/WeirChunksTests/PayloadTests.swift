import Testing
import WeirChunks
import WeirTesting

/// Whole payloads: what goes in comes out, and the chunk says how it is coded.
@Suite struct PayloadTests {
  @Test(arguments: Sample.allCases) func `payloads of any size come back`(sample: Sample) throws {
    let decompressor = try Decompressor()
    for level in [-5, 1, 3, 9] {
      let compressor = try Compressor(CompressionSettings(level: level))
      var random = SeededGenerator(seed: UInt64(bitPattern: Int64(level)))
      let sizes = Array(0...20) + (0..<12).map { _ in random.index(below: 70_000) } + [131_072, 300_001]
      for size in sizes {
        let original = sample.bytes(size, seed: UInt64(size))
        let chunk = try compressor.compress(original)
        #expect(try decompressor.decompress(chunk) == original)
        #expect(chunk.bytes.count <= original.count && chunk.weight == chunk.bytes.count)
        #expect(chunk.coding == (chunk.bytes.count < original.count ? .frame : .original))
        #expect(try CodedChunk(encoded: chunk.encoded()) == chunk)
      }
    }
  }

  @Test func `a payload as large as a radio transfer allows passes its limits at level 19`() throws {
    let original = Sample.text.bytes(524_287)
    let chunk = try CodedChunk(compressing: original, settings: .radioTransfer)
    #expect(chunk.coding == .frame && chunk.ratio < 0.3)
    #expect(try chunk.original(limits: .radioTransfer) == original)
    let longer = try CodedChunk(compressing: original + [1], settings: .radioTransfer)
    #expect(failure { _ = try longer.original(limits: .radioTransfer) } == .tooLong)
  }

  @Test(
    arguments: [
      [0xFF, 0xD8, 0xFF, 0xE0], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0x1F, 0x8B, 0x08],
      [0x28, 0xB5, 0x2F, 0xFD],
      [0x50, 0x4B, 0x03, 0x04], Array("OggS".utf8), Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8),
      [0, 0, 0, 24] + Array("ftypheic".utf8), [0, 0, 0, 32] + Array("ftypisom".utf8),
    ] as [[UInt8]])
  func `what is compressed already is kept`(magic: [UInt8]) throws {
    // Zeros would shrink: only the magic number keeps them.
    let original = magic + Sample.zeros.bytes(5_000)
    let chunk = try CodedChunk(compressing: original)
    #expect(chunk.coding == .original && chunk.bytes == original)
    #expect(try chunk.original() == original)
    #expect(try CodedChunk(compressing: [0] + original).coding == .frame)
  }

  @Test func `the first 16 KiB decide about large payloads`() throws {
    let noise = Sample.random.bytes(16_384)
    let kept = try CodedChunk(compressing: noise + Sample.zeros.bytes(50_000))
    #expect(kept.coding == .original)
    let coded = try CodedChunk(compressing: Sample.text.bytes(16_384) + Sample.random.bytes(5_000))
    #expect(coded.coding == .frame)
  }

  @Test func `a dictionary is named, and needed`() throws {
    let samples = Self.lines
    let dictionary = try CompressionDictionary.trained(on: samples, size: 8_192)
    let original = Sample.text.bytes(600, seed: 9)
    let with = try CodedChunk(compressing: original, dictionary: dictionary)
    let without = try CodedChunk(compressing: original)
    #expect(with.dictionary == dictionary.id && with.weight < without.weight)
    #expect(try with.original(dictionaries: DictionarySet([dictionary])) == original)
    #expect(failure { _ = try with.original() } == .unknownDictionary)
    var unnamed = with
    unnamed.dictionary = nil
    #expect(failure { _ = try unnamed.original() } != nil)
    // Another dictionary under the same name.
    let other = try CompressionDictionary.trained(on: samples.map { $0.reversed() }, size: 8_192)
    unnamed.dictionary = other.id
    #expect(failure { _ = try unnamed.original(dictionaries: DictionarySet([other])) } != nil)
  }

  @Test func `settings and limits out of range are refused`() throws {
    #expect(failure { _ = try Compressor(CompressionSettings(level: 23)) } == .badParameter)
    #expect(failure { _ = try Compressor(CompressionSettings(level: .min)) } == .badParameter)
    #expect(failure { _ = try Compressor(CompressionSettings(windowLog: 9)) } == .badParameter)
    #expect(failure { _ = try Compressor(CompressionSettings(windowLog: 28)) } == .badParameter)
    #expect(failure { _ = try Decompressor(limits: DecodingLimits(length: 0)) } == .badParameter)
    #expect(failure { _ = try Decompressor(limits: DecodingLimits(totalLength: -1)) } == .badParameter)
    #expect(failure { _ = try Decompressor(limits: DecodingLimits(windowLog: 64)) } == .badParameter)
  }

  @Test func `one compressor serves many tasks`() async throws {
    let compressor = try Compressor()
    let decompressor = try Decompressor()
    let rights = try await withThrowingTaskGroup(of: Bool.self) { group in
      for seed in 0..<40 {
        group.addTask {
          let original = Sample.text.bytes(2_000 + seed * 37, seed: UInt64(seed))
          return try decompressor.decompress(compressor.compress(original)) == original
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(rights == 40)
  }

  static let lines: [[UInt8]] = (0..<2_000).map { Sample.text.bytes(40 + $0 % 50, seed: UInt64(10_000 + $0)) }
}
