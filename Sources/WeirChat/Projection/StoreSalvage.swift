import WeirStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What to do with a store that is damaged: set it aside, make a new one, and take over what can still be read. Nothing
/// is ever deleted.
public enum StoreSalvage {
  /// What became of the rows of a damaged store.
  public struct Report: Sendable, Equatable {
    /// Facts that were read and stored anew.
    public var facts = 0
    /// Rows that could not be read, or did not match their checksum.
    public var unreadableRows = 0
  }

  /// The files that make up a store; they only make sense together.
  static let suffixes = ["-wal", "-shm", "", "-witness"]

  /// Moves all files of a store aside, together, and returns the path they have now.
  ///
  /// Close the store first. The log goes before the file it belongs to: should the process end in between, the file that
  /// is left behind is refused because of its witness.
  ///
  /// - Throws: `StoreError` of kind `io` when a file cannot be moved.
  public static func setAside(_ path: String) throws(StoreError) -> String {
    var number = 1
    while suffixes.contains(where: { access("\(path).damaged-\(number)\($0)", F_OK) == 0 }) { number += 1 }
    let aside = "\(path).damaged-\(number)"
    for suffix in suffixes where access(path + suffix, F_OK) == 0 {
      guard rename(path + suffix, aside + suffix) == 0 else {
        throw StoreError(.io, "cannot move \(path + suffix) to \(aside + suffix): \(String(cString: strerror(errno)))")
      }
    }
    return aside
  }

  /// Reads what can be read of a store that was set aside, and tells it to another one as facts. What is lost the server
  /// has to deliver again: the positions of sources are left out on purpose, so that they start anew.
  ///
  /// - Throws: `StoreError` of kind `foreignFile` when the damaged store is another account's; whatever `store` throws.
  public static func salvage(
    _ damaged: String, account: String, into store: SQLiteMessageStore
  ) async throws(StoreError) -> Report {
    let reader = try await WriterThread<SalvageReader>.open(
      path: damaged, schema: try schema(of: damaged), options: ConnectionOptions(access: .readWrite)
    ) { (connection) throws(StoreError) in try SalvageReader(connection, account: account) }
    var report = Report()
    do {
      while true {
        let (facts, unreadable) = try await reader.perform { (reader) throws(StoreError) in reader.next() }
        report.unreadableRows += unreadable
        guard let facts else { break }
        let result = try await store.apply(facts)
        report.facts += facts.count - result.rejected.count
      }
    } catch {
      try await reader.close()
      throw error
    }
    try await reader.close()
    return report
  }

  private static func schema(of damaged: String) throws(StoreError) -> Schema {
    let connection = try Connection(path: damaged, options: ConnectionOptions(access: .readWrite))
    defer { connection.close() }
    // What cannot even tell its format is refused by the schema in words of its own.
    let format = try? connection.prepare("PRAGMA user_version").firstInt64()
    return ProjectionSchema.salvage(format: format.flatMap { $0 > 0 ? $0 : nil } ?? FourthFormatUpgrade.format)
  }
}
