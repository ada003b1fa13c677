/// Makes letters that a reader takes for the same the same: case, width, accents, half-width kana.
///
/// A pure function of the scalar, from the Unicode data of the standard library and a few tables; texts and queries pass
/// through it alike, so it may be lenient (й finds и) but never one-sided.
enum LetterFolding {
  /// Marks that sit above and below letters of any script; they are left out.
  static let accents: ClosedRange<UInt32> = 0x300...0x36F

  /// What the scalar counts as: none for an accent, several for a ligature.
  static func fold(_ scalar: Unicode.Scalar, _ emit: (Unicode.Scalar) -> Void) {
    let value = narrow(scalar.value)
    if value < 0x80 {
      emit(Unicode.Scalar(UInt8(value >= 0x41 && value <= 0x5A ? value | 0x20 : value)))
      return
    }
    // Nothing above has case or accents that are parts of the letter.
    if value >= 0x2E80, value < 0xA640 || (0xAC00..<0xFB00).contains(value) || value >= 0x1F000 {
      return emit(Unicode.Scalar(value) ?? scalar)
    }
    if accents.contains(value) { return }
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    if lower.count == 1, let letter = lower.first, let base = bases[letter.value] { return emit(base) }
    // Through the capitals, as case folding does: ß and SS, ς and σ, ﬁ and fi meet.
    for capital in scalar.properties.uppercaseMapping.unicodeScalars {
      for letter in capital.properties.lowercaseMapping.unicodeScalars where !accents.contains(letter.value) {
        emit(bases[letter.value] ?? letter)
      }
    }
  }

  /// The ordinary form of full-width and half-width characters.
  private static func narrow(_ value: UInt32) -> UInt32 {
    switch value {
    case 0xFF01...0xFF5E: value - 0xFEE0
    case 0xFF66...0xFF9F: halfWidthKana[Int(value - 0xFF66)].value
    default: value
    }
  }

  /// U+FF66 to U+FF9F; the last two are the marks that `composed` takes in.
  private static let halfWidthKana = Array(
    "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309A}"
      .unicodeScalars)

  /// Small letters and what they are without accents, as their names in Unicode tell.
  private static let bases: [UInt32: Unicode.Scalar] = {
    var bases: [UInt32: Unicode.Scalar] = [
      0x439: "и", 0x45D: "и", 0x451: "е", 0x450: "е", 0x457: "і", 0x45E: "у", 0x453: "г", 0x45C: "к", 0x1FD: "æ",
      0x1E3: "æ", 0x1EF: "ʒ",
    ]
    let greek: [Substring: Unicode.Scalar] = [
      "ALPHA": "α", "EPSILON": "ε", "ETA": "η", "IOTA": "ι", "OMICRON": "ο", "UPSILON": "υ", "OMEGA": "ω", "RHO": "ρ",
    ]
    for range in [0xC0...0x24F, 0x3AC...0x3CE, 0x1E00...0x1FFF] as [ClosedRange<UInt32>] {
      for value in range {
        guard let name = Unicode.Scalar(value)?.properties.name else { continue }
        let words = name.split(separator: " ", maxSplits: 5)
        guard words.count >= 6, words[1] == "SMALL", words[2] == "LETTER", words[4] == "WITH" else { continue }
        if words[0] == "LATIN", words[3].utf8.count == 1, let letter = words[3].lowercased().unicodeScalars.first {
          bases[value] = letter
        } else if words[0] == "GREEK", let letter = greek[words[3]] {
          bases[value] = letter
        }
      }
    }
    return bases
  }()

  // MARK: Letters that are written as two

  /// The one scalar that two in a row stand for: kana with a sound mark, Hangul from its letters; nil for none. File names
  /// of some systems come in parts.
  static func composed(_ first: UInt32, _ second: UInt32) -> Unicode.Scalar? {
    switch second {
    case 0x3099: voiced(first).flatMap { Unicode.Scalar($0) }
    case 0x309A:
      kana(first).flatMap { [0x306F, 0x3072, 0x3075, 0x3078, 0x307B].contains($0) ? first + 2 : nil }
        .flatMap { Unicode.Scalar($0) }
    case 0x1161...0x1175 where (0x1100...0x1112).contains(first):
      Unicode.Scalar(0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28)
    case 0x11A8...0x11C2 where (0xAC00...0xD7A3).contains(first) && (first - 0xAC00) % 28 == 0:
      Unicode.Scalar(first + second - 0x11A7)
    default: nil
    }
  }

  private static func voiced(_ value: UInt32) -> UInt32? {
    switch value {
    case 0x30EF...0x30F2: return value + 8
    case 0x3046, 0x30A6: return value + 0x4E
    default: break
    }
    guard let hiragana = kana(value) else { return nil }
    let isVoiceable =
      switch hiragana {
      case 0x304B...0x3061: hiragana % 2 == 1
      case 0x3064, 0x3066, 0x3068, 0x306F, 0x3072, 0x3075, 0x3078, 0x307B, 0x309D: true
      default: false
      }
    return isVoiceable ? value + 1 : nil
  }

  /// The hiragana of the same sound.
  private static func kana(_ value: UInt32) -> UInt32? {
    switch value {
    case 0x3041...0x309F: value
    case 0x30A1...0x30FF: value - 0x60
    default: nil
    }
  }
}
