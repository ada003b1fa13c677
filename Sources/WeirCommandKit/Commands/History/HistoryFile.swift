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
    let answer: Result<HistoryCleaning, HistoryError>
    do throws(HistoryError) {
      let history = try await History.open(path, tracking: [])
      do throws(HistoryError) {
        answer = .success(try await history.clean())
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
    case .expired: "Leave --after out to begin with the first that is held."
    default: nil
    }
  }

  var exitCode: ExitCode {
    switch error.kind {
    case .expired: .noInput
    default: .dataRefused
    }
  }
}
