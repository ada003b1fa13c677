import WeirChunks

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes the dictionaries that come with `WeirChunks` from the texts in `Corpus`, as Swift sources.
///
///     swift run -c release DictionaryMaker Sources/DictionaryMaker/Corpus Sources/WeirChunks/Dictionaries/Shipped
///
/// The same texts and the same version of zstd give the same bytes. What has been released keeps its number and
/// bytes: for other texts take a new number.
@main
struct DictionaryMaker {
  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      throw MakerError("usage: DictionaryMaker CORPUS-FOLDER SOURCES-FOLDER")
    }
    let (corpus, sources) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let english = Corpus(try read("\(corpus)/english.txt"))
    try write("English", try make(english, seed: 1, size: 65_536, alphabet: nil), into: sources)

    let chinese = Corpus(try read("\(corpus)/chinese.txt"))
    var random = SplitMix(state: 3)
    let common = try read("\(corpus)/characters.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }.joined()
    let texts = chinese.sentences(30_000, &random).map { String(decoding: $0, as: UTF8.self) }
    let alphabet = TextAlphabet(of: texts, rest: common)
    try Data(source(of: alphabet).utf8).write(to: URL(fileURLWithPath: "\(sources)/ChineseAlphabet.swift"))
    try write("Chinese", try make(chinese, seed: 2, size: 32_768, alphabet: alphabet), into: sources)
  }

  static func read(_ path: String) throws -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else { throw MakerError("\(path) cannot be read") }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ name: String, _ dictionary: CompressionDictionary, into folder: String) throws {
    let settings = CompressionSettings(level: 22, windowLog: 17)
    let chunk = try CodedChunk(compressing: dictionary.bytes, settings: settings)
    let text = source(name, try chunk.encoded())
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)Dictionary.swift"))
    print("\(name): id \(dictionary.id), \(dictionary.bytes.count) bytes, \(chunk.weight) compressed")
  }

  /// The content is made of sentences from the whole corpus; the statistics are those of sentences from one half of
  /// it, coded with what the other half gives: real messages hold words that no dictionary has seen.
  static func make(
    _ corpus: Corpus, seed: UInt64, size: Int, alphabet: TextAlphabet?
  ) throws -> CompressionDictionary {
    var random = SplitMix(state: seed)
    let (seen, unseen) = corpus.halves(&random)
    return try CompressionDictionary.trained(
      on: corpus.sentences(30_000, &random), seen: seen.sentences(20_000, &random),
      unseen: unseen.sentences(8_000, &random), size: size, alphabet: alphabet)
  }

  static func source(of alphabet: TextAlphabet) -> String {
    let lines = stride(from: 0, to: alphabet.characters.count, by: 50).map { start in
      var line = "  "
      line.unicodeScalars += alphabet.characters[start..<min(start + 50, alphabet.characters.count)]
      return line
    }
    return """
      // Made by DictionaryMaker; do not edit.

      /// The characters of the Chinese alphabet, the most frequent first; line breaks do not count.
      let chineseAlphabet = \"""
      \(lines.joined(separator: "\n"))
        \"""

      """
  }

  static func source(_ name: String, _ bytes: [UInt8]) -> String {
    let letters = Array(Data(bytes).base64EncodedString())
    let lines = stride(from: 0, to: letters.count, by: 116).map {
      "  " + String(letters[$0..<min($0 + 116, letters.count)])
    }
    return """
      // Made by DictionaryMaker; do not edit.

      /// The \(name) dictionary as a coded chunk in base64.
      let encoded\(name): StaticString = \"""
      \(lines.joined(separator: "\n"))
        \"""

      """
  }
}

/// Why no dictionary was made.
struct MakerError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
