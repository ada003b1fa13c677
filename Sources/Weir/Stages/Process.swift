/// A step with a life of its own: it reads its input when it likes and sends when it likes. Bridges are processes.
///
/// Emits when `output.send` is called; waits in `send` while its link is full and in its input while nothing is there;
/// finishes when `run` returns; cancels its upstream when `run` returns before the input has ended.
public protocol Process<Input, Output>: GraphStage {
  associatedtype Input
  associatedtype Output
  /// Runs until the work is done. Called once a run.
  func run(_ input: ProcessInput<Input>, _ output: ProcessOutput<Output>) async throws
}

/// The input of a ``Process``: an AsyncSequence that may be iterated by one task at a time.
///
/// An element counts as handled when the next one is asked for.
public struct ProcessInput<Element: Sendable>: AsyncSequence, Sendable {
  @usableFromInline let state: ProcessInputState<Element>

  @usableFromInline
  init(_ state: ProcessInputState<Element>) { self.state = state }

  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(state: state) }

  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let state: ProcessInputState<Element>

    @inlinable
    init(state: ProcessInputState<Element>) { self.state = state }

    /// The next element; nil at the end and for ever after.
    /// - Throws: ``PortInterruption`` when upstream failed or the run was aborted.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PortInterruption) -> Element? {
      try await state.next()
    }
  }
}

/// The output of a ``Process``.
public struct ProcessOutput<Element: Sendable>: Sendable {
  @usableFromInline let port: WriterPort<Element>
  @usableFromInline let current: CurrentToken
  let node: NodeRun

  init(_ port: WriterPort<Element>, current: CurrentToken, node: NodeRun) {
    self.port = port
    self.current = current
    self.node = node
  }

  /// Waits for something outside the graph: until `wait` returns, the node counts as idle instead of busy.
  public nonisolated(nonsending) func idle<Value, Failure: Error>(
    while wait: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    port.segment.enterIdle()
    defer { node.enter() }
    return try await wait()
  }

  /// Sends one element, waiting for room.
  ///
  /// A drain does not lose what a source has in hand: it may send as many elements as a chunk holds after it has been
  /// interrupted, then it is told that nothing more is wanted.
  /// - Returns: false when nobody downstream wants more, a drained source has sent what it had, or the calling task was
  ///   cancelled while it waited: the element was not sent.
  @discardableResult
  public func send(_ element: Element) async -> Bool {
    if port.segment.isSourceStopped, current.countAfterStop() > port.segment.runContext.chunkSize { return false }
    return await deliver(element)
  }

  /// As ``send(_:)``, without an end to what may be sent after a drain.
  func deliver(_ element: Element) async -> Bool {
    let token = current.fork()
    while true {
      switch port.link.offer(element, token: token) {
      case .accepted:
        node.meter.countOut(1)
        node.showTaps(element)
        return true
      case .closed:
        token?.settle(.abandoned)
        return false
      case .full:
        port.segment.enterBlocked()
        let weight = port.link.weigh?(element) ?? 0
        if port.segment.isIntakeStopped {
          // A drain has interrupted the source, not the delivery of what it holds already.
          await port.link.waitForRoom(weight: weight)
          node.enter()
          continue
        }
        let goOn = await port.link.waitForRoomOrCancellation(weight: weight)
        node.enter()
        if !goOn && !port.segment.isIntakeStopped {
          token?.settle(.abandoned)
          return false
        }
      }
    }
  }
}
