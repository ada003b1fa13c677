import WeirChat
import WeirStore

/// Looks into a store's file and leaves it, and its folder, as they are.
///
/// Beside a writer it shares the writer's log, in one snapshot. When nobody has the file open, it is read without locks;
/// should somebody begin to write meanwhile, what was read is thrown away and read again.
struct StoreLook: Sendable {
  /// Tries to find the file at rest before giving up.
  private static let attempts = 5

  let path: String

  /// Asks all of `query` of one snapshot.
  /// - Throws: ``InspectError``, ``StoreFailure``.
  func ask<Value: Sendable>(
    _ query: @escaping @Sendable (ProjectionView) throws(StoreError) -> Value
  ) async throws -> Value {
    do {
      return try await still { await answer(query) }.get()
    } catch let error as StoreError {
      throw StoreFailure(path: path, error: error, isReading: true)
    }
  }

  /// An answer that was found while the file was one and the same.
  /// - Throws: ``InspectError``.
  func still<Value, Failure>(
    _ answer: () async -> Result<Value, Failure>
  ) async throws -> Result<Value, Failure> {
    for _ in 0..<Self.attempts {
      let before = try demandFile()
      let answer = await answer()
      let after = try demandFile()
      // With a log there are locks and snapshots, else only stillness makes what was read right.
      if before.hasLog && after.hasLog || before == after { return answer }
    }
    throw InspectError.changing(path: path)
  }

  private func answer<Value: Sendable>(
    _ query: @escaping @Sendable (ProjectionView) throws(StoreError) -> Value
  ) async -> Result<Value, StoreError> {
    do throws(StoreError) {
      let follower = try await ProjectionFollower.open(path: path, leavesNoTrace: true)
      let answer: Result<Value, StoreError>
      do throws(StoreError) {
        answer = .success(try await follower.snapshot(query).value)
      } catch {
        answer = .failure(error)
      }
      try await follower.close()
      return answer
    } catch {
      return .failure(error)
    }
  }

  private struct Standing: Equatable {
    let status: OpenFile.Status
    let hasLog: Bool
  }

  private func demandFile() throws(InspectError) -> Standing {
    let status: OpenFile.Status
    do {
      status = try OpenFile.status(of: path)
    } catch {
      throw error == .noSuchFile ? .missing(path: path) : .unreadable(path: path)
    }
    guard status.isRegular else { throw .notAFile(path: path) }
    guard OpenFile.isReadable(path) else { throw .unreadable(path: path) }
    let hasLog = (try? OpenFile.status(of: path + "-wal")) != nil
    if status.size == 0, !hasLog { throw .empty(path: path) }
    return Standing(status: status, hasLog: hasLog)
  }
}
