import Synchronization

/// Brings completions to the main actor, one after another, in the order in which the calls ended (receiving spec §3,
/// invariant 19).
///
/// A handler is a synchronous function, so it can start other requests but cannot wait for them.
/// Memory: one entry for each completion that has not been handled.
public final class CompletionLine: Sendable {
  private struct State {
    var line: [@MainActor @Sendable () -> Void] = []
    var waiting: CheckedContinuation<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// An empty line.
  public init() {}

  /// Has `handler` called on the main actor when `request` has ended.
  public func deliver<Value>(
    _ request: Request<Value>, to handler: @escaping @MainActor @Sendable (RequestOutcome<Value>) -> Void
  ) {
    request.onCompletion { [self] outcome in append { handler(outcome) } }
  }

  /// Handles completions until the line is closed and empty, or the task is cancelled. Run it once, in a task of the
  /// application's.
  @MainActor
  public func run() async {
    while !Task.isCancelled {
      let (line, isClosed) = state.withLock { state in
        defer { state.line = [] }
        return (state.line, state.isClosed)
      }
      for handle in line { handle() }
      if line.isEmpty {
        if isClosed { return }
        await wait()
      }
    }
  }

  /// Lets ``run()`` return once what is in the line has been handled.
  public func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return Self.takeWaiting(&state)
    }
    waiting?.resume()
  }

  private func append(_ handle: @escaping @MainActor @Sendable () -> Void) {
    let waiting = state.withLock { state in
      state.line.append(handle)
      return Self.takeWaiting(&state)
    }
    waiting?.resume()
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if !state.line.isEmpty || state.isClosed || Task.isCancelled { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { Self.takeWaiting(&$0) }?.resume()
    }
  }

  private static func takeWaiting(_ state: inout State) -> CheckedContinuation<Void, Never>? {
    defer { state.waiting = nil }
    return state.waiting
  }
}
