import Testing
import Weir
import WeirChunks
import WeirTesting

/// Streams of one frame: decodable as far as they have come, cut anywhere.
@Suite struct StreamTests {
  @Test(arguments: Sample.allCases) func `a stream cut into elements anyhow comes back`(sample: Sample) throws {
    var random = SeededGenerator(seed: 3)
    for round in 0..<30 {
      let original = sample.bytes(random.index(below: 40_000), seed: UInt64(round))
      let size = round % 3 == 0 ? nil : 1 + random.index(below: 5_000)
      let stage = CompressStream(settings: CompressionSettings(level: 1 + round % 9), chunkSize: size)
      let chunks = try run(stage, original.pieces(&random, longest: 3_000))
      #expect(chunks.map(\.number) == (0..<UInt32(chunks.count)).map { $0 })
      #expect(chunks.map(\.isLast) == chunks.indices.map { $0 == chunks.count - 1 })
      #expect(chunks.reduce(0) { $0 + $1.originalLength } == original.count)
      let decoded = try run(DecompressChunks(), chunks)
      #expect(decoded.joined().elementsEqual(original))
    }
  }

  @Test func `what has arrived can be decoded, chunk by chunk`() throws {
    let elements = (0..<40).map { Sample.text.bytes(1_024, seed: UInt64($0)) }
    var (coder, decoder) = (CompressStream(), DecompressChunks())
    for element in elements {
      var arrived: [[UInt8]] = []
      var chunks: [CodedChunk] = []
      try coder.process(element) { chunks.append($0) }
      for chunk in chunks { try decoder.process(chunk) { arrived.append($0) } }
      #expect(arrived == [element])
    }
  }

  @Test func `flushing every KiB costs little beside the whole, independent chunks cost a lot`() throws {
    let original = Sample.text.bytes(200_000)
    let elements = original.pieces(of: 1_024)
    func size(_ chunks: [CodedChunk]) -> Int { chunks.reduce(0) { $0 + $1.weight } }
    let whole = try CodedChunk(compressing: original).weight
    let stream = size(try run(CompressStream(), elements))
    let alone = size(try run(CompressChunks(size: 1_024), elements))
    #expect(whole < stream && stream - whole < original.count * 5 / 100)
    #expect(alone > stream + original.count * 5 / 100)
  }

  @Test func `the bytes of a stream are one zstd frame, whichever way they are split`() throws {
    let original = Sample.text.bytes(900)
    let chunks = try run(CompressStream(settings: CompressionSettings(frameChecksum: true), chunkSize: 300), [original])
    let frame = chunks.flatMap(\.bytes)
    for split in 0...frame.count {
      let pieces = try run(DecompressFrame(length: 900), [Array(frame[..<split]), Array(frame[split...])])
      #expect(pieces.joined().elementsEqual(original))
    }
    #expect(try run(DecompressFrame(length: 900), frame.map { [$0] }).joined().elementsEqual(original))
    #expect(try run(DecompressFrame(length: nil), [[], frame, []]).joined().elementsEqual(original))
  }

  @Test func `a stream of three splits`() throws {
    let original = Sample.mixed.bytes(120)
    let frame = try run(CompressStream(chunkSize: 50), [original]).flatMap(\.bytes)
    for first in 0...frame.count {
      for second in first...frame.count {
        let pieces = [frame[..<first], frame[first..<second], frame[second...]].map { Array($0) }
        #expect(try run(DecompressFrame(length: 120), pieces).joined().elementsEqual(original))
      }
    }
  }

  @Test func `a stream that is compressed already is passed on as it is`() throws {
    let jpeg = [0xFF, 0xD8, 0xFF, 0xE0] + Sample.zeros.bytes(2_000)
    for first in [jpeg, Sample.random.bytes(20_000)] {
      let chunks = try run(CompressStream(), [first, Sample.zeros.bytes(500)])
      #expect(chunks.allSatisfy { $0.coding == .original })
      #expect(try run(DecompressChunks(), chunks).joined().elementsEqual(first + Sample.zeros.bytes(500)))
    }
  }

