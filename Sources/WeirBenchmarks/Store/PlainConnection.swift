import CSQLite
import WeirChat

/// SQLite's C interface and nothing else: held statements by number, bytes bound where they are.
final class PlainConnection {
  private var handle: OpaquePointer?
  private var statements: [OpaquePointer?] = []

  /// Opens a file in WAL mode with SQLite's own checkpoints.
  /// - Parameters:
  ///   - isFull: whether each COMMIT reaches the disk; nil for no sync at all, to fill files.
  ///   - checkpointPages: how long the log becomes before a COMMIT folds it into the file.
  init(path: String, isFull: Bool?, cacheKibibytes: Int, checkpointPages: Int = 1_000) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
      throw BenchmarkError.unreadable(path: path)
    }
    let synchronous = isFull.map { $0 ? "FULL" : "NORMAL" } ?? "OFF"
    try execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -\(cacheKibibytes);
      PRAGMA synchronous = \(synchronous);
      PRAGMA wal_autocheckpoint = \(checkpointPages)
      """)
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Compiles a statement; its number.
  func prepare(_ sql: String) throws -> Int {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK else {
      throw failure
    }
    statements.append(statement)
    return statements.count - 1
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  func bind(_ number: Int64, _ index: Int32, _ statement: Int) {
    sqlite3_bind_int64(statements[statement], index, number)
  }

  func bind(_ text: String, _ index: Int32, _ statement: Int) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        if let base = text.baseAddress {
          _ = weir_bind_text_copy(statements[statement], index, base, UInt64(text.count))
        } else {
          _ = weir_bind_text_copy(statements[statement], index, "", 0)
        }
      }
    }
  }

  func bind(_ bytes: UnsafeRawBufferPointer, _ index: Int32, _ statement: Int) {
    _ = weir_bind_blob_copy(statements[statement], index, bytes.baseAddress, UInt64(bytes.count))
  }

  /// Binds the 16 bytes of 32 hexadecimal digits.
  func bind(id: String, _ index: Int32, _ statement: Int) {
    Self.withBytes(id: id) { bind($0, index, statement) }
  }

  /// Gives `body` the 16 bytes of 32 hexadecimal digits.
  static func withBytes(id: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    var id = id
    var halves: (UInt64, UInt64) = (0, 0)
    id.withUTF8 { digits in
      for (place, digit) in digits.enumerated() {
        let value = UInt64(digit < 58 ? digit &- 48 : digit &- 87)
        if place < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
      }
    }
    withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian), body)
  }

  /// Calls `body` with the first row that a statement gives, if any.
  func first(_ statement: Int, _ body: (PlainRow) -> Void) throws {
    let result = sqlite3_step(statements[statement])
    if result == SQLITE_ROW { body(PlainRow(statement: statements[statement])) }
    sqlite3_reset(statements[statement])
    guard result == SQLITE_ROW || result == SQLITE_DONE else { throw failure }
  }

  /// Runs a statement; the number in its first column if it gives a row.
  @discardableResult
  func run(_ statement: Int) throws -> Int64? {
    var found: Int64?
    var result = sqlite3_step(statements[statement])
    while result == SQLITE_ROW {
      found = sqlite3_column_int64(statements[statement], 0)
      result = sqlite3_step(statements[statement])
    }
    sqlite3_reset(statements[statement])
    guard result == SQLITE_DONE else { throw failure }
    return found
  }

  /// Calls `body` for each row of a query.
  func rows(_ sql: String, _ body: (PlainRow) -> Void) throws {
    let statement = try prepare(sql)
    while sqlite3_step(statements[statement]) == SQLITE_ROW { body(PlainRow(statement: statements[statement])) }
    sqlite3_reset(statements[statement])
  }

  var changes: Int32 { sqlite3_changes(handle) }
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  private var failure: BenchmarkError {
    .peer(handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "no connection")
  }
}

/// One row of a query.
struct PlainRow {
  fileprivate let statement: OpaquePointer?

  func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func bytes(_ column: Int32) -> [UInt8] {
    [UInt8](
      UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column))))
  }
  func text(_ column: Int32) -> String { sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "" }
}

/// What stores facts, one transaction a call.
protocol FactTable: AnyObject {
  func store(_ facts: ArraySlice<Fact>) throws
}
