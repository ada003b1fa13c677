import WeirHistory

/// A file with a history, looked into without leaving a trace.
struct HistoryFile: Sendable {
  let path: String

  /// Asks `question` of the file.
  /// - Throws: ``InspectError``, ``HistoryFailure``, ``StoreFailure``.
  func ask<Value: Sendable>(
    _ question: @Sendable (HistoryLook) async throws(HistoryError) -> Value
  ) async throws -> Value {
    let answer: Result<Value, HistoryError> = try await StoreLook(path: path).still {
      do throws(HistoryError) {
        let look = try await HistoryLook.open(path)
        let answer: Result<Value, HistoryError>
        do throws(HistoryError) {
          answer = .success(try await question(look))
        } catch {
          answer = .failure(error)
        }
        await look.close()
        return answer
      } catch {
        return .failure(error)
      }
    }
    return try reported { () throws(HistoryError) in try answer.get() }
  }

  /// Deletes what may go. Opens the file for writing, as the programs that record it do.
  /// - Throws: ``HistoryFailure``, ``StoreFailure``.
  func clean() async throws -> HistoryCleaning {
    try await change { (history) async throws(HistoryError) in try await history.clean() }
  }

  /// Asks for a dead letter once more. Opens the file for writing.
  /// - Throws: ``HistoryFailure``, ``StoreFailure``.
  func replay(_ seq: Int64) async throws -> [HistoryDeadLetter] {
    try await change { (history) async throws(HistoryError) in try await history.replayDeadLetter(seq) }
  }

  private func change<Value: Sendable>(
    _ body: @Sendable (History) async throws(HistoryError) -> Value
  ) async throws -> Value {
    let answer: Result<Value, HistoryError>
    do throws(HistoryError) {
      let history = try await History.open(path, tracking: [])
      do throws(HistoryError) {
        answer = .success(try await body(history))
      } catch {
        answer = .failure(error)
      }
      await history.close()
    } catch {
      answer = .failure(error)
    }
    return try reported { () throws(HistoryError) in try answer.get() }
  }

  private func reported<Value>(_ body: () throws(HistoryError) -> Value) throws -> Value {
    do throws(HistoryError) {
      return try body()
    } catch {
      if let store = error.store { throw StoreFailure(path: path, error: store, isReading: true) }
      throw HistoryFailure(error: error)
    }
  }
}

/// What is wrong with a history, as the end of a command.
struct HistoryFailure: CommandError {
  let error: HistoryError

  var code: String { error.code }
  var message: String { printable(error.detail) }

  var remedy: String? {
    switch error.kind {
    case .notRecorded: "A program begins to record with History.open(_:tracking:)."
    case .unknownDeadLetter: "'weir history STORE' lists the dead letters."
    case .expired: "Leave --after out to begin with the first that is held."
    default: nil
    }
  }

  var exitCode: ExitCode {
    switch error.kind {
    case .expired, .purged, .unknownDeadLetter: .noInput
    default: .dataRefused
    }
  }
}
