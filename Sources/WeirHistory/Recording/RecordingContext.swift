import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The statements of the writer, held on its thread.
struct RecordingContext {
  let connection: Connection
  let beginRow: Statement
  private let newestRow: Statement
  private let closeRow: Statement
  let dropEmpty: Statement
  let authorNumber: Statement
  let moveCursor: Statement
  let letter: Statement
  private let headNumber: Statement
  private let process = Int64(getpid())
  /// The last transaction recorded since the last commit; nil where none was.
  private(set) var recorded: Int64?
  /// Whether that may have been undone.
  private var isUncertain = false

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    beginRow = try connection.prepare(
      """
      INSERT INTO history_log (id, author, process, context, nonce, wall, cause)
      VALUES (\(RecordingTables.next), ?1, ?2, ?3, random(), ?5, ?4)
      """)
    newestRow = try connection.prepare("SELECT max(id) FROM history_log")
    // Not by a condition of its own: an INSERT from a SELECT on a table with triggers makes a temporary table first.
    closeRow = try connection.prepare("INSERT INTO history_log (id) VALUES (?1)")
    dropEmpty = try connection.prepare("DELETE FROM history_log WHERE id = ?1")
    authorNumber = try connection.prepare("SELECT id FROM history_author WHERE name = ?1")
    moveCursor = try connection.prepare(
      """
      UPDATE history_author SET cursor = ?3, tries = 0, tried_by = 0, last_seen = \(RecordingTables.now),
        cursor_nonce = coalesce(\(RecordingTables.nonce(of: "?3")), cursor_nonce)
      WHERE name = ?1 AND cursor = ?2 AND retired_at IS NULL
      """)
    headNumber = try connection.prepare("SELECT \(RecordingTables.head)")
    letter = try connection.prepare(
      """
      INSERT INTO history_dead_letter VALUES ((SELECT id FROM history_author WHERE name = ?1), ?2, ?3, ?4,
        \(RecordingTables.now)) ON CONFLICT DO UPDATE SET attempts = ?3, reason = ?4
      """)
  }

  /// Runs `body` as one recorded transaction.
  ///
  /// - Returns: what `body` returns, and the number of the transaction; nil where it changed no tracked row.
  mutating func record<Value>(
    author: String, context: String?, cause: Int64?, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> (Value, Int64?) {
    beginRow.bind(try number(of: author), at: 1)
    beginRow.bind(process, at: 2)
    if let context { beginRow.bind(context, at: 3) } else { beginRow.bindNull(at: 3) }
    if let cause { beginRow.bind(cause, at: 4) } else { beginRow.bindNull(at: 4) }
    beginRow.bind(Self.now(), at: 5)
    try beginRow.run()
    let row = connection.lastInsertedRow
    let value = try connection.keepingTransaction { () throws(StoreError) in try body(connection) }
    guard try newestRow.firstInt64() ?? row > row else {
      // The number is given anew, so that numbers have no holes.
      dropEmpty.bind(row, at: 1)
      try dropEmpty.run()
      return (value, nil)
    }
    closeRow.bind(row | HistoryNumber.rows, at: 1)
    try closeRow.run()
    let seq = HistoryNumber.transaction(of: row)
    recorded = seq
    return (value, seq)
  }

  /// Milliseconds since 1970.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// The number of an author; who is not registered is entered as one that only writes.
  private func number(of name: String) throws(StoreError) -> Int64 {
    // Not remembered: a file that is restored in place has other numbers.
    authorNumber.bind(name, at: 1)
    if let number = try authorNumber.firstInt64() { return number }
    let insert = try connection.prepare(
      """
      INSERT INTO history_author (name, role, registered, last_seen)
      VALUES (?1, \(HistoryRole.writeOnly.rawValue), \(RecordingTables.now), \(RecordingTables.now))
      """)
    insert.bind(name, at: 1)
    try insert.run()
    return connection.lastInsertedRow
  }

  /// A part of the transaction, or all of it, was undone.
  mutating func undone() { isUncertain = true }

  /// The head after a commit, where a transaction was recorded in it.
  mutating func takeRecorded() -> Int64? {
    guard let recorded else { return nil }
    defer { (self.recorded, isUncertain) = (nil, false) }
    return isUncertain ? try? headNumber.firstInt64() : recorded
  }
}