  @Test func `a stream without bytes is a stream`() throws {
    for chunks in [try run(CompressStream(), [[], []]), try run(CompressChunks(), [[], []])] {
      #expect(chunks.count == 1 && chunks[0].isLast && chunks[0].originalLength == 0)
      #expect(try run(DecompressChunks(), chunks).isEmpty)
    }
  }

  @Test func `a dictionary serves a stream`() throws {
    let dictionary = try CompressionDictionary.trained(on: PayloadTests.lines, size: 8_192)
    let elements = (0..<10).map { Sample.text.bytes(100, seed: UInt64($0 + 50)) }
    let with = try run(CompressStream(dictionary: dictionary), elements)
    let without = try run(CompressStream(), elements)
    #expect(with.reduce(0) { $0 + $1.weight } < without.reduce(0) { $0 + $1.weight })
    let set = try DictionarySet([dictionary])
    #expect(try run(DecompressChunks(dictionaries: set), with) == elements)
    #expect(failure { _ = try run(DecompressChunks(), with) } == .unknownDictionary)
    let frame = with.flatMap(\.bytes)
    let decoded = try run(DecompressFrame(length: 1_000, dictionary: dictionary), [frame])
    #expect(decoded.joined().elementsEqual(elements.joined()))
  }

  @Test func `a chunk lost, repeated, exchanged, or beyond the end is told`() throws {
    let elements = (0..<6).map { Sample.text.bytes(500, seed: UInt64($0)) }
    for chunks in [try run(CompressStream(), elements), try run(CompressChunks(size: 500), elements)] {
      let last = chunks.count - 1
      func kind(_ chunks: [CodedChunk]) -> ChunkError.Kind? { failure { _ = try run(DecompressChunks(), chunks) } }
      #expect(kind(chunks) == nil)
      for lost in 0..<last { #expect(kind(Array(chunks[..<lost] + chunks[(lost + 1)...])) == .outOfOrder) }
      #expect(kind(Array(chunks[..<last])) == .truncated)
      #expect(kind(chunks + [chunks[last]]) == .trailing)
      #expect(kind([chunks[0]] + chunks) == .outOfOrder)
      var exchanged = chunks
      exchanged.swapAt(1, 2)
      #expect(kind(exchanged) == .outOfOrder)
      if chunks[0].coding == .part {
        (exchanged[1].number, exchanged[2].number) = (1, 2)
        #expect(kind(exchanged) != nil)
      }
      #expect(failure { _ = try run(DecompressChunks(continuity: .openEnd), Array(chunks[..<last])) } == nil)
    }
  }

  @Test func `with gaps allowed, chunks that stand for themselves go on behind a loss or damage`() throws {
    let elements = (0..<6).map { Sample.text.bytes(500, seed: UInt64($0)) }
    var chunks = try run(CompressChunks(size: 500), elements)
    chunks[1].bytes[20] ^= 0xFF
    chunks.remove(at: 3)
    var stage = DecompressChunks(continuity: .gaps)
    var decoded: [[UInt8]] = []
    var errors = 0
    for chunk in chunks {
      do { try stage.process(chunk) { decoded.append($0) } } catch { errors += 1 }
    }
    try stage.finish { decoded.append($0) }
    #expect(decoded == [0, 2, 4, 5].map { elements[$0] } && errors == 1)

    // A damaged chunk may come again whole, and one whose number is damaged does not shut out those that follow.
    let whole = try run(CompressChunks(size: 500), elements)
    var wild = whole[1]
    (wild.number, wild.checksum) = (.max, 0)
    stage = DecompressChunks(continuity: .gaps)
    decoded = []
    for chunk in [whole[0], wild, chunks[1]] + whole[1...] { try? stage.process(chunk) { decoded.append($0) } }
    #expect(decoded == elements)
    let parts = try run(CompressStream(), elements)
    #expect(failure { _ = try run(DecompressChunks(continuity: .gaps), Array(parts[1...])) } == .outOfOrder)
  }

  @Test func `an error in a stream stays`() throws {
    var chunks = try run(CompressStream(), (0..<4).map { Sample.text.bytes(500, seed: UInt64($0)) })
    chunks[1].checksum ^= 1
    var stage = DecompressChunks()
    var decoded = 0
    var kinds: [ChunkError.Kind] = []
    for chunk in chunks {
      do { try stage.process(chunk) { _ in decoded += 1 } } catch { kinds.append(error.kind) }
    }
    #expect(decoded == 1 && kinds.allSatisfy { $0 == .checksum } && kinds.count == chunks.count - 1)
    #expect(failure { try stage.finish { _ in } } == .checksum)
  }

  @Test func `a change anywhere in a stream's chunks is an error, or changes nothing`() throws {
    let elements = (0..<3).map { Sample.text.bytes(200, seed: UInt64($0)) }
    let chunks = try run(CompressStream(), elements)
    for (number, chunk) in chunks.enumerated() {
      for place in chunk.bytes.indices {
        for change in [1, 0x40, 0xFF] as [UInt8] {
          var damaged = chunks
          damaged[number].bytes[place] ^= change
          if let decoded = try? run(DecompressChunks(), damaged) { #expect(decoded == elements) }
        }
        var cut = chunks
        cut[number].bytes = Array(chunk.bytes[..<place])
        #expect(failure { _ = try run(DecompressChunks(), cut) } != nil)
      }
      var longer = chunks
      longer[number].bytes.append(0)
      #expect(failure { _ = try run(DecompressChunks(), longer) } != nil)
      for change in [-1, 1] where chunk.originalLength + change >= 0 {
        var liar = chunks
        liar[number].originalLength += change
        #expect([.overrun, .shortOutput].contains(failure { _ = try run(DecompressChunks(), liar) }))
      }
    }
  }

  @Test func `a bomb in a stream ends at what its chunk declares, and all together at the total`() throws {
    let chunks = try run(CompressStream(chunkSize: 1 << 20), [Sample.zeros.bytes(8 << 20)])
    #expect(chunks.reduce(0) { $0 + $1.weight } < 2_000)
    var liar = chunks[0]
    liar.originalLength = 100
    #expect(failure { _ = try run(DecompressChunks(), [liar]) } == .overrun)
    #expect(failure { _ = try run(DecompressChunks(limits: DecodingLimits(length: 1 << 19)), chunks) } == .tooLong)
    let total = DecodingLimits(length: 1 << 20, totalLength: 3 << 20)
    var stage = DecompressChunks(limits: total)
    var decoded = 0
    #expect(failure { for chunk in chunks { try stage.process(chunk) { decoded += $0.count } } } == .tooLong)
    #expect(decoded == 3 << 20)
    let frame = chunks.flatMap(\.bytes)
    var given = 0
    var whole = DecompressFrame(length: nil, limits: total)
    #expect(failure { try whole.process(frame) { given += $0.count } } == .overrun)
    #expect(given <= 3 << 20)
    #expect(failure { _ = try run(DecompressFrame(length: 4 << 20, limits: total), [frame]) } == .tooLong)
  }

  @Test func `a copy of a stage in the middle of a frame is told, not mixed in`() throws {
    var one = CompressStream()
    var chunks: [CodedChunk] = []
    try one.process([1, 2, 3]) { chunks.append($0) }
    var other = one
    #expect(failure { try other.process([4]) { chunks.append($0) } } == .copiedInUse)
    var decoder = DecompressChunks(continuity: .openEnd)
    try decoder.process(chunks[0]) { _ in }
    var copy = decoder
    #expect(failure { try copy.process(chunks[0]) { _ in } } == .outOfOrder)
    chunks[0].number = 1
    copy = decoder
    #expect(failure { try copy.process(chunks[0]) { _ in } } == .copiedInUse)
  }
}
