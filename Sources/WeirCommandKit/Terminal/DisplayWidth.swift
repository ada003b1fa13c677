/// How many terminal cells text takes.
public enum DisplayWidth {
  /// Cells of a whole string.
  public static func of(_ text: String) -> Int {
    text.reduce(0) { $0 + of($1) }
  }

  /// Cells of one character: 2 for East Asian wide and fullwidth characters and for emoji, 0 for a lone combining mark
  /// or a control, else 1.
  public static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // A variation selector 16 asks for the coloured, wide picture.
      if scalar.value == 0xFE0F, width > 0 { return 2 }
      width = max(width, of(scalar))
    }
    return width
  }

  /// `text` cut to at most `limit` cells, with `…` in place of what was cut.
  public static func truncate(_ text: String, to limit: Int) -> String {
    guard of(text) > limit else { return text }
    guard limit > 0 else { return "" }
    var result = ""
    var used = 1
    for character in text {
      let width = of(character)
      if used + width > limit { break }
      result.append(character)
      used += width
    }
    return result + "…"
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return isWide(value) || scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// Blocks whose characters are wide or fullwidth (Unicode Standard Annex 11), in ascending order.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
