import Testing
import WeirChunks
import WeirTesting

/// Random access and resuming over chunks that stand for themselves.
@Suite struct IndexTests {
  private static func make(_ original: [UInt8], size: Int) throws -> (ChunkIndex, [UInt8], [CodedChunk]) {
    let chunks = try run(CompressChunks(size: size), [original])
    return (try ChunkIndex(chunks), chunks.flatMap(\.bytes), chunks)
  }

  @Test(arguments: Sample.allCases) func `any range is what the original has there`(sample: Sample) throws {
    let original = sample.bytes(50_000)
    let (index, coded, _) = try Self.make(original, size: 4_096)
    #expect(index.originalLength == original.count && index.codedLength == coded.count)
    let decompressor = try Decompressor()
    var random = SeededGenerator(seed: 8)
    for _ in 0..<200 {
      let start = random.index(below: original.count + 1)
      let range = start..<random.number(in: start...original.count)
      #expect(try index.read(range, of: coded, with: decompressor) == Array(original[range]))
    }
    #expect(try index.read(0..<original.count, of: coded, with: decompressor) == original)
    for range in [-1..<4, 0..<50_001, 50_001..<50_002, .min..<0] {
      #expect(failure { _ = try index.read(range, of: coded, with: decompressor) } == .outOfRange)
    }
  }

  @Test func `only the chunks that hold the range are fetched`() throws {
    let original = Sample.text.bytes(40_000)
    let (index, coded, _) = try Self.make(original, size: 1_000)
    let decompressor = try Decompressor()
    var fetched = 0
    let bytes = try index.read(12_900..<15_100, with: decompressor) { range in
      fetched += 1
      return Array(coded[range])
    }
    #expect(bytes == Array(original[12_900..<15_100]) && fetched == 4)
    #expect(try index.read(500..<500, with: decompressor) { _ in throw ChunkError(.corrupt, "fetched") } == [])
    struct Gone: Error {}
    #expect(throws: Gone.self) { try index.read(0..<1, with: decompressor) { _ in throw Gone() } }
  }

  @Test func `a stream goes on from any chunk`() throws {
    let original = Sample.mixed.bytes(10_000)
    let (index, coded, chunks) = try Self.make(original, size: 900)
    for number in 0...index.count {
      let resumption = try index.resumption(at: number)
      #expect(resumption.originalOffset == chunks[..<number].reduce(0) { $0 + $1.originalLength })
      #expect(resumption.codedOffset == chunks[..<number].reduce(0) { $0 + $1.weight })
      guard number < index.count else { continue }
      // The sender compresses from there on; the receiver decodes from there on.
      let rest = Array(original[resumption.originalOffset...])
      let again = try run(CompressChunks(size: 900, first: UInt32(number)), [rest])
      #expect(again == Array(chunks[number...]))
      #expect(again.flatMap(\.bytes) == Array(coded[resumption.codedOffset...]))
      #expect(try run(DecompressChunks(first: UInt32(number)), again).joined().elementsEqual(rest))
    }
    #expect(failure { _ = try index.resumption(at: index.count + 1) } == .outOfRange)
    #expect(failure { _ = try index.resumption(at: -1) } == .outOfRange)
  }

  @Test func `an index comes back from its bytes, and any change of them is an error`() throws {
    let (index, _, _) = try Self.make(Sample.mixed.bytes(9_000), size: 700)
    let encoded = try index.encoded()
    #expect(try ChunkIndex(encoded: encoded) == index)
    #expect(try ChunkIndex(encoded: ChunkIndex().encoded()) == ChunkIndex())
    for place in encoded.indices {
      for bit in 0..<8 {
        var damaged = encoded
        damaged[place] ^= 1 << UInt8(bit)
        #expect(failure { _ = try ChunkIndex(encoded: damaged) } != nil)
      }
      #expect(failure { _ = try ChunkIndex(encoded: Array(encoded[..<place])) } != nil)
    }
    #expect(failure { _ = try ChunkIndex(encoded: encoded + [0]) } == .trailing)
  }

  @Test func `an index made up by somebody is refused`() throws {
    func kind(
      _ entries: [(UInt8, UInt32, UInt32)], claimed: UInt32? = nil, limits: DecodingLimits = DecodingLimits()
    ) -> ChunkError.Kind? {
      var bytes = Array("WCI1".utf8) + [0, 0, 0]
      func append(_ value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
      }
      append(claimed ?? UInt32(entries.count))
      for (coding, original, coded) in entries {
        bytes.append(coding)
        append(original)
        append(coded)
        append(0)
      }
      append(ContentChecksum.of(bytes))
      return failure { _ = try ChunkIndex(encoded: bytes, limits: limits) }
    }
    #expect(kind([(0, 5, 5), (1, 100, 20)]) == nil)
    #expect(kind([(0, 5, 6)]) == .badIndex)
    #expect(kind([(1, 5, 5)]) == .badIndex)
    #expect(kind([(2, 5, 4)]) == .badIndex)
    #expect(kind([(9, 5, 4)]) == .badIndex)
    #expect(kind([(1, .max, 4)]) == .tooLong)
    #expect(kind(Array(repeating: (1, 16 << 20, 4), count: 65)) == .tooLong)
    #expect(kind([(0, 5, 5)], claimed: .max) == .truncated)
    #expect(kind([(0, 5, 5)], claimed: 0) == .trailing)
    let endless = DecodingLimits(length: .max, totalLength: .max)
    #expect(kind(Array(repeating: (1, .max, .max - 1), count: 3), limits: endless) == nil)
  }

  @Test func `an index that does not belong to the bytes gives no wrong ones`() throws {
    let (index, _, _) = try Self.make(Sample.text.bytes(8_000, seed: 1), size: 1_000)
    let (_, other, _) = try Self.make(Sample.text.bytes(8_000, seed: 2), size: 1_000)
    let decompressor = try Decompressor()
    #expect(failure { _ = try index.read(0..<8_000, of: other, with: decompressor) } != nil)
    let padded = Array((other + Sample.zeros.bytes(8_000)).prefix(index.codedLength))
    #expect(failure { _ = try index.read(0..<8_000, of: padded, with: decompressor) } != nil)
    #expect(failure { _ = try index.read(0..<8, with: decompressor) { _ in [] } } == .badIndex)
  }

  @Test func `what cannot be indexed is refused`() throws {
    let original = Sample.text.bytes(1_000)
    #expect(failure { _ = try ChunkIndex(run(CompressStream(), [original])) } == .needsPredecessors)
    let chunks = try run(CompressChunks(size: 300), [original])
    #expect(failure { _ = try ChunkIndex(chunks.reversed()) } == .outOfOrder)
    let parts = try run(CompressStream(), [original])
    #expect(failure { _ = try parts[0].original() } == .needsPredecessors)
  }

  @Test func `an empty element closes a chunk`() throws {
    let original = Sample.text.bytes(1_000)
    let chunks = try run(CompressChunks(size: 600), [Array(original[..<100]), [], Array(original[100...])])
    #expect(chunks.map(\.originalLength) == [100, 600, 300])
    let read = try ChunkIndex(chunks).read(90..<110, of: chunks.flatMap(\.bytes), with: Decompressor())
    #expect(read == Array(original[90..<110]))
  }
}
