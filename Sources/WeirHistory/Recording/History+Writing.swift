import Synchronization
import WeirStore

extension History {
  /// Runs `body` in one write transaction, which is recorded under `author`, and returns after the COMMIT.
  ///
  /// Callers that write at once share a commit, each with a transaction of the history of its own. A transaction that
  /// changes no tracked row leaves no trace.
  ///
  /// - Parameters:
  ///   - author: who writes: the role of the process, as `app` or `ext.notify`. One that is not registered is entered as
  ///     ``HistoryRole/writeOnly``.
  ///   - context: what the writer calls it, if anything.
  ///   - cause: the transaction whose handling makes this one necessary, so that loops can be told.
  ///   - body: the statements, on the writer's connection. It must not begin or end a transaction, nor keep the connection.
  ///     What it runs often it takes from `Connection.cached`: compiling a statement takes longer than running it, the more so
  ///     with triggers.
  /// - Returns: what `body` returns.
  /// - Throws: ``HistoryError`` of kind `store`, or what `body` throws. Either way nothing of the transaction stays.
  @discardableResult
  public func write<Value: Sendable>(
    as author: String, context: String? = nil, cause: Int64? = nil, durability: Durability? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await recorded(as: author, context: context, cause: cause, durability: durability, body).value
  }

  /// As ``write(as:context:cause:durability:_:)``, and tells the number of the transaction: nil where it changed no tracked
  /// row.
  public func recorded<Value: Sendable>(
    as author: String, context: String? = nil, cause: Int64? = nil, durability: Durability? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> (value: Value, seq: Int64?) {
    let thrown = ThrownError()
    do throws(StoreError) {
      return try await writer.commit(durability: durability) { (recording) throws(StoreError) in
        try recording.record(author: author, context: context, cause: cause) { (connection) throws(StoreError) in
          try thrown.keep { try body(connection) }
        }
      }
    } catch {
      if let error = thrown.error { throw error }
      throw await explained(error)
    }
  }

  /// What a failure of the store means, with what of the file is at fault.
  func explained(_ error: StoreError) async -> HistoryError {
    let plain = HistoryError(error)
    guard plain.kind == .recursingTrigger else { return plain }
    // By now there may be others than when the file was opened.
    let found = try? await reader.perform { (context) throws(StoreError) in
      try TriggerRecursion.all(on: context.connection)
    }
    guard let found, !found.isEmpty else { return plain }
    return HistoryError(.recursingTrigger, found.map(\.description).joined(separator: "; "))
  }
}

/// Carries what a user's closure throws through code that throws failures of the store only.
final class ThrownError: Sendable {
  private let kept = Mutex<(any Error)?>(nil)

  /// What was thrown, if it was no failure of the store.
  var error: (any Error)? { kept.withLock { $0 } }

  func keep<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch {
      kept.withLock { $0 = error }
      throw StoreError(.invalidInput, "\(error)")
    }
  }
}
