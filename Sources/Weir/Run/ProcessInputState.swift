import Synchronization

/// The settlement token of the element a process is working on: what it sends meanwhile is a consequence of it.
@usableFromInline
final class CurrentToken: Sendable {
  private let token = Mutex<Settlement?>(nil)

  private let sentAfterStop = Atomic<Int>(0)

  /// Counts an element that a source sends after it was told to stop.
  func countAfterStop() -> Int { sentAfterStop.add(1, ordering: .relaxed).newValue }

  func fork() -> Settlement? {
    token.withLock { token in
      token?.fork(1)
      return token
    }
  }

  /// The element of before has been handled.
  func replace(with next: Settlement?, settling outcome: Outcome) {
    let before = token.withLock { token in
      let before = token
      token = next
      return before
    }
    before?.settle(outcome)
  }
}

/// The reading side of a process: single elements out of chunks.
@usableFromInline
final class ProcessInputState<Element: Sendable>: @unchecked Sendable {
  // Safety: `chunk` and `ended` are used only by the task that iterates the input; the protocol allows one at a time.
  private var chunk = Chunk<Element>()
  private var ended = false
  private let reader: ChunkReader<Element>
  private let current: CurrentToken
  private let node: NodeRun

  init(_ reader: ChunkReader<Element>, current: CurrentToken, node: NodeRun) {
    self.reader = reader
    self.current = current
    self.node = node
  }

  @usableFromInline
  func next() async throws(PortInterruption) -> Element? {
    current.replace(with: nil, settling: .stored)
    while true {
      if let (element, token) = chunk.popFirstTracked() {
        current.replace(with: token, settling: .stored)
        node.meter.countIn(1)
        return element
      }
      if ended { return nil }
      var next = Chunk<Element>()
      swap(&next, &chunk)
      do throws(PortInterruption) {
        let more = try await reader.pull(&next, .max)
        swap(&next, &chunk)
        node.enter()
        if !more { ended = true }
      } catch {
        ended = true
        node.enter()
        throw error
      }
    }
  }

  /// - Parameter outcome: what became of the element in hand.
  func close(settling outcome: Outcome) {
    ended = true
    current.replace(with: nil, settling: outcome)
    chunk.settleAll(.abandoned)
    reader.close()
  }
}
