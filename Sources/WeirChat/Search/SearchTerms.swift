import WeirStore

/// What a user typed into a search field, taken apart.
///
/// Every term must be in a text, in any order. White space separates terms. A term of several tokens is a phrase: its
/// tokens stand in the text next to each other in this order, whatever is between them that is no letter. The last word of
/// a term may go on in the text from two letters on (`invo` finds "invoice"), unless the term stands in double quotes, which
/// also keep white space inside a term.
///
/// The terms become an expression for SQLite's FTS5 and are matched against a text here; both give the same answer. No
/// character typed can reach FTS5 as syntax, since tokens hold letters, digits and pictures only.
struct SearchTerms {
  /// Most bytes of a query.
  static let longest = 4_096
  /// Most tokens of a query.
  static let most = 64

  struct Term: Equatable {
    var tokens: [[UInt8]]
    /// Whether the last token may go on.
    var isPrefix: Bool
  }

  private(set) var terms: [Term] = []

  /// - Throws: `StoreError` of kind `invalidInput` for more than 4,096 bytes or 64 tokens.
  init(_ text: String) throws(StoreError) {
    guard text.utf8.count <= Self.longest else {
      throw StoreError(.invalidInput, "a search text of \(text.utf8.count) bytes; \(Self.longest) are the most")
    }
    // Pieces outside and inside quotes take turns; a quote without its other half is a mark like others.
    var pieces = text.split(omittingEmptySubsequences: false) { Self.quotes.contains($0) }
    if pieces.count % 2 == 0, let last = pieces.popLast(), let before = pieces.popLast() {
      pieces.append(Substring("\(before) \(last)"))
    }
    for (index, piece) in pieces.enumerated() {
      if index % 2 == 1 {
        add(String(piece), mayGoOn: false)
      } else {
        for word in piece.split(whereSeparator: \.isWhitespace) { add(String(word), mayGoOn: true) }
      }
    }
    let count = terms.reduce(0) { $0 + $1.tokens.count }
    guard count <= Self.most else {
      throw StoreError(.invalidInput, "a search text of \(count) words; \(Self.most) are the most")
    }
  }

  private static let quotes: Set<Character> = ["\"", "“", "”", "„", "＂"]

  private mutating func add(_ text: String, mayGoOn: Bool) {
    let found = SearchTokens(text)
    guard let last = found.tokens.last else { return }
    terms.append(
      Term(
        tokens: found.tokens.map { Array(found.bytes($0)) }, isPrefix: mayGoOn && last.isWord && last.count > 1))
  }

  /// Whether there is nothing to look for: such a search finds nothing.
  var isEmpty: Bool { terms.isEmpty }

  /// The expression for FTS5.
  var expression: String {
    terms.map { term in
      let phrase = term.tokens.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
      return "\"\(phrase)\"" + (term.isPrefix ? " *" : "")
    }.joined(separator: " AND ")
  }

  /// Where the terms stand in a text, in bytes and in order; nil when one of them is not there.
  func places(in text: SearchTokens) -> [Range<Int>]? {
    var places: [Range<Int>] = []
    for term in terms {
      var isThere = false
      var start = 0
      while start + term.tokens.count <= text.tokens.count {
        if stands(term, in: text, at: start) {
          isThere = true
          let end = start + term.tokens.count - 1
          places.append(text.tokens[start].source.lowerBound..<text.tokens[end].source.upperBound)
          start = end
        }
        start += 1
      }
      if !isThere { return nil }
    }
    return places.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  private func stands(_ term: Term, in text: SearchTokens, at start: Int) -> Bool {
    for (index, wanted) in term.tokens.enumerated() {
      let found = text.bytes(text.tokens[start + index])
      let isLast = index == term.tokens.count - 1
      guard isLast && term.isPrefix ? found.starts(with: wanted) : found.elementsEqual(wanted) else { return false }
    }
    return true
  }
}
