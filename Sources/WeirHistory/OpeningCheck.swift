import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks at a file before it is opened for writing and a lock is made beside it, so that a call that must fail leaves no trace.
enum OpeningCheck {
  /// - Throws: ``HistoryError`` for what is wrong beyond doubt. Everything else is told by the opening itself: what is read here,
  ///   without locks, may be changing.
  static func look(at path: String, _ schema: Schema, _ tables: [TrackedTable]) throws(HistoryError) {
    guard access(path, F_OK) == 0 else {
      if schema.applicationID != 0 || !schema.migrations.isEmpty { return }
      throw HistoryError(StoreError(.cannotOpen, "there is no file \(path), and no schema to make one by"))
    }
    let fault: HistoryError?
    do throws(StoreError) {
      let connection = try Connection(path: path, options: .observer)
      defer { connection.close() }
      try schema.prepare(connection, access: .observe)
      fault = try RecordingInstaller.fault(of: tables, on: connection)
    } catch {
      guard error.kind == .foreignFile || error.kind == .newerFormat || error.sqliteCode == Self.notADatabase else {
        return
      }
      throw HistoryError(error)
    }
    if let fault { throw fault }
  }

  /// SQLite's code for a file that is something else.
  private static let notADatabase: Int32 = 26
}
