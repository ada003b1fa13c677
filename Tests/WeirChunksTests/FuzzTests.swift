import Testing
import Weir
import WeirChunks
import WeirTesting

#if canImport(Glibc)
  import CAllocator
#endif

/// Mutated input of every kind that comes from outside, and memory in a long run.
@Suite(.timeLimit(.minutes(15))) struct FuzzTests {
  private static let limits = DecodingLimits(length: 1 << 16, totalLength: 1 << 18, windowLog: 18)

  @Test func `mutated chunks give the right bytes or an error, and never more than the limits`() throws {
    var random = SeededGenerator(seed: 11)
    let originals = Sample.allCases.map { $0.bytes(700, seed: 2) }
    let seeds = try originals.map { try CodedChunk(compressing: $0).encoded() }
    let decompressor = try Decompressor(limits: Self.limits)
    var (read, refused) = (0, 0)
    for _ in 0..<soak(20_000, 1_000_000) {
      let place = random.index(below: seeds.count)
      let bytes = Self.mutated(seeds[place], &random)
      do {
        let original = try decompressor.decompress(CodedChunk(encoded: bytes, limits: Self.limits))
        read += 1
        #expect(original == originals[place])
      } catch {
        refused += 1
      }
    }
    #expect(refused > read)
  }

  @Test func `mutated frames in pieces give at most the limits`() throws {
    var random = SeededGenerator(seed: 12)
    let stage = CompressStream(settings: CompressionSettings(windowLog: 18), chunkSize: 200)
    let seeds = try Sample.allCases.map { try run(stage, [$0.bytes(700)]).flatMap(\.bytes) }
    for _ in 0..<soak(5_000, 300_000) {
      let bytes = Self.mutated(random.element(of: seeds) ?? [], &random)
      var stage = DecompressFrame(length: nil, limits: Self.limits)
      var given = 0
      do {
        for piece in bytes.pieces(&random, longest: 400) { try stage.process(piece) { given += $0.count } }
        try stage.finish { given += $0.count }
      } catch {
        #expect(!error.code.isEmpty)
      }
      #expect(given <= Self.limits.totalLength)
    }
  }

  @Test func `mutated streams of chunks give a beginning of the right bytes`() throws {
    var random = SeededGenerator(seed: 13)
    let elements = (0..<5).map { Sample.text.bytes(150, seed: UInt64($0)) }
    let chunks = try run(CompressStream(), elements)
    for _ in 0..<soak(5_000, 300_000) {
      var changed = chunks
      for _ in 0...random.index(below: 3) {
        let place = random.index(below: changed.count)
        switch random.index(below: 6) {
        case 0: changed[place].bytes = Self.mutated(changed[place].bytes, &random)
        case 1: changed[place].number = UInt32(random.index(below: 7))
        case 2: changed[place].originalLength = random.index(below: 1 << 20) - 1_000
        case 3: changed.swapAt(place, random.index(below: changed.count))
        case 4: changed[place].isLast.toggle()
        default: changed[place].coding = random.element(of: CodedChunk.Coding.allCases) ?? .part
        }
      }
      var stage = DecompressChunks(limits: Self.limits)
      var decoded: [[UInt8]] = []
      for chunk in changed { try? stage.process(chunk) { decoded.append($0) } }
      #expect(decoded.elementsEqual(elements.prefix(decoded.count)))
    }
  }

  @Test func `mutated indexes are refused, or say what they said`() throws {
    var random = SeededGenerator(seed: 14)
    let index = try ChunkIndex(run(CompressChunks(size: 100), [Sample.mixed.bytes(1_000)]))
    let encoded = try index.encoded()
    for _ in 0..<soak(10_000, 1_000_000) {
      if let read = try? ChunkIndex(encoded: Self.mutated(encoded, &random)) { #expect(read == index) }
    }
  }

  #if canImport(Glibc)
    /// In a process of its own, since what other tests allocate would hide a leak.
    @Test func `a long run takes no more memory than a short one`() async {
      await #expect(processExitsWith: .success) {
        var way = try EveryWay()
        // The tables of all contexts are there after a while: the window of 1 MiB has gone round.
        try way.run(300)
        let before = mallinfo2()
        let rounds = soak(1_000, 100_000)
        try way.run(rounds)
        let after = mallinfo2()
        // A message of 60 bytes lost at each round would be more than this.
        let grown = Int(after.uordblks + after.hblkhd) - Int(before.uordblks + before.hblkhd)
        try #require(grown < rounds * 60)
      }
    }
  #endif

  private static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.index(below: 4) where !bytes.isEmpty {
      let place = random.index(below: bytes.count)
      switch random.index(below: 5) {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes[place] ^= 1 << UInt8(random.index(below: 8))
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
      default: bytes.removeSubrange(place..<min(place + random.index(below: 20), bytes.count))
      }
    }
    return bytes
  }
}

/// Payloads, streams and messages there and back.
private struct EveryWay {
  private var compress = CompressStream()
  private var decompress = DecompressChunks(limits: DecodingLimits(totalLength: 1 << 40), continuity: .openEnd)
  private let compressor: Compressor
  private let decompressor: Decompressor
  private let codec: SmallMessageCodec
  private let elements = (0..<16).map { Sample.text.bytes(8_192, seed: UInt64($0)) }

  init() throws {
    compressor = try Compressor()
    decompressor = try Decompressor()
    codec = try SmallMessageCodec()
  }

  mutating func run(_ count: Int) throws {
    for number in 0..<count {
      let element = elements[number % elements.count]
      var chunks: [CodedChunk] = []
      try compress.process(element) { chunks.append($0) }
      for chunk in chunks { try decompress.process(chunk) { precondition($0 == element) } }
      try #require(try decompressor.decompress(compressor.compress(element)) == element)
      let message = Array(element.prefix(60))
      try #require(try codec.decode(codec.encode(message)) == message)
    }
  }
}
