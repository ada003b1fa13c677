/// Looks for what would change rows without the triggers seeing it.
///
/// REPLACE deletes the rows that are in its way without firing a trigger, unless the connection has `recursive_triggers` on.
/// Connections of ours have; a raw client has not (history spec §2, "Recording").
public enum StatementLint {
  /// What is wrong with a statement or a declaration, in words; nil when nothing is.
  public static func fault(of sql: String) -> String? {
    let words = self.words(sql)
    for (index, word) in words.enumerated() {
      let next = index + 1 < words.count ? words[index + 1] : ""
      // `replace(` is the function.
      let isCall = index + 2 < words.count && words[index + 2] == "("
      if word == "OR" || word == "CONFLICT", next == "REPLACE", !isCall {
        return
          "a conflict replaces rows, and their deletion is not recorded where recursive_triggers is off; use an UPSERT"
      }
      if word == "REPLACE", next == "INTO" {
        return "REPLACE deletes rows unseen where recursive_triggers is off; use INSERT with ON CONFLICT DO UPDATE"
      }
      if word == "WRITABLE_SCHEMA" { return "writing the schema by hand can take the triggers away" }
      if word == "DROP", next == "TRIGGER" { return "dropping a trigger may end the recording" }
    }
    return nil
  }

  /// The words of a statement in capitals, without what stands in quotes and comments.
  private static func words(_ sql: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    let bytes = Array(sql.utf8)
    var index = 0
    func end() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word = []
    }
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        end()
        let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        index += 1
        while index < bytes.count, bytes[index] != close { index += 1 }
      case UInt8(ascii: "-") where index + 1 < bytes.count && bytes[index + 1] == byte:
        end()
        while index < bytes.count, bytes[index] != 10 { index += 1 }
      case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*"):
        end()
        index += 2
        while index + 1 < bytes.count, !(bytes[index] == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: "/")) {
          index += 1
        }
        index += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): word.append(byte - 32)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 128...:
        word.append(byte)
      case UInt8(ascii: "("):
        end()
        words.append("(")
      default: end()
      }
      index += 1
    }
    end()
    return words
  }
}
