import WeirStore

/// The tables of the recording, in the same file as the rows they tell of: a restored file brings its history back with it.
///
/// A transaction and its changes are neighbours in one table, `history_log`: the row of the transaction, which names no entity,
/// and behind it those of its changes. A commit of one row then writes one page for the history and not two, and a page of it is
/// read in one go. The views `history_txn` and `history_change` show it as the two tables it stands for.
///
/// Every table is STRICT, so that a raw client cannot put a text where a position is expected.
enum RecordingTables {
  /// Format of these tables; in `history_store.version`.
  static let version: Int64 = 3

  static let create = """
    CREATE TABLE IF NOT EXISTS history_store (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      uuid BLOB NOT NULL CHECK (length(uuid) = 16),
      epoch INTEGER NOT NULL,
      version INTEGER NOT NULL,
      purged_through INTEGER NOT NULL,
      purged_nonce INTEGER NOT NULL,
      cleaned_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_author (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      role INTEGER NOT NULL CHECK (role BETWEEN 0 AND 2),
      cursor INTEGER CHECK (cursor >= 0),
      cursor_nonce INTEGER,
      registered INTEGER NOT NULL,
      last_seen INTEGER NOT NULL,
      retired_at INTEGER,
      tries INTEGER NOT NULL DEFAULT 0,
      tried_by INTEGER NOT NULL DEFAULT 0,
      careful INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_log (
      id INTEGER PRIMARY KEY,
      entity INTEGER,
      op INTEGER,
      key ANY,
      mask INTEGER,
      tombstone TEXT,
      author INTEGER,
      process INTEGER,
      context TEXT,
      nonce INTEGER,
      wall INTEGER,
      cause INTEGER
    ) STRICT;
    CREATE VIEW IF NOT EXISTS history_txn AS
      SELECT id >> \(HistoryNumber.bits) AS seq, author, process, context, nonce, wall, cause
      FROM history_log WHERE entity IS NULL AND nonce IS NOT NULL;
    CREATE VIEW IF NOT EXISTS history_change AS
      SELECT id, id >> \(HistoryNumber.bits) AS seq, entity, op, key, mask, tombstone
      FROM history_log WHERE entity IS NOT NULL;
    CREATE TABLE IF NOT EXISTS history_entity (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      source TEXT NOT NULL,
      keys TEXT NOT NULL,
      columns TEXT NOT NULL,
      tombstone TEXT NOT NULL,
      -- 0 is not recorded, 1 is, 2 ought to be and has lost its triggers, which was told.
      recording INTEGER NOT NULL DEFAULT 0 CHECK (recording BETWEEN 0 AND 2),
      UNIQUE (name, source, keys, columns, tombstone)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS history_dead_letter (
      author INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      reason TEXT NOT NULL,
      wall INTEGER NOT NULL,
      PRIMARY KEY (author, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS history_replay (
      author INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      PRIMARY KEY (author, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS history_gap (
      seq INTEGER NOT NULL,
      entity INTEGER NOT NULL,
      wall INTEGER NOT NULL,
      PRIMARY KEY (seq, entity)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS history_pin (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TRIGGER IF NOT EXISTS history_cursor_guard BEFORE UPDATE OF cursor ON history_author
      WHEN NEW.cursor < OLD.cursor
      BEGIN SELECT RAISE(ABORT, 'history: a cursor may not go back'); END;
    CREATE TRIGGER IF NOT EXISTS history_purge_guard BEFORE UPDATE OF purged_through ON history_store
      WHEN NEW.purged_through < OLD.purged_through
      BEGIN SELECT RAISE(ABORT, 'history: what was purged may not come back'); END;
    CREATE TRIGGER IF NOT EXISTS history_stray BEFORE INSERT ON history_log
      WHEN NEW.entity IS NOT NULL
        AND coalesce((SELECT max(id) FROM history_log) & \(HistoryNumber.rows), \(HistoryNumber.rows)) = \(HistoryNumber.rows)
      BEGIN
      INSERT INTO history_log (id, nonce, wall) VALUES ((\(next) | \(HistoryNumber.rows)) - 1, random(), \(now));
    END;
    INSERT OR IGNORE INTO history_store VALUES (1, randomblob(16), 1, \(version), 0, 0, 0);
    """

  /// The number of the last transaction recorded, also where its row is purged. Rows leave the log only from its beginning,
  /// and what left is noted in the same transaction, so numbers go on however much is purged.
  static let head =
    "coalesce((SELECT max(id) FROM history_log) >> \(HistoryNumber.bits), (SELECT purged_through FROM history_store), 0)"

  /// The least id of a row of the next transaction.
  static let next = "(\(head) + 1) << \(HistoryNumber.bits)"

  /// The random number of a transaction; null where it is purged or was never written.
  static func nonce(of seq: String) -> String {
    """
    (SELECT nonce FROM history_log WHERE id >= \(seq) << \(HistoryNumber.bits)
      AND id < (\(seq) + 1) << \(HistoryNumber.bits) ORDER BY id LIMIT 1)
    """
  }

  /// Milliseconds since 1970, for people.
  static let now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

  static let drop = """
    DROP TABLE history_pin; DROP TABLE history_gap; DROP TABLE history_replay; DROP TABLE history_dead_letter; DROP TABLE history_entity;
    DROP VIEW history_change; DROP VIEW history_txn; DROP TABLE history_log; DROP TABLE history_author;
    DROP TABLE history_store;
    """
}
