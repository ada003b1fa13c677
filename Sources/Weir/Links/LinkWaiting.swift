import Synchronization

/// How tasks park at a link. The unsafe part is the continuation: each is stored once under the lock and resumed once,
/// by whoever removes it from the state.
extension Link {
  @usableFromInline
  enum Side: Sendable { case writer, reader }

  /// Parks until there may be room for an element of `weight`. Not woken by task cancellation: the segment that drives
  /// the task closes the link when it is cancelled, and that wakes it.
  @inlinable
  nonisolated(nonsending) func waitForRoom(weight: Int) async {
    await withUnsafeContinuation { park($0, .writer, id: newWaiter(), weight: weight, cancellable: false) }
  }

  /// Parks until there may be elements. Woken as ``waitForRoom(weight:)``.
  @inlinable
  nonisolated(nonsending) func waitForElements() async {
    await withUnsafeContinuation { park($0, .reader, id: newWaiter(), weight: 0, cancellable: false) }
  }

  /// As ``waitForRoom(weight:)``, also woken by the cancellation of the waiting task.
  /// - Returns: false when the task was cancelled.
  @inlinable
  nonisolated(nonsending) func waitForRoomOrCancellation(weight: Int) async -> Bool {
    await parkCancellable(.writer, weight: weight)
  }

  /// As ``waitForElements()``, also woken by the cancellation of the waiting task.
  /// - Returns: false when the task was cancelled.
  @inlinable
  nonisolated(nonsending) func waitForElementsOrCancellation() async -> Bool {
    await parkCancellable(.reader, weight: 0)
  }

  /// Wakes whoever waits to read, so that it looks at the time or at its orders.
  func pokeReaders() {
    resume(
      state.withLock { state in
        let waiters = state.waitingReaders.takeAll()
        if waiters.isEmpty { state.poked = true }
        return waiters
      })
  }

  @inlinable
  func newWaiter() -> UInt64 { nextWaiter.add(1, ordering: .relaxed).oldValue }

  /// Keeps a continuation until there may be room, or elements; resumes it at once where there is nothing to wait for.
  @inlinable
  @inline(never)
  func park(
    _ continuation: UnsafeContinuation<Void, Never>, _ side: Side, id: UInt64, weight: Int, cancellable: Bool
  ) {
    // Only a link with an age limit looks at the time, and only for room.
    let stamp = side == .writer ? clock.now() : 0
    let parked = state.withLock { state -> Bool in
      // While an element is lent the end has not come yet, and nothing can be taken either.
      if state.readers == 0 || (state.end != nil && !(state.lent && side == .reader)) { return false }
      switch side {
      case .writer:
        if state.hasRoom(weight: weight, now: stamp) { return false }
        state.counters.waits &+= 1
        state.waitingWriters.append(LinkWaiter(id: id, continuation: continuation))
      case .reader:
        if !state.queue.isEmpty || state.poked {
          state.poked = false
          return false
        }
        state.waitingReaders.append(LinkWaiter(id: id, continuation: continuation))
      }
      return true
    }
    if !parked {
      continuation.resume()
    } else if cancellable && Task.isCancelled {
      // The handler may have run before the waiter was in the list; the flag is set before the handler runs.
      unpark(side, id: id)
    }
  }

  @inlinable
  nonisolated(nonsending) func parkCancellable(_ side: Side, weight: Int) async -> Bool {
    let id = newWaiter()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { park($0, side, id: id, weight: weight, cancellable: true) }
    } onCancel: {
      unpark(side, id: id)
    }
    guard Task.isCancelled else { return true }
    // A wake-up meant for this task must not be lost: another reader gets it.
    if side == .reader { wakeNextReader() }
    return false
  }

  @inlinable
  func wakeNextReader() {
    state.withLock { $0.count > 0 ? $0.waitingReaders.popFirst() : nil }?.continuation.resume()
  }

  @inlinable
  func unpark(_ side: Side, id: UInt64) {
    let waiter = state.withLock { state -> LinkWaiter? in
      switch side {
      case .writer: state.waitingWriters.remove { $0.id == id }
      case .reader: state.waitingReaders.remove { $0.id == id }
      }
    }
    waiter?.continuation.resume()
  }
}
