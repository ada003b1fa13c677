/// Composes sentences. Words are kept as UTF-8, as sentences are made by the hundred thousand a second.
struct Phrasebook: Sendable {
  private typealias Words = [[UInt8]]
  private let english: [Words]
  private let openers: Words
  private let closers: Words
  private let chinese: [Words]
  private let oddities: Words

  init() {
    func encode(_ words: [String]) -> Words { words.map { Array($0.utf8) } }
    openers = encode(WordLists.englishOpeners)
    english = [
      encode(WordLists.englishSubjects), encode(WordLists.englishVerbs), encode(WordLists.englishObjects),
      encode(WordLists.englishPlaces), encode(WordLists.englishTimes),
    ]
    closers = encode(WordLists.englishClosers)
    chinese = [
      encode(WordLists.chineseTimes), encode(WordLists.chineseSubjects), encode(WordLists.chineseVerbs),
      encode(WordLists.chineseObjects), encode(WordLists.chineseClosers),
    ]
    oddities = encode(WordLists.oddities)
  }

  /// Appends one to three sentences in one language; a few hold an oddity.
  func appendText(to text: inout [UInt8], using random: inout SeededRandom) {
    let isEnglish = random.below(2) == 0
    let sentences = [1, 1, 1, 1, 2, 2, 3][random.below(7)]
    for index in 0..<sentences {
      if isEnglish, index > 0 { text.append(UInt8(ascii: " ")) }
      if isEnglish { appendEnglish(to: &text, using: &random) } else { appendChinese(to: &text, using: &random) }
    }
    if random.below(40) == 0 { text += random.pick(oddities) }
  }

  private func appendEnglish(to text: inout [UInt8], using random: inout SeededRandom) {
    let hasOpener = random.below(3) == 0
    if hasOpener {
      text += random.pick(openers)
      text.append(UInt8(ascii: " "))
    }
    let start = text.count
    // Subject, verb and object always; the place and the time now and then.
    let slots = [3, 4, 5][random.below(3)]
    for (index, words) in english.prefix(slots).enumerated() {
      if index > 0 { text.append(UInt8(ascii: " ")) }
      text += random.pick(words)
    }
    if !hasOpener, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text[start]) { text[start] -= 32 }
    text += random.pick(closers)
  }

  private func appendChinese(to text: inout [UInt8], using random: inout SeededRandom) {
    for words in chinese { text += random.pick(words) }
  }
}
