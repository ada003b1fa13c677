import Testing
import WeirChunks
import WeirTesting

/// Alphabets: every text comes back, no other bytes are text.
@Suite struct AlphabetTests {
  private static let alphabet = TextAlphabet(of: ChineseTexts.lines, rest: "あいうえおéßЖ")

  @Test func `every text comes back, whatever its characters`() throws {
    var texts = EnglishTexts.lines + ChineseTexts.lines + ChineseTexts.later
    texts += ["", "\0", "Ж é ß", "👍🏽 family 👨‍👩‍👧", "e\u{301} \u{10FFFF} \u{FFFD}", "漢字とかな"]
    for text in texts {
      let bytes = Array(text.utf8)
      let coded = try #require(Self.alphabet.encode(bytes))
      #expect(try Self.alphabet.decode(coded, most: bytes.count) == bytes)
      if !bytes.isEmpty { #expect(failure { _ = try Self.alphabet.decode(coded, most: bytes.count - 1) } == .overrun) }
    }
    for text in ChineseTexts.lines {
      let coded = try #require(Self.alphabet.encode(Array(text.utf8)))
      #expect(coded.count * 4 < text.utf8.count * 3)
    }
  }

  @Test func `every character has a code of its own, in an alphabet as large as can be`() throws {
    let many = (0x3400...0x9FFF).compactMap { Unicode.Scalar($0 as Int) }
    let alphabet = TextAlphabet(many + many)
    #expect(alphabet.characters.count == TextAlphabet.mostCharacters)
    var codes: Set<[UInt8]> = []
    for character in alphabet.characters {
      let coded = alphabet.encode(Array(String(character).utf8)) ?? []
      #expect(coded.count <= 2 && codes.insert(coded).inserted)
      #expect(try alphabet.decode(coded, most: 4) == Array(String(character).utf8))
    }
  }

  @Test func `bytes that are no text are not written`() {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE4, 0xB8], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      #expect(Self.alphabet.encode(bytes) == nil)
    }
  }

  @Test func `any bytes decode to text or an error`() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<soak(20_000, 1_000_000) {
      let bytes = (0..<random.index(below: 20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      do {
        let text = try Self.alphabet.decode(bytes, most: 60)
        #expect(String(validating: text, as: UTF8.self) != nil)
      } catch {
        #expect([.corrupt, .truncated, .overrun].contains(error.kind))
      }
    }
    for bytes in [[0xFF], [0xFF, 0x41], [0xFF, 0xC0, 0x80], [0xFF, 0xED, 0xA0, 0x80], [0xFE, 0xFF], [0xF0]] as [[UInt8]]
    {
      #expect([.corrupt, .truncated].contains(failure { _ = try Self.alphabet.decode(bytes, most: 60) }))
    }
  }

  @Test func `a dictionary with an alphabet serves small messages alone`() throws {
    let samples = (0..<3_000).map { number in
      Array("第\(number)次:\(ChineseTexts.lines[number % ChineseTexts.lines.count])".utf8)
    }
    let dictionary = try CompressionDictionary.trained(on: samples, size: 8_192, alphabet: Self.alphabet)
    let codec = try SmallMessageCodec(dictionaries: DictionarySet([dictionary]))
    for text in ChineseTexts.later + EnglishTexts.later + ["\u{FFFD}"] {
      let message = Array(text.utf8)
      let coded = try codec.encode(message)
      #expect(coded.count <= message.count + 1)
      #expect(try codec.decode(coded) == message)
    }
    #expect(try codec.decode(codec.encode([0xFF, 0xFE])) == [0xFF, 0xFE])
    #expect(failure { _ = try CodedChunk(compressing: samples[0], dictionary: dictionary) } == .badParameter)
    #expect(failure { _ = try run(CompressStream(dictionary: dictionary), [samples[0]]) } == .badParameter)
    #expect(try CompressionDictionary(dictionary.bytes).id != dictionary.id)
  }
}
