/// A text as the search sees it: words, and single characters of the scripts that put no spaces between words.
///
/// - A word is a run of letters, digits and their marks, folded by ``LetterFolding``; one of more than 64 scalars is cut
///   into pieces of 64.
/// - Chinese characters, kana, Hangul syllables, letters of Thai, Lao, Khmer, Burmese and Tibetan, emoji and other
///   pictures are tokens of their own. A sequence of such tokens is found as a phrase, so any part of such a text can be
///   searched for, of one character and up.
/// - Everything else separates, and is not searched for. Skin tones, variation selectors, accents, and points and vowel
///   signs of Arabic and Hebrew are left out.
///
/// Memory: at most `most` tokens, whatever the length of the text; what comes later is not searched.
struct SearchTokens {
  /// Most tokens of a text.
  static let most = 16_384
  private static let longestWord = 64
  /// Stands between the parts of a text, so that no phrase reaches from one into the next. No query holds it.
  private static let border = Array("\u{E000}".utf8)

  struct Token {
    /// Where it stands in `folded`.
    var bytes: Range<Int>
    /// Which bytes of the text it came from.
    var source: Range<Int>
    /// How many scalars it has.
    var count: Int
    /// Whether it is part of a word, so that it may go on.
    var isWord: Bool
  }

  /// The tokens with a space after each: what the index is given.
  private(set) var folded: [UInt8] = []
  private(set) var tokens: [Token] = []
  private var isInWord = false
  /// The scalar of the latest token, if that is a single one and nothing has come since.
  private var single: UInt32?

  /// The tokens of the parts of a text. Places count through all parts, with one byte between two.
  init(_ parts: [String]) {
    var offset = 0
    for part in parts {
      if tokens.count >= Self.most { break }
      if !tokens.isEmpty { append(border: offset) }
      add(part, at: offset)
      offset += part.utf8.count + 1
    }
  }

  init(_ text: String) { self.init([text]) }

  /// The bytes of a token.
  func bytes(_ token: Token) -> ArraySlice<UInt8> { folded[token.bytes] }

  /// The tokens as one text.
  var text: String { String(decoding: folded, as: UTF8.self) }

  private mutating func add(_ text: String, at start: Int) {
    (isInWord, single) = (false, nil)
    var offset = start
    for scalar in text.unicodeScalars {
      let source = offset..<(offset + UTF8.width(scalar))
      offset = source.upperBound
      if scalar.value < 0x80 {
        take(ascii: UInt8(truncatingIfNeeded: scalar.value), source)
      } else {
        var isEmpty = true
        LetterFolding.fold(scalar) { folded in
          isEmpty = false
          take(folded, source)
        }
        if isEmpty { extend(source) }
      }
      if tokens.count > Self.most {
        tokens.removeLast()
        folded.removeSubrange((tokens.last.map { $0.bytes.upperBound + 1 } ?? 0)...)
        return
      }
    }
  }

  private mutating func take(ascii byte: UInt8, _ source: Range<Int>) {
    let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    if lower >= 0x61 && lower <= 0x7A || lower >= 0x30 && lower <= 0x39 {
      extendWord(source)
      folded.append(lower)
      endWord()
    } else {
      (isInWord, single) = (false, nil)
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar, _ source: Range<Int>) {
    if let before = single, let whole = LetterFolding.composed(before, scalar.value), let last = tokens.popLast() {
      folded.removeSubrange(last.bytes.lowerBound...)
      append(single: whole, last.source.lowerBound..<source.upperBound)
      return
    }
    switch SearchClass(scalar) {
    case .word: append(word: scalar, source)
    case .single: append(single: scalar, source)
    case .ignored: extend(source)
    case .separator: (isInWord, single) = (false, nil)
    }
  }

  /// A scalar that is left out belongs to the token before it.
  private mutating func extend(_ source: Range<Int>) {
    guard isInWord || single != nil, let last = tokens.indices.last else { return }
    tokens[last].source = tokens[last].source.lowerBound..<source.upperBound
  }

  private mutating func append(word scalar: Unicode.Scalar, _ source: Range<Int>) {
    extendWord(source)
    folded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    endWord()
  }

  /// Opens the word in progress, or a new one, for one scalar more.
  private mutating func extendWord(_ source: Range<Int>) {
    if isInWord, let last = tokens.indices.last, tokens[last].count < Self.longestWord {
      folded.removeLast()
      tokens[last].source = tokens[last].source.lowerBound..<source.upperBound
      tokens[last].count += 1
    } else {
      tokens.append(Token(bytes: folded.count..<folded.count, source: source, count: 1, isWord: true))
      (isInWord, single) = (true, nil)
    }
  }

  private mutating func endWord() {
    let last = tokens.count - 1
    tokens[last].bytes = tokens[last].bytes.lowerBound..<folded.count
    folded.append(UInt8(ascii: " "))
  }

  private mutating func append(single scalar: Unicode.Scalar, _ source: Range<Int>) {
    let start = folded.count
    folded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    tokens.append(Token(bytes: start..<folded.count, source: source, count: 1, isWord: false))
    folded.append(UInt8(ascii: " "))
    (isInWord, single) = (false, scalar.value)
  }

  private mutating func append(border offset: Int) {
    let start = folded.count
    folded += Self.border
    tokens.append(Token(bytes: start..<folded.count, source: offset..<offset, count: 1, isWord: false))
    folded.append(UInt8(ascii: " "))
  }
}

/// What a folded scalar does to the tokens.
enum SearchClass {
  /// It is part of a word.
  case word
  /// It is a token of its own.
  case single
  /// It is left out, and what is around it stays together.
  case ignored
  /// It ends what was before it.
  case separator

  init(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    if value < 0x80 {
      let isWord = value >= 0x30 && value <= 0x39 || value >= 0x61 && value <= 0x7A
      self = isWord ? .word : .separator
    } else if Self.isLone(value) {
      self = .single
    } else if Self.isLeftOut(value) {
      self = .ignored
    } else {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
        self = Self.isUnspaced(value) ? .single : .word
      case .otherSymbol: self = .single
      case .format, .enclosingMark: self = .ignored
      default: self = .separator
      }
    }
  }

  /// Scripts of East Asia, also characters that the Unicode data in use does not know yet.
  private static func isLone(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C,
      0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F, 0x3131...0x318E,
      0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF,
      0xF900...0xFAFF, 0x1AFF0...0x1B16F, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  /// Thai, Lao, Tibetan, Burmese, Khmer.
  private static func isUnspaced(_ value: UInt32) -> Bool {
    switch value {
    case 0xE00...0xFFF, 0x1000...0x109F, 0x1780...0x17FF: true
    default: false
    }
  }

  /// Skin tones, selectors, kashida, points, stray sound marks.
  private static func isLeftOut(_ value: UInt32) -> Bool {
    switch value {
    case 0x591...0x5BD, 0x640, 0x64B...0x65F, 0x670, 0x20D0...0x20FF, 0x3099, 0x309A, 0xFE00...0xFE0F,
      0x1F3FB...0x1F3FF, 0xE0100...0xE01EF:
      true
    default: false
    }
  }
}
