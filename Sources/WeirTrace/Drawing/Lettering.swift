/// How wide a text is about, and where it is broken: drawings are made without a font at hand.
struct Lettering: Sendable {
  /// Height of the letters in pixels.
  let size: Double

  /// Width in pixels, for a proportional font: East Asian and other wide characters count as one height, all others as 0.6.
  func width(_ text: some StringProtocol) -> Double {
    text.reduce(0) { $0 + (Lettering.isWide($1) ? size : size * 0.6) }
  }

  /// The text in lines no wider than `limit`, at most `lines` of them: broken at spaces, hyphens, dots, commas and brackets where
  /// that helps, else anywhere; what does not fit ends in an ellipsis.
  func wrapped(_ text: String, to limit: Double, lines most: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in Lettering.words(text) {
      if width(line + word) <= limit {
        line += word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = ""
      for character in word {
        if width(line) + width(String(character)) > limit, !line.isEmpty {
          lines.append(line)
          line = ""
        }
        line.append(character)
      }
    }
    if !line.isEmpty { lines.append(line) }
    lines = lines.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    guard lines.count > most, most > 0 else { return lines }
    var last = lines[most - 1]
    while !last.isEmpty, width(last + "…") > limit { last.removeLast() }
    return lines.prefix(most - 1) + [last + "…"]
  }

  /// Pieces that stay together, each with what separates it from the next.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in text {
      word.append(character)
      if " -_.,/<>()[]:".contains(character) {
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static func isWide(_ character: Character) -> Bool {
    guard let value = character.unicodeScalars.first?.value else { return false }
    return (0x1100...0x115f).contains(value) || (0x2e80...0xa4cf).contains(value) || (0xac00...0xd7a3).contains(value)
      || (0xf900...0xfaff).contains(value) || (0xfe30...0xfe6f).contains(value) || (0xff00...0xff60).contains(value)
      || (0x1f300...0x1faff).contains(value) || (0x20000...0x3fffd).contains(value)
  }
}

/// Text inside XML or HTML: nothing in it can end an attribute or begin markup, and what XML does not allow is replaced.
enum Markup {
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n", "\r": result += " "
      default:
        let isAllowed = scalar.value >= 0x20 && scalar.value != 0x7f && scalar.value != 0xfffe && scalar.value != 0xffff
        result.unicodeScalars.append(isAllowed ? scalar : "\u{fffd}")
      }
    }
    return result
  }
}
