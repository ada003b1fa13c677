/// Whose transactions a reader hears.
public struct AuthorFilter: Sendable, Hashable {
  /// Names to hear; nil for everybody.
  let only: Set<String>?
  /// The own name, never heard.
  let own: String?

  /// Everybody but `own`, and clients that did not say who they are.
  public static func everybody(but own: String) -> AuthorFilter { AuthorFilter(only: nil, own: own) }

  /// Everybody, the reader too: for one that has no author of its own.
  public static var everybody: AuthorFilter { AuthorFilter(only: nil, own: nil) }

  /// These, but not `own`, and clients that did not say who they are.
  ///
  /// - Throws: ``HistoryError`` of kind `noForeignAuthor` where nobody would be left.
  public static func only(_ names: some Sequence<String>, but own: String) throws(HistoryError) -> AuthorFilter {
    let foreign = Set(names).subtracting([own])
    guard !foreign.isEmpty else {
      throw HistoryError(.noForeignAuthor, "\(own) would hear nobody: name at least one other author")
    }
    return AuthorFilter(only: foreign, own: own)
  }

  /// Whether a transaction of `author` is heard. Who did not say who they are is heard by all: their changes are real.
  public func admits(_ author: String?) -> Bool {
    guard let author else { return true }
    if author == own { return false }
    return only?.contains(author) ?? true
  }
}
