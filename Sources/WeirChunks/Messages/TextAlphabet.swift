/// A shorter way to write text in scripts for which UTF-8 takes three bytes a character.
///
/// ASCII stays as it is. The 112 most frequent other characters take one byte, the next 3,840 two, all others one
/// more than in UTF-8. Short Chinese texts become half of themselves, before any compression (zstd alone, with a
/// dictionary: 0.63 to 0.78).
///
/// Code: 00–7F ASCII; 80–EF the characters 0 to 111; F0–FE with any second byte the following ones; FF, then a
/// character in UTF-8.
public struct TextAlphabet: Sendable, Hashable {
  /// The characters, the most frequent first.
  public let characters: [Unicode.Scalar]
  private let places: [Unicode.Scalar: Int]

  /// Most characters of an alphabet.
  public static var mostCharacters: Int { singles + 15 * 256 }
  private static var singles: Int { 112 }

  /// An alphabet of these characters, the most frequent first. ASCII and repetitions do not count, nor what is beyond
  /// ``mostCharacters``.
  public init(_ characters: some Sequence<Unicode.Scalar>) {
    var places: [Unicode.Scalar: Int] = [:]
    var kept: [Unicode.Scalar] = []
    for character in characters where !character.isASCII && places[character] == nil {
      guard kept.count < Self.mostCharacters else { break }
      places[character] = kept.count
      kept.append(character)
    }
    self.characters = kept
    self.places = places
  }

  /// The alphabet of some texts, and behind what they hold the characters of `rest`.
  public init(of texts: some Sequence<String>, rest: String = "") {
    var counts: [Unicode.Scalar: Int] = [:]
    for text in texts { for character in text.unicodeScalars { counts[character, default: 0] += 1 } }
    let ranked = counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    self.init(ranked.map(\.key) + Array(rest.unicodeScalars))
  }

  /// The text in this alphabet; nil when it is not UTF-8.
  public func encode(_ text: [UInt8]) -> [UInt8]? {
    guard let string = String(validating: text, as: UTF8.self) else { return nil }
    var coded: [UInt8] = []
    coded.reserveCapacity(text.count)
    for character in string.unicodeScalars {
      if character.isASCII {
        coded.append(UInt8(truncatingIfNeeded: character.value))
      } else if let place = places[character] {
        if place < Self.singles {
          coded.append(0x80 + UInt8(truncatingIfNeeded: place))
        } else {
          let rest = place - Self.singles
          coded.append(0xF0 + UInt8(truncatingIfNeeded: rest >> 8))
          coded.append(UInt8(truncatingIfNeeded: rest))
        }
      } else {
        coded.append(0xFF)
        coded += UTF8.encode(character).map { Array($0) } ?? []
      }
    }
    return coded
  }

  /// The text that was written in this alphabet, at most `most` bytes.
  /// - Throws: `corrupt` for a code without a character, `truncated`, `overrun`.
  public func decode(_ coded: [UInt8], most: Int) throws(ChunkError) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(min(most, coded.count * 3))
    var reader = ByteReader(coded[...])
    while reader.remaining > 0 {
      let first = try reader.byte()
      switch first {
      case ..<0x80: text.append(first)
      case 0xFF: text += try Self.plainCharacter(&reader)
      default:
        let place = first < 0xF0 ? Int(first) - 0x80 : Self.singles + (Int(first) - 0xF0) << 8 + Int(try reader.byte())
        guard characters.indices.contains(place) else {
          throw ChunkError(.corrupt, "the alphabet has no character \(place)")
        }
        text += UTF8.encode(characters[place]).map { Array($0) } ?? []
      }
      guard text.count <= most else { throw ChunkError(.overrun, "the text is longer than \(most) bytes") }
    }
    return text
  }

  private static func plainCharacter(_ reader: inout ByteReader) throws(ChunkError) -> [UInt8] {
    let first = try reader.byte()
    let length = (~first).leadingZeroBitCount
    guard (2...4).contains(length) else { throw ChunkError(.corrupt, "byte \(first) begins no character") }
    let bytes = [first] + (try reader.take(length - 1))
    guard String(validating: bytes, as: UTF8.self)?.unicodeScalars.count == 1 else {
      throw ChunkError(.corrupt, "\(bytes) is no character")
    }
    return bytes
  }
}
