/// A piece of a statement: a word, what stands in quotes, or a sign.
struct SQLToken: Equatable {
  /// As it is written, without its quotes.
  let text: String
  /// Whether it stood in quotes, and so is no keyword.
  let isQuoted: Bool
  /// The word in capitals, for keywords and signs; empty for what stood in quotes.
  let word: String

  init(_ text: String, isQuoted: Bool = false) {
    self.text = text
    self.isQuoted = isQuoted
    word = isQuoted ? "" : text.uppercased()
  }

  /// The pieces of `sql` in their order, without its comments. Text that ends inside quotes ends with them.
  static func all(of sql: String) -> [SQLToken] {
    var tokens: [SQLToken] = []
    let bytes = Array(sql.utf8)
    var index = 0
    /// Where bytes that fit end.
    func end(from start: Int, while fits: (Int) -> Bool) -> Int {
      var end = start
      while end < bytes.count, fits(end) { end += 1 }
      return end
    }
    func is2(_ at: Int, _ first: UInt8, _ second: UInt8) -> Bool {
      bytes[at] == first && at + 1 < bytes.count && bytes[at + 1] == second
    }
    while index < bytes.count {
      let byte = bytes[index]
      let dash = UInt8(ascii: "-")
      let slash = UInt8(ascii: "/")
      let star = UInt8(ascii: "*")
      if is2(index, dash, dash) {
        index = end(from: index) { bytes[$0] != 10 }
      } else if is2(index, slash, star) {
        index = end(from: index + 2) { !is2($0, star, slash) } + 2
      } else if let close = closing(byte) {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
          // A quote that is written twice is one.
          if bytes[index] == close {
            guard is2(index, close, close), close != UInt8(ascii: "]") else { break }
            index += 1
          }
          text.append(bytes[index])
          index += 1
        }
        index += 1
        tokens.append(SQLToken(String(decoding: text, as: UTF8.self), isQuoted: true))
      } else if isPartOfWord(byte) {
        let last = end(from: index) { isPartOfWord(bytes[$0]) }
        tokens.append(SQLToken(String(decoding: bytes[index..<last], as: UTF8.self)))
        index = last
      } else {
        if byte > 32 { tokens.append(SQLToken(String(UnicodeScalar(byte)))) }
        index += 1
      }
    }
    return tokens
  }

  private static func closing(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): byte
    case UInt8(ascii: "["): UInt8(ascii: "]")
    default: nil
    }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
      true
    default: false
    }
  }
}
