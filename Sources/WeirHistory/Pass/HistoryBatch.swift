import Synchronization

/// One page of the history on its way through the hooks to the merge. Its source sends the next when this one is merged,
/// has failed, or was thrown away.
public struct HistoryBatch: Sendable {
  /// The transactions of others, in order.
  public let transactions: [HistoryTransaction]
  /// The position before.
  public let start: Int64
  /// The position after.
  public let end: HistoryToken
  /// Whose pass it is.
  public let author: String
  /// How often this batch has failed before.
  public let attempt: Int
  /// Whether this is only a rehearsal, made while the transaction before fails: hooks are asked and rows are written, and all
  /// of it is taken back. Observers and targets outside of the file hear nothing.
  public let isRehearsal: Bool
  /// Whether this is a dead letter that somebody asked for again: it is merged out of order, and the position stays.
  public let isReplay: Bool
  /// The position as the file has it: what a merge compares before it moves it.
  let cursor: Int64
  let ticket: BatchTicket

  /// Fails the batch: its source repeats it.
  func fail(_ error: any Error) { ticket.settle(.failed(error)) }
}

/// What became of a batch.
enum BatchOutcome: Sendable {
  /// Merged up to a position; what is left waits for the delay, if there is one.
  case merged(Int64, delay: Duration?)
  case failed(any Error)
  /// Another pass of the author has moved the position.
  case lostRace
  /// Nobody has the batch any more.
  case dropped

  var isMerged: Bool { if case .merged = self { true } else { false } }
}

/// Tells the source what became of its batch, once. Travels with the batch: when the last copy is gone, so is the batch.
final class BatchTicket: Sendable {
  private let promise: BatchPromise

  init(_ promise: BatchPromise) { self.promise = promise }

  deinit { promise.settle(.dropped) }

  func settle(_ outcome: BatchOutcome) { promise.settle(outcome) }
}

/// The source's side of a ticket.
final class BatchPromise: Sendable {
  private struct State {
    var outcome: BatchOutcome?
    var waiting: CheckedContinuation<BatchOutcome, Never>?
  }

  private let state = Mutex(State())

  func settle(_ outcome: BatchOutcome) {
    let waiting = state.withLock { state -> CheckedContinuation<BatchOutcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }

  /// Waits for the outcome, also when the task is cancelled: a drained run lets the batch end, an aborted one drops it.
  func outcome() async -> BatchOutcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiting = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
