import Synchronization
import Weir
import WeirRadio

/// Sends one file, again where an attempt broke off: what has arrived before is not sent again.
///
/// A receiver that was in the middle of something hears of nothing new until it has given up waiting; one that was killed has to
/// come back first. Neither is a reason to give up at once.
final class SendAttempts: Sendable {
  private struct State {
    var isStopped = false
    var attempt: Task<FileTransferResult, Never>?
    var progressAt: Duration = .zero
    var fraction = 0.0
  }

  private let manager: FileTransferManager
  private let clock: GraphClock
  private let patience: Duration
  private let state = Mutex(State())

  /// - Parameter patience: for how long to try again without any progress.
  init(_ manager: FileTransferManager, clock: GraphClock, patience: Duration) {
    self.manager = manager
    self.clock = clock
    self.patience = patience
  }

  /// More has arrived.
  func progress(_ fraction: Double) {
    let now = clock.now
    state.withLock { state in
      guard fraction > state.fraction else { return }
      (state.fraction, state.progressAt) = (fraction, now)
    }
  }

  /// Gives up, in a way that the other end is told of.
  func stop() {
    let attempt = state.withLock { state in
      state.isStopped = true
      return state.attempt
    }
    attempt?.cancel()
  }

  /// Sends until it has arrived, or nothing has got on for too long.
  /// - Parameter again: told why an attempt broke off, before the next.
  func send(_ request: FileTransferSendRequest, again: @Sendable (FileTransferError) -> Void) async
    -> FileTransferResult
  {
    state.withLock { $0.progressAt = clock.now }
    while true {
      let attempt = Task { await manager.send(request) }
      let isStopped = state.withLock { state in
        state.attempt = attempt
        return state.isStopped
      }
      if isStopped { attempt.cancel() }
      let result = await attempt.value
      guard case .failure(let error) = result.outcome, Self.mayPass(error), result.refusal.map({ $0 == .busy }) ?? true
      else { return result }
      let (isOver, since) = state.withLock { ($0.isStopped, $0.progressAt) }
      if isOver || clock.now - since >= patience { return result }
      again(error)
      // A radio that refuses at once is not asked at once again.
      try? await clock.sleep(for: .seconds(1))
    }
  }

  private static func mayPass(_ error: FileTransferError) -> Bool {
    switch error {
    case .timeout, .retryExceeded, .busy: true
    default: false
    }
  }
}
