import Synchronization
import WeirStore

extension SQLiteMessageStore {
  /// Searches the texts of messages, the latest first; see ``SearchQuery`` for what is found. It works without an index
  /// as well, by looking at messages one by one.
  ///
  /// Never found are messages that no conversation shows, private ones, recalled ones, and content that is not understood.
  /// Rows that do not match their checksum are passed over.
  ///
  /// - Throws: `StoreError`, for example of kind `invalidInput` for a text that is too long, `timedOut` when it takes
  ///   longer than a reader may hold its view, `cancelled` when the task is cancelled meanwhile.
  public func search(_ query: SearchQuery) async throws(StoreError) -> Snapshot<SearchPage> {
    let isCancelled = Cancellation()
    let result = await withTaskCancellationHandler { () async -> Result<Snapshot<SearchPage>, StoreError> in
      do throws(StoreError) {
        return .success(
          try await readers.read { (reader) throws(StoreError) in
            var search = try SearchReader(reader, query, isCancelled: { isCancelled.flag.load(ordering: .relaxed) })
            return try search.page()
          })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      isCancelled.flag.store(true, ordering: .relaxed)
    }
    return try result.get()
  }

  private final class Cancellation: Sendable {
    let flag = Atomic(false)
  }

  /// How far the index has got; nil when the store has none.
  public func searchProgress() async throws(StoreError) -> Snapshot<SearchProgress?> {
    try await readers.read(isLong: true) { (reader) throws(StoreError) in
      guard try SearchTables.exist(reader.connection) else { return nil }
      return SearchProgress(behind: try SearchTail.count(reader.connection))
    }
  }

  /// Indexes everything that is stored by now, a piece at a time, and lets commits pass in between. Nobody has to call it:
  /// the store does the same whenever it has nothing else to do.
  public func finishSearchIndex() async throws(StoreError) {
    while try await indexStep(.init()) {}
  }

  /// One piece of work on the index; whether more is left.
  func indexStep(_ budget: SearchIndexer.Budget) async throws(StoreError) -> Bool {
    try await writer.perform { (writer) throws(StoreError) in try writer.indexer?.step(budget) ?? false }
  }
}

extension ProjectionView {
  /// Searches the texts of messages; see `SQLiteMessageStore.search`.
  public func search(_ query: SearchQuery) throws(StoreError) -> SearchPage {
    var search = try SearchReader(reader, query)
    return try search.page()
  }
}

extension ProjectionFollower {
  /// Searches the texts of messages; see `SQLiteMessageStore.search`. No time limit ends it.
  public func search(_ query: SearchQuery) async throws(StoreError) -> Snapshot<SearchPage> {
    try await snapshot { (view) throws(StoreError) in try view.search(query) }
  }
}
