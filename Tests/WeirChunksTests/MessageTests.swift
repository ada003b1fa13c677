import Testing
import WeirChunks
import WeirTesting

/// Small messages: what they become, that they come back, and what is done with damaged ones.
@Suite struct MessageTests {
  @Test(arguments: [
    ("English", EnglishTexts.lines), ("Chinese", ChineseTexts.lines), ("English, later", EnglishTexts.later),
    ("Chinese, later", ChineseTexts.later),
  ])
  func `texts that no dictionary has seen become at most 0.65 of themselves, the tag counted`(
    language: String, lines: [String]
  ) throws {
    let codec = try SmallMessageCodec()
    let (raw, coded) = try Self.sizes(lines, codec)
    #expect(Double(coded) <= 0.65 * Double(raw), "\(language): \(coded) of \(raw)")
  }

  @Test func `whatever the message, it comes back, and costs at most one byte more`() throws {
    let codec = try SmallMessageCodec()
    let checked = try SmallMessageCodec(checksums: true)
    for sample in Sample.allCases {
      for size in Array(0...70) + [127, 128, 255, 256, 1_000, 5_000, 65_536] {
        let message = sample.bytes(size, seed: UInt64(size))
        let coded = try codec.encode(message)
        #expect(coded.count <= size + 1)
        #expect(try codec.decode(coded) == message)
        let longer = try checked.encode(message)
        #expect(longer.count <= size + 3 && longer.count <= coded.count + 2)
        #expect(try checked.decode(longer) == message && codec.decode(longer) == message)
      }
    }
  }

  @Test func `a codec without dictionaries reads nothing that needs one`() throws {
    let (full, bare) = (try SmallMessageCodec(), try SmallMessageCodec(dictionaries: .empty))
    let message = Array("Good morning, how are you doing today? I hope everything is fine.".utf8)
    let coded = try full.encode(message)
    #expect(coded.count < message.count / 2)
    #expect(failure { _ = try bare.decode(coded) } == .unknownDictionary)
    let repeated = Array(String(repeating: "again and again ", count: 20).utf8)
    #expect(try bare.encode(repeated).count < repeated.count / 4)
    #expect(try full.decode(bare.encode(repeated)) == repeated)
  }

  @Test func `a dictionary of one's own is named by its id`() throws {
    let own = try CompressionDictionary.trained(on: PayloadTests.lines, size: 16_384)
    let codec = try SmallMessageCodec(dictionaries: DictionarySet([own]))
    let message = Sample.text.bytes(80, seed: 77)
    let coded = try codec.encode(message)
    #expect(UInt16(coded[1]) << 8 | UInt16(coded[2]) == own.id)
    #expect(try codec.decode(coded) == message && coded.count < message.count)
    #expect(failure { _ = try SmallMessageCodec().decode(coded) } == .unknownDictionary)
  }

  @Test func `no text but the right one comes out of a message cut off, where it has a checksum`() throws {
    let codec = try SmallMessageCodec(checksums: true)
    for line in EnglishTexts.lines.prefix(20) + ChineseTexts.lines.prefix(20) {
      let message = Array(line.utf8)
      let coded = try codec.encode(message)
      for count in coded.indices {
        #expect(failure { _ = try codec.decode(Array(coded[..<count])) } != nil)
      }
    }
  }

  /// 16 bits let one in 65,536 through, so the changes are counted.
  @Test func `a changed byte is found by the checksum`() throws {
    let codec = try SmallMessageCodec(checksums: true)
    var (tried, missed) = (0, 0)
    for line in EnglishTexts.lines.prefix(12) + ChineseTexts.lines.prefix(12) {
      let message = Array(line.utf8)
      let coded = try codec.encode(message)
      for place in coded.indices.dropFirst() {
        for change in [0x01, 0x10, 0x80, 0xFF] as [UInt8] {
          var damaged = coded
          damaged[place] ^= change
          tried += 1
          if let wrong = try? codec.decode(damaged), wrong != message { missed += 1 }
        }
      }
    }
    #expect(tried > 2_000 && missed <= 2)
  }

  @Test func `tags that mean nothing are refused`() throws {
    let codec = try SmallMessageCodec()
    #expect(failure { _ = try codec.decode([]) } == .truncated)
    for tag in 0...255 as ClosedRange<UInt8> {
      let kind = failure { _ = try codec.decode([tag, 0x12, 0x34, 0x56, 0x78, 0x9A]) }
      switch (tag & 3, tag >> 3) {
      case (3, _): #expect(kind == .unknownCodec)
      case (0, 0): #expect(kind == (tag & 4 == 0 ? nil : .checksum))
      case (0, 1): #expect(kind == .corrupt)
      // Bytes that are text in the alphabet of the Chinese dictionary.
      case (0, 2): #expect(kind == (tag & 4 == 0 ? nil : .checksum))
      case (_, 3...): #expect(kind == .unknownDictionary)
      default: #expect(kind != nil)
      }
    }
  }

  @Test func `a message cannot become longer than the limit`() throws {
    let (wide, narrow) = (try SmallMessageCodec(maximumLength: 1 << 17), try SmallMessageCodec(maximumLength: 1_000))
    for sample in [Sample.text, .zeros, .random] {
      let long = sample.bytes(1_001)
      let coded = try wide.encode(long)
      #expect([.overrun, .tooLong].contains(failure { _ = try narrow.decode(coded) }))
      #expect(failure { _ = try narrow.encode(long) } == .tooLong)
      #expect(try narrow.decode(wide.encode(Array(long.dropLast()))) == long.dropLast())
    }
    #expect(failure { _ = try SmallMessageCodec(maximumLength: 0) } == .badParameter)
    #expect(failure { _ = try SmallMessageCodec(maximumLength: 1 << 18) } == .badParameter)
  }

  @Test func `messages are random bytes: an error or at most the limit`() throws {
    let codec = try SmallMessageCodec(maximumLength: 2_048)
    var random = SeededGenerator(seed: 5)
    let seeds = try (EnglishTexts.lines + ChineseTexts.lines).map { try codec.encode(Array($0.utf8)) }
    for _ in 0..<soak(20_000, 1_000_000) {
      var bytes = random.element(of: seeds) ?? []
      for _ in 0...random.index(below: 4) where !bytes.isEmpty {
        switch random.index(below: 3) {
        case 0: bytes[random.index(below: bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: random.index(below: bytes.count))
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: random.index(below: bytes.count + 1))
        }
      }
      do {
        let message = try codec.decode(bytes)
        #expect(message.count <= 2_048)
      } catch {
        #expect(!error.detail.isEmpty)
      }
    }
  }

  static func sizes(_ lines: [String], _ codec: SmallMessageCodec) throws -> (raw: Int, coded: Int) {
    var (raw, coded) = (0, 0)
    for line in lines {
      let message = Array(line.utf8)
      let bytes = try codec.encode(message)
      #expect(try codec.decode(bytes) == message)
      raw += message.count
      coded += bytes.count
    }
    return (raw, coded)
  }
}
