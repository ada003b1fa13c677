import Synchronization

/// Bytes in one direction: whoever writes waits for room, whoever reads for bytes. Either side may also be a thread that must
/// not wait.
final class BytePipe: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var loss: RadioError?
    var nextKey: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [:] }
      return Array(waiters.values)
    }
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let onChange: (@Sendable () -> Void)?

  /// - Parameter onChange: told after each call that is not a thread's own; must not wait.
  init(capacity: Int, onChange: (@Sendable () -> Void)? = nil) {
    self.capacity = max(1, capacity)
    self.onChange = onChange
  }

  func read() async throws -> [UInt8] {
    while true {
      try Task.checkCancellation()
      let (bytes, loss) = change { state -> ([UInt8], RadioError?) in
        defer { state.bytes = [] }
        return (state.bytes, state.loss)
      }
      if !bytes.isEmpty {
        onChange?()
        return bytes
      }
      if let loss { throw loss }
      await wait { !$0.bytes.isEmpty }
    }
  }

  func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      try Task.checkCancellation()
      let (count, loss) = change { Self.push(rest, $0.loss, &$0.bytes, capacity) }
      if let loss { throw loss }
      rest = rest.dropFirst(count)
      if count > 0 {
        onChange?()
      } else {
        await wait { [capacity] in $0.bytes.count < capacity }
      }
    }
  }

  /// Puts in what there is room for, without waiting.
  func push(_ bytes: ArraySlice<UInt8>) -> Int { change { Self.push(bytes, $0.loss, &$0.bytes, capacity).0 } }

  /// Takes out what `consume` uses of the bytes, without waiting.
  func pull(_ consume: (UnsafeBufferPointer<UInt8>) -> Int) {
    change { state in
      let used = state.bytes.withUnsafeBufferPointer(consume)
      state.bytes.removeFirst(min(max(0, used), state.bytes.count))
    }
  }

  var isEmpty: Bool { state.withLock { $0.bytes.isEmpty } }
  var room: Int { state.withLock { max(0, capacity - $0.bytes.count) } }
  var isClosed: Bool { state.withLock { $0.loss != nil } }

  /// Lets nothing more in; what is there can still be read.
  func close(_ error: RadioError) { change { if $0.loss == nil { $0.loss = error } } }

  private static func push(
    _ bytes: ArraySlice<UInt8>, _ loss: RadioError?, _ buffer: inout [UInt8], _ capacity: Int
  ) -> (Int, RadioError?) {
    guard loss == nil else { return (0, loss) }
    let part = bytes.prefix(max(0, capacity - buffer.count))
    buffer += part
    return (part.count, nil)
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, waiters) = state.withLock { state in
      let before = (state.bytes.count, state.loss == nil)
      let result = body(&state)
      return (result, before == (state.bytes.count, state.loss == nil) ? [] : state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return result
  }

  /// Waits for a change; returns at once when the condition holds, the pipe is closed or the task cancelled.
  private func wait(until condition: @Sendable (borrowing State) -> Bool) async {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let passes = state.withLock { state in
          if condition(state) || state.loss != nil || Task.isCancelled { return true }
          state.waiters[key] = continuation
          return false
        }
        if passes { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: key) }?.resume()
    }
  }
}
