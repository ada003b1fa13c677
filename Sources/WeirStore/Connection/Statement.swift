import CSQLite

/// One compiled statement: bind, step, read columns, reset. Held as a stored property and confined to the thread of its
/// connection.
///
/// Bound text and bytes are copied, so no buffer has to outlive a call (measured cost about 3 % of a write). A failed
/// bind is reported by the next `step`, which keeps the binding code free of `try`.
public final class Statement {
  private let pointer: OpaquePointer
  private var bindFailure: Int32 = SQLITE_OK

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Binds a number to the parameter at `index` (the first is 1).
  public func bind(_ value: Int64, at index: Int32) {
    note(sqlite3_bind_int64(pointer, index, value))
  }

  /// Binds text to the parameter at `index` (the first is 1).
  public func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        // A null pointer would bind NULL, so the empty text needs an address.
        if let base = text.baseAddress {
          note(weir_bind_text_copy(pointer, index, base, UInt64(text.count)))
        } else {
          note(weir_bind_text_copy(pointer, index, "", 0))
        }
      }
    }
  }

  /// Binds bytes to the parameter at `index` (the first is 1).
  public func bind(_ value: [UInt8], at index: Int32) {
    value.withUnsafeBytes { bind($0, at: index) }
  }

  /// Binds bytes that lie anywhere in memory to the parameter at `index` (the first is 1).
  public func bind(_ value: UnsafeRawBufferPointer, at index: Int32) {
    if let base = value.baseAddress, !value.isEmpty {
      note(weir_bind_blob_copy(pointer, index, base, UInt64(value.count)))
    } else {
      note(sqlite3_bind_zeroblob(pointer, index, 0))
    }
  }

  /// Binds NULL to the parameter at `index` (the first is 1).
  public func bindNull(at index: Int32) {
    note(sqlite3_bind_null(pointer, index))
  }

  /// Moves to the next row; false at the end. The statement is reset at the end and on failure.
  ///
  /// - Throws: `StoreError` as SQLite reports it, or the first failed bind.
  public func step() throws(StoreError) -> Bool {
    guard bindFailure == SQLITE_OK else {
      let result = bindFailure
      reset()
      throw failure(result)
    }
    let result = sqlite3_step(pointer)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = failure(result)
      reset()
      throw error
    }
  }

  /// Runs the statement to its end and resets it.
  ///
  /// - Throws: as `step`.
  public func run() throws(StoreError) {
    while try step() {}
  }

  /// Ends the current run, so that no read lock is left behind. Bound values stay until they are bound anew.
  public func reset() {
    bindFailure = SQLITE_OK
    sqlite3_reset(pointer)
  }

  /// The text of the first column of the first row, or nil when there is no row. Resets.
  ///
  /// - Throws: as `step`.
  public func firstString() throws(StoreError) -> String? {
    guard try step() else { return nil }
    defer { reset() }
    return string(0)
  }

  /// The number in the first column of the first row, or nil when there is no row. Resets.
  ///
  /// - Throws: as `step`.
  public func firstInt64() throws(StoreError) -> Int64? {
    guard try step() else { return nil }
    defer { reset() }
    return int64(0)
  }

  /// How many columns a row has.
  public var columnCount: Int32 { sqlite3_column_count(pointer) }

  /// The storage class of a value.
  public enum ColumnType: Sendable {
    /// A 64-bit integer.
    case integer
    /// A floating-point number.
    case real
    /// Text.
    case text
    /// Bytes.
    case blob
    /// Nothing.
    case null
  }

  /// The storage class of the value in `column` (the first is 0).
  public func type(_ column: Int32) -> ColumnType {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// The number in `column` (the first is 0); 0 for NULL.
  public func int64(_ column: Int32) -> Int64 {
    sqlite3_column_int64(pointer, column)
  }

  /// The floating-point number in `column` (the first is 0); 0 for NULL.
  public func double(_ column: Int32) -> Double {
    sqlite3_column_double(pointer, column)
  }

  /// The text in `column` (the first is 0); empty for NULL. Invalid UTF-8 is repaired, which a checksum then reveals.
  public func string(_ column: Int32) -> String {
    guard let text = sqlite3_column_text(pointer, column) else { return "" }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// The bytes in `column` (the first is 0); empty for NULL.
  public func bytes(_ column: Int32) -> [UInt8] {
    guard let base = sqlite3_column_blob(pointer, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  /// Gives `body` the bytes in `column` (the first is 0) where they lie; none for NULL. They are gone with the next step.
  public func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let base = sqlite3_column_blob(pointer, column) else {
      return body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return body(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(pointer, column))))
  }

  private func note(_ result: Int32) {
    if result != SQLITE_OK && bindFailure == SQLITE_OK { bindFailure = result }
  }

  private func failure(_ result: Int32) -> StoreError {
    let sql = sqlite3_sql(pointer).map { String(cString: $0).prefix(60) } ?? ""
    return StoreError(result, of: sqlite3_db_handle(pointer), doing: "cannot run \"\(sql)\"")
  }
}
