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
    SQLToken.all(of: sql).map(\.word).filter { $0 == "(" || $0.first?.isLetter == true || $0.first == "_" }
  }
}
