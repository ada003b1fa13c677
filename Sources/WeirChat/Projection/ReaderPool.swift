import Synchronization
import WeirStore

/// A few read-only connections, each on a thread of its own, that share the queries of any number of callers.
///
/// A query holds one view of the file for as long as it runs, at most `ageLimit`: a view that is held for ever would keep
/// the log from being folded into the file. Memory: a page cache of 4 MiB a connection.
final class ReaderPool: Sendable {
  private let readers: [WriterThread<ProjectionReader>]
  private let load: Mutex<[Int]>
  private let ageLimit: Int64

  private init(_ readers: [WriterThread<ProjectionReader>], ageLimit: Int64) {
    self.readers = readers
    self.ageLimit = ageLimit
    load = Mutex([Int](repeating: 0, count: readers.count))
  }

  /// Opens `count` connections. `ageLimit` is in milliseconds.
  static func open(
    path: String, account: String, count: Int, ageLimit: Int64
  ) async throws(StoreError) -> ReaderPool {
    var readers: [WriterThread<ProjectionReader>] = []
    do {
      for _ in 0..<max(count, 1) {
        readers.append(
          try await WriterThread.open(path: path, schema: ProjectionSchema.schema, options: .reader) {
            (connection) throws(StoreError) in
            try StoreError.fittingSchema { () throws(StoreError) in try ProjectionReader(connection, account: account) }
          })
      }
    } catch {
      for reader in readers { try await reader.close() }
      throw error
    }
    return ReaderPool(readers, ageLimit: ageLimit)
  }

  /// Runs a query on the connection with the fewest waiting. `isLong` lifts the limit: for work that reads the whole file.
  func read<Value: Sendable>(
    isLong: Bool = false, _ query: @escaping @Sendable (ProjectionReader) throws(StoreError) -> Value
  ) async throws(StoreError) -> Snapshot<Value> {
    let index = load.withLock { load in
      let index = load.indices.min { load[$0] < load[$1] } ?? 0
      load[index] += 1
      return index
    }
    defer { load.withLock { $0[index] -= 1 } }
    let limit = isLong ? nil : ageLimit
    return try await readers[index].perform { (reader) throws(StoreError) in
      try reader.snapshot(limit: limit, query)
    }
  }

  /// Finishes what was asked before and closes all connections.
  func close() async throws(StoreError) {
    for reader in readers { try await reader.close() }
  }
}
