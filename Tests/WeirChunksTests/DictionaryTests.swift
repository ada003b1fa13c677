import Testing
import WeirChunks

/// Dictionaries: made from samples, named by what they hold, shipped for ever.
@Suite struct DictionaryTests {
  @Test func `the dictionaries that come with the library never change under their number`() throws {
    // On the wire tag numbers 1 and 2 mean these bytes, for all versions: whoever makes better ones adds numbers 3
    // and 4.
    #expect(DictionarySet.english.dictionaries.map(\.id) == [8_152])
    #expect(DictionarySet.chinese.dictionaries.map(\.id) == [14_075])
    #expect(DictionarySet.shipped.dictionaries.map(\.bytes.count) == [65_526, 32_731])
  }

  @Test func `a message coded once reads the same for ever`() throws {
    let codec = try SmallMessageCodec()
    #expect(try codec.decode(Self.english) == Array("See you tomorrow at eight, don't forget the tickets!".utf8))
    #expect(try codec.decode(Self.chinese) == Array("明天上午九点开会,别忘了带合同".utf8))
  }

  @Test func `a trained dictionary helps with texts like its samples, and is named by what it holds`() throws {
    let samples = PayloadTests.lines
    let dictionary = try CompressionDictionary.trained(on: samples, size: 16_384)
    #expect(dictionary.bytes.count <= 16_384)
    #expect(try CompressionDictionary(dictionary.bytes) == dictionary)
    #expect(try CompressionDictionary.trained(on: samples, size: 16_384) == dictionary)
    #expect(try CompressionDictionary.trained(on: Array(samples.dropFirst(7)), size: 16_384) != dictionary)
    let codec = try SmallMessageCodec(dictionaries: DictionarySet([dictionary]))
    let bare = try SmallMessageCodec(dictionaries: .empty)
    let texts = (0..<50).map { Sample.text.bytes(60, seed: UInt64(90_000 + $0)) }
    let with = try texts.reduce(0) { $0 + (try codec.encode($1)).count }
    let without = try texts.reduce(0) { $0 + (try bare.encode($1)).count }
    #expect(with * 2 < without)
  }

  @Test func `samples that are too few, and sizes that cannot be, are told`() throws {
    #expect(failure { _ = try CompressionDictionary.trained(on: []) } == .badDictionary)
    #expect(failure { _ = try CompressionDictionary.trained(on: [[1, 2, 3]]) } == .badDictionary)
    #expect(failure { _ = try CompressionDictionary.trained(on: PayloadTests.lines, size: 100) } == .badParameter)
    #expect(failure { _ = try CompressionDictionary([]) } == .badDictionary)
    #expect(failure { _ = try CompressionDictionary(Sample.zeros.bytes(1 << 21)) } == .badDictionary)
    // A trained dictionary whose head is damaged.
    let good = try CompressionDictionary.trained(on: PayloadTests.lines, size: 8_192)
    #expect(failure { _ = try CompressionDictionary(Array(good.bytes.prefix(40))) } == .badDictionary)
  }

  @Test func `any text will do for a dictionary`() throws {
    let plain = try CompressionDictionary(Array(EnglishTexts.lines.joined(separator: " ").utf8))
    let codec = try SmallMessageCodec(dictionaries: DictionarySet([plain]))
    let message = Array((EnglishTexts.lines.first ?? "").utf8)
    #expect(try codec.encode(message).count < message.count / 2)
  }

  @Test func `two dictionaries of one id are a conflict, one dictionary twice is not`() throws {
    var seen: [UInt16: CompressionDictionary] = [:]
    var pair: [CompressionDictionary] = []
    // 65,535 ids: among some hundred dictionaries two share one, sooner or later.
    for number in 0..<3_000 where pair.isEmpty {
      let dictionary = try CompressionDictionary(Array("plain text number \(number)".utf8))
      #expect(dictionary.id != 0)
      if let other = seen[dictionary.id] { pair = [other, dictionary] }
      seen[dictionary.id] = dictionary
    }
    #expect(pair.count == 2 && failure { _ = try DictionarySet(pair) } == .dictionaryConflict)
    #expect(try DictionarySet([pair[0], pair[0]]).dictionaries.count == 1)
    #expect(try DictionarySet([pair[0]])[pair[0].id] == pair[0])
  }

  private static let english: [UInt8] = [9, 8, 33, 4, 112, 0, 134, 195, 222, 107, 149, 153, 17, 248, 173, 221, 152, 3]
  private static let chinese: [UInt8] = [
    16, 240, 8, 155, 145, 232, 241, 76, 156, 225, 180, 44, 191, 240, 21, 128, 240, 6, 240, 145, 240, 9,
  ]
}
