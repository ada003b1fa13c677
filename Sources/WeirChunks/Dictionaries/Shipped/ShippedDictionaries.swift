/// The dictionaries that come with the library, and their numbers on the wire.
///
/// A number means the same bytes for ever: a better dictionary gets a new number, and the old one stays as long as
/// anybody may send it.
enum ShippedDictionaries {
  /// By number, from 1.
  private static let numbered: [CompressionDictionary?] = [
    decode(encodedEnglish), decode(encodedChinese, alphabet: chineseAlphabet),
  ]

  static func id(of number: UInt8) -> UInt16? {
    let place = Int(number) - 1
    return numbered.indices.contains(place) ? numbered[place]?.id : nil
  }

  static func number(of dictionary: CompressionDictionary) -> UInt8? {
    numbered.firstIndex { $0 == dictionary }.map { UInt8(truncatingIfNeeded: $0 + 1) }
  }

  static var all: [CompressionDictionary] { numbered.compactMap { $0 } }

  /// A dictionary from the text in which it is compiled in: a chunk in base64.
  private static func decode(_ text: StaticString, alphabet: String? = nil) -> CompressionDictionary? {
    guard let bytes = Base64.decode(text), let chunk = try? CodedChunk(encoded: bytes) else { return nil }
    let characters = alphabet.map { TextAlphabet($0.unicodeScalars) }
    return (try? chunk.original()).flatMap { try? CompressionDictionary($0, alphabet: characters) }
  }

  static var english: CompressionDictionary? { numbered[0] }
  static var chinese: CompressionDictionary? { numbered[1] }
}

extension DictionarySet {
  /// The dictionaries for chat texts that come with the library: English and Chinese.
  public static let shipped = (try? DictionarySet(ShippedDictionaries.all)) ?? .empty
  /// For English chat texts alone: half the work of ``shipped``.
  public static let english = (try? DictionarySet([ShippedDictionaries.english].compactMap { $0 })) ?? .empty
  /// For Chinese chat texts alone: half the work of ``shipped``.
  public static let chinese = (try? DictionarySet([ShippedDictionaries.chinese].compactMap { $0 })) ?? .empty
}
