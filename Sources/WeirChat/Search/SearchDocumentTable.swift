import WeirStore

/// What the index holds of a message.
struct SearchDocument: Equatable {
  /// The row id in the index, see `SearchKey`.
  var key: Int64
  /// The numbers of conversation and sender as tokens, so that the index also narrows a search down to them.
  var place: String
  /// The tokens of the text.
  var text: String

  /// The entry of a row; nil when it has no word.
  init?(_ id: Int64, _ row: MessageRow, _ found: SearchableRow) {
    let tokens = SearchTokens(found.texts)
    if tokens.tokens.isEmpty { return nil }
    key = SearchKey(time: row.searchTime, row: id).packed
    place = "c\(row.conversation) s\(row.sender)"
    text = tokens.text
  }

  /// Reads the columns `id`, `place` and `text` from column `first` on.
  init(_ statement: Statement, _ first: Int32) {
    key = statement.int64(first)
    place = statement.string(first + 1)
    text = statement.string(first + 2)
  }

  static func == (left: SearchDocument, right: SearchDocument) -> Bool {
    left.key == right.key && left.place.utf8Equals(right.place) && left.text.utf8Equals(right.text)
  }
}

/// The entries of the index and the tokens they were made of.
final class SearchDocumentTable {
  private let connection: Connection
  private let find: Statement
  private let insert: Statement
  private let index: Statement
  private let unindex: Statement
  private let delete: Statement
  private let addUnindexed: Statement
  private let removeUnindexed: Statement

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    find = try connection.prepare("SELECT id, place, text FROM search_docs WHERE message = ?1")
    insert = try connection.prepare(
      "INSERT INTO search_docs(id, message, place, text) VALUES (?1, ?2, ?3, ?4) ON CONFLICT(id) DO NOTHING")
    index = try connection.prepare("INSERT INTO search_index(rowid, place, text) VALUES (?1, ?2, ?3)")
    unindex = try connection.prepare("DELETE FROM search_index WHERE rowid = ?1")
    delete = try connection.prepare("DELETE FROM search_docs WHERE id = ?1")
    addUnindexed = try connection.prepare("INSERT INTO search_unindexed(message) VALUES (?1) ON CONFLICT DO NOTHING")
    removeUnindexed = try connection.prepare("DELETE FROM search_unindexed WHERE message = ?1")
  }

  /// Makes the entries of the rows what they are to be. Only what differs is written, in the order of keys: FTS5 begins
  /// a new piece of its index with each step back.
  func replace(_ documents: [Int64: SearchDocument?]) throws(StoreError) {
    var removals: [Int64] = []
    var additions: [(row: Int64, document: SearchDocument)] = []
    for (row, document) in documents {
      find.bind(row, at: 1)
      if try find.step() {
        let stored = SearchDocument(find, 0)
        find.reset()
        if stored == document { continue }
        removals.append(stored.key)
      }
      if let document { additions.append((row, document)) }
      removeUnindexed.bind(row, at: 1)
      try removeUnindexed.run()
    }
    for key in removals.sorted() {
      unindex.bind(key, at: 1)
      try unindex.run()
      delete.bind(key, at: 1)
      try delete.run()
    }
    additions.sort { ($0.document.key, $0.row) < ($1.document.key, $1.row) }
    for (row, document) in additions { try add(row, document) }
  }

  private func add(_ row: Int64, _ document: SearchDocument) throws(StoreError) {
    insert.bind(document.key, at: 1)
    insert.bind(row, at: 2)
    insert.bind(document.place, at: 3)
    insert.bind(document.text, at: 4)
    try insert.run()
    guard connection.changedRows == 1 else {
      // Same millisecond, same low bits: the row is looked at by every search instead.
      addUnindexed.bind(row, at: 1)
      return try addUnindexed.run()
    }
    index.bind(document.key, at: 1)
    index.bind(document.place, at: 2)
    index.bind(document.text, at: 3)
    try index.run()
  }
}
