import Synchronization

/// Hands events to any number of listeners, none of which can hold up a pass: each keeps the newest 256 it has not taken.
final class HistoryEvents: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: AsyncStream<HistoryEvent>.Continuation] = [:]
  }

  private let state = Mutex(State())

  func tell(_ event: HistoryEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  /// What happens from now on.
  func stream() -> AsyncStream<HistoryEvent> {
    let (stream, listener) = AsyncStream.makeStream(of: HistoryEvent.self, bufferingPolicy: .bufferingNewest(256))
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
    listener.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) } }
    return stream
  }

  deinit {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }
}
