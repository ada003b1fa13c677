import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a merge came to.
enum MergeResult: Sendable {
  /// Committed; with the number of the transaction in which it wrote tracked rows, if it did.
  case merged(Int64?)
  /// The position was moved by somebody else: nothing was written.
  case lostRace
}

/// Takes back what was rehearsed.
private struct Rehearsed: Error {}

extension History {
  /// Moves the position and carries a plan out, in one transaction.
  func merge(_ plan: MergePlan, _ transactions: [HistoryTransaction], into targets: [MergeTarget]) async throws
    -> MergeResult
  {
    let thrown = ThrownError()
    let batch = plan.batch
    do throws(StoreError) {
      return try await writer.commit(weight: 64) { (recording) throws(StoreError) -> MergeResult in
        let isMine =
          try batch.isReplay
          ? recording.takeLetter(of: batch.author, plan.end)
          : recording.moveCursor(of: batch.author, from: batch.cursor, to: plan.end)
        guard isMine else { return .lostRace }
        let cause = plan.batch.transactions.last { $0.seq <= plan.end }?.seq
        let (_, seq) = try recording.record(author: batch.author, context: "merge", cause: cause) {
          (connection) throws(StoreError) in
          for write in plan.writes { try thrown.keep { try write.body(connection) } }
          guard !transactions.isEmpty else { return }
          for target in targets {
            if let projection = target.projection { try thrown.keep { try projection(connection, transactions) } }
          }
        }
        for rejected in plan.rejected {
          try recording.enterLetter(author: batch.author, seq: rejected.seq, attempts: 0, reason: rejected.reason)
        }
        // What was rehearsed is taken back.
        if batch.isRehearsal { try thrown.keep { throw Rehearsed() } }
        return .merged(seq)
      }
    } catch {
      if thrown.error is Rehearsed { return .merged(nil) }
      if let error = thrown.error { throw error }
      throw await explained(error)
    }
  }

  /// Moves the position past transactions that are given up on.
  ///
  /// - Returns: false when somebody else has moved it: nothing was written.
  func giveUp(
    _ author: String, from start: Int64, to end: Int64, letters: [(seq: Int64, attempts: Int, reason: String)]
  ) async throws(HistoryError) -> Bool {
    try await commit { (recording) throws(StoreError) in
      guard try recording.moveCursor(of: author, from: start, to: end) else { return false }
      for letter in letters {
        try recording.enterLetter(
          author: author, seq: letter.seq, attempts: letter.attempts, reason: letter.reason)
      }
      return true
    }
  }

  /// Moves the position.
  ///
  /// - Returns: false when somebody else has.
  func moveCursor(of author: String, from start: Int64, to end: Int64) async throws(HistoryError) -> Bool {
    try await giveUp(author, from: start, to: end, letters: [])
  }

  /// Cleans, unless the last cleaning of the file is not longer ago than `period`. Nil where it was not allowed.
  func clean(keeping: HistoryKeeping, atMostEvery period: Duration?) async throws(HistoryError) -> HistoryCleaning? {
    if let period {
      let last = try await read { (context) throws(StoreError) in
        try context.connection.prepare("SELECT cleaned_at FROM history_store").firstInt64() ?? 0
      }
      let elapsed = Date().milliseconds - last
      // A clock that was set back must not forbid it for good.
      if last > 0, elapsed >= 0, elapsed <= period.milliseconds { return nil }
    }
    let cleaning = try await clean(keeping: keeping)
    if cleaning.transactions > 0 {
      try await commit { (recording) throws(StoreError) in
        try recording.connection.execute("UPDATE history_store SET cleaned_at = \(RecordingTables.now)")
      }
    }
    return cleaning
  }
}

extension RecordingContext {
  /// - Returns: false when the position is not `start` any more.
  func moveCursor(of author: String, from start: Int64, to end: Int64) throws(StoreError) -> Bool {
    moveCursor.bind(author, at: 1)
    moveCursor.bind(start, at: 2)
    moveCursor.bind(end, at: 3)
    try moveCursor.run()
    return connection.changedRows == 1
  }

  func enterLetter(author: String, seq: Int64, attempts: Int, reason: String) throws(StoreError) {
    letter.bind(author, at: 1)
    letter.bind(seq, at: 2)
    letter.bind(Int64(attempts), at: 3)
    letter.bind(String(reason.prefix(2_000)), at: 4)
    try letter.run()
  }
}
