import Synchronization

/// How the parallel workers of one node end their common output: a failure from upstream waits until the last of them
/// has delivered what it had in hand, so that it overtakes nothing.
@usableFromInline
final class WorkerEnds: Sendable {
  private struct State {
    var open: Int
    var failure: StageFailure?
  }

  private let state: Mutex<State>

  @usableFromInline
  init(count: Int) { state = Mutex(State(open: count)) }

  /// One worker is done with its writer.
  /// - Parameter isOwn: whether the node itself failed, rather than a node before it.
  @usableFromInline
  func finish<Output: Sendable>(_ writer: WriterPort<Output>, _ end: LinkEnd, isOwn: Bool) {
    let end = state.withLock { state -> LinkEnd in
      state.open -= 1
      if case .cancelled = end { return .cancelled }
      if case .failed(let failure) = end {
        if isOwn { return end }
        state.failure = failure
      }
      guard state.open == 0, let failure = state.failure else { return .finished }
      return .failed(failure)
    }
    writer.finish(end)
  }
}
