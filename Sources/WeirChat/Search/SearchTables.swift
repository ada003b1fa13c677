import WeirStore

/// Whether a store keeps an index of its texts. The choice stays with the file.
public enum SearchChoice: Sendable {
  /// As the file has it: a new one has no index.
  case asStored
  /// With an index; one that is not there yet is built behind the writer, from the first message on.
  case on
  /// Without: an index that is there is dropped.
  case off
}

/// The tables of the index. They are no part of the format: a store without them is whole.
///
/// `search_docs` holds the tokens of each message as they were indexed, so that they can be taken out again exactly, by
/// this program or any other: the index itself uses a tokenizer that every SQLite has. `search_unindexed` names rows
/// whose key was taken. `search_state` says how far the index is right: rows up to `upto`, changes up to `revision`.
enum SearchTables {
  /// The version of what is indexed, and how. Another one in a file means that its index is built anew.
  private static let version: Int64 = 1

  private static let creation = """
    CREATE TABLE search_state(
      id INTEGER PRIMARY KEY CHECK (id = 1),
      version INTEGER NOT NULL,
      upto INTEGER NOT NULL,
      revision INTEGER NOT NULL
    );
    CREATE TABLE search_docs(
      id INTEGER PRIMARY KEY,
      message INTEGER NOT NULL UNIQUE,
      place TEXT NOT NULL,
      text TEXT NOT NULL
    );
    CREATE TABLE search_unindexed(message INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE search_index USING fts5(
      place, text, content='search_docs', content_rowid='id', tokenize='ascii', columnsize=0
    );
    INSERT INTO search_state(id, version, upto, revision) SELECT 1, \(version), 0, revision FROM meta;
    """
  private static let removal = """
    DROP TABLE search_index;
    DROP TABLE search_docs;
    DROP TABLE search_unindexed;
    DROP TABLE search_state;
    """

  /// Whether the file has an index.
  static func exist(_ connection: Connection) throws(StoreError) -> Bool {
    try connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'search_state'").firstInt64() == 1
  }

  /// Makes or drops the tables as chosen, in one transaction; whether they are there now.
  ///
  /// - Throws: `StoreError`, of kind `unexpected` when SQLite was built without FTS5.
  static func choose(_ choice: SearchChoice, _ connection: Connection) throws(StoreError) -> Bool {
    try connection.transaction { () throws(StoreError) in
      let exist = try exist(connection)
      if exist {
        let found = try connection.prepare("SELECT version FROM search_state").firstInt64()
        if choice != .off, found == version { return true }
        try connection.execute(removal)
      }
      guard choice == .on || exist && choice == .asStored else { return false }
      try connection.execute(creation)
      return true
    }
  }
}

/// How far an index is right.
struct SearchState: Equatable {
  /// Rows up to this number are indexed as they were at `revision`.
  var upTo: Int64
  /// Changes up to this revision are in the index.
  var revision: Int64

  /// Reads the one row.
  init(_ connection: Connection) throws(StoreError) {
    let select = try connection.prepare("SELECT upto, revision FROM search_state")
    guard try select.step() else { throw StoreError(.corrupt, "the state of the search index is gone") }
    defer { select.reset() }
    (upTo, revision) = (select.int64(0), select.int64(1))
  }
}
