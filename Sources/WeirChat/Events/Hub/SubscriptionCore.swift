import Synchronization

/// The shared part of a subscription: its queue, and who waits for it.
final class SubscriptionCore: Sendable {
  private struct State {
    var queue: EventQueue
    var interest: Interest?
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var nextWaiter: UInt64 = 0
    var isEnded = false
    /// Cancelled by the reader: what waits is void. An ended hub lets the reader take what waits.
    var isCancelled = false
  }

  private let state: Mutex<State>

  init(limit: Int, interest: Interest?, isEnded: Bool) {
    state = Mutex(State(queue: EventQueue(limit: limit), interest: interest, isEnded: isEnded))
  }

  var count: Int { state.withLock { $0.queue.count } }
  var counters: EventQueue.Counters { state.withLock { $0.queue.counters } }
  var limit: Int { state.withLock { $0.queue.limit } }

  /// Changes what the reader wants to hear of, from now on.
  func setInterest(_ interest: Interest?) { state.withLock { $0.interest = interest } }

  /// Puts an event in line. The readers to wake up are added to `woken`, to be resumed outside of all locks.
  func offer(_ event: PublishedEvent, _ woken: inout [CheckedContinuation<Void, Never>]) {
    let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
      guard !state.isEnded else { return [] }
      if let interest = state.interest, !interest.isTouched(by: event.touch) { return [] }
      state.queue.push(event)
      return Self.takeWaiting(&state)
    }
    if !waiting.isEmpty { woken += waiting }
  }

  /// Makes void what waits.
  func void() { state.withLock { $0.queue.removeAll() } }

  /// Ends delivery: at once when the reader cancels, after what waits when the hub closes.
  func end(isCancelled: Bool) -> Bool {
    let (isFirst, waiting) = state.withLock { state in
      let isFirst = !state.isEnded || isCancelled && !state.isCancelled
      state.isEnded = true
      if isCancelled {
        state.isCancelled = true
        state.queue.removeAll()
      }
      return (isFirst, Self.takeWaiting(&state))
    }
    for continuation in waiting { continuation.resume() }
    return isFirst
  }

  /// What waits, without waiting.
  func takeAll() -> [EventEnvelope] {
    state.withLock { state in
      var all: [EventEnvelope] = []
      while let next = state.queue.pop() { all.append(next) }
      return all
    }
  }

  /// The next event; nil at the end and when the task is cancelled.
  func next() async -> EventEnvelope? {
    while true {
      enum Step {
        case event(EventEnvelope)
        case end
        case wait(UInt64)
      }
      let step: Step = state.withLock { state in
        if let event = state.queue.pop() { return .event(event) }
        if state.isEnded { return .end }
        state.nextWaiter &+= 1
        return .wait(state.nextWaiter)
      }
      switch step {
      case .event(let event): return event
      case .end: return nil
      case .wait(let id):
        await wait(as: id)
        if Task.isCancelled { return nil }
      }
    }
  }

  private func wait(as id: UInt64) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Looked at again, since an event may have come between the look before and this one.
        let isReady = state.withLock { state in
          if !state.queue.isEmpty || state.isEnded || Task.isCancelled { return true }
          state.waiting.append((id, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
      }
      continuation?.resume()
    }
  }

  private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    guard !state.waiting.isEmpty else { return [] }
    defer { state.waiting = [] }
    return state.waiting.map(\.continuation)
  }
}
