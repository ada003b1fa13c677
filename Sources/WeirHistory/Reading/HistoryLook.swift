import WeirStore

/// Looks into the history of a file and changes nothing, nor makes anything beside it, whether others have it open or not.
///
/// When nobody has, what is read is right as long as nobody begins to write; see `FileAccess.observe`.
///
/// Memory: a page cache of 2 MiB.
public final class HistoryLook: Sendable {
  private let reader: WriterThread<ReadingContext>
  /// The file.
  public let path: String

  private init(path: String, reader: WriterThread<ReadingContext>) {
    self.path = path
    self.reader = reader
  }

  /// Opens a file that somebody records the history of.
  ///
  /// - Throws: ``HistoryError`` of kind `notRecorded`, `badDeclaration` where another version records, or `store`.
  public static func open(_ path: String) async throws(HistoryError) -> HistoryLook {
    let fault = ThrownError()
    do throws(StoreError) {
      let reader = try await WriterThread.open(path: path, schema: .anyFile, options: .observer) {
        (connection) throws(StoreError) in
        if let found = try RecordingInstaller.versionFault(on: connection, mustRecord: true) {
          try fault.keep { () throws -> Void in throw found }
        }
        return try ReadingContext(connection)
      }
      return HistoryLook(path: path, reader: reader)
    } catch {
      throw fault.error as? HistoryError ?? HistoryError(error)
    }
  }

  /// How the history stands.
  public func overview(keeping: HistoryKeeping = HistoryKeeping()) async throws(HistoryError) -> HistoryOverview {
    try await history { () throws(StoreError) in
      try await reader.perform { (context) throws(StoreError) in try context.overview(keeping) }
    }
  }

  /// The transactions after one, whoever wrote them, and the number of the last one that is held.
  ///
  /// - Parameters:
  ///   - seq: the transaction; nil to begin with the first that is held.
  ///   - limit: the most transactions.
  /// - Throws: ``HistoryError`` of kind `expired` where what follows `seq` was purged, or `store`.
  public func transactions(
    after seq: Int64?, limit: Int
  ) async throws(HistoryError) -> (transactions: [HistoryTransaction], head: Int64) {
    let result = try await history { () throws(StoreError) in
      try await reader.perform { (context) throws(StoreError) in
        try context.connection.snapshot {
          () throws(StoreError) -> Result<([HistoryTransaction], Int64), HistoryError> in
          let (purged, head) = (try context.state().purgedThrough, try context.head())
          let start = min(seq ?? purged, head)
          guard start >= purged else {
            return .failure(
              HistoryError(.expired, "the history up to transaction \(purged) was purged, \(start) is before that"))
          }
          let page = try context.page(
            after: start, filter: .everybody, transactions: min(max(limit, 1), 1 << 20), changes: .max)
          return .success((page.transactions, head))
        }
      }
    }
    return try result.get()
  }

  /// Closes the file.
  public func close() async { try? await reader.close() }
}
