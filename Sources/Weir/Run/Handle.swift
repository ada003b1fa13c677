import Synchronization

/// A typed name for something that exists only while a blueprint runs. The run resolves it: `try live[handle]`.
public struct Handle<Value: Sendable>: Sendable, Hashable {
  @usableFromInline let id: Int

  @usableFromInline
  init(_ id: Int) { self.id = id }
}

/// The value a sink has gathered so far; final once the run has ended.
public final class RunResult<Value: Sendable>: Sendable {
  @usableFromInline let state: Mutex<Value>

  @usableFromInline
  init(_ value: Value) { state = Mutex(value) }

  /// The value at this moment.
  public var value: Value { state.withLock { $0 } }

  @inlinable
  func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}

/// An outlet that has left its graph: an AsyncSequence fed by a running graph.
public struct OutletSequence<Element: Sendable>: AsyncSequence, Sendable {
  @usableFromInline let link: Link<Element>

  @usableFromInline
  init(_ link: Link<Element>) { self.link = link }

  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(link) }

  /// Leaving the graph early (``close()``, or letting the last iterator go) cancels upstream.
  public func close() { link.closeReader() }

  /// Takes elements out of the link, one by one.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let state: LinkIteratorState<Element>

    @inlinable
    init(_ link: Link<Element>, keeping owner: (any Sendable)? = nil) {
      state = LinkIteratorState(link, keeping: owner)
    }

    /// The next element; nil at the end, when cancelled, and for ever after.
    /// - Throws: ``PortInterruption/failed(_:)`` when the graph failed upstream, or with ``SequenceInUse`` when this is
    ///   not the first iterator.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PortInterruption) -> Element? {
      if let element = state.pop() { return element }
      return try await state.next()
    }
  }
}

/// Single elements out of a link, for iterators. Leaves the link when it goes away.
@usableFromInline
final class LinkIteratorState<Element: Sendable>: @unchecked Sendable {
  // Safety: `chunk` and `ended` are used only by the task that iterates; an iterator is used by one task at a time. No
  // two accesses can overlap, so none is checked.
  @exclusivity(unchecked) @usableFromInline var chunk = Chunk<Element>()
  @exclusivity(unchecked) @usableFromInline var ended = false
  /// Whether another iterator came first: two would tear the elements apart.
  @usableFromInline var isSecond: Bool
  @usableFromInline let link: Link<Element>

  /// Most elements taken out of the link at once.
  @usableFromInline static var atOnce: Int { 64 }

  /// Kept alive as long as the iterator is.
  @usableFromInline let owner: (any Sendable)?

  @inlinable
  init(_ link: Link<Element>, keeping owner: (any Sendable)? = nil) {
    self.link = link
    self.owner = owner
    isSecond = !link.iterated.take()
    ended = isSecond
  }

  @inlinable
  deinit {
    chunk.settleAll(.abandoned)
    if !ended { link.closeReader() }
  }

  /// An element counts as stored when the consumer has got it; what it leaves behind is abandoned.
  @inlinable
  func pop() -> Element? {
    guard chunk.hasTokens else { return chunk.popFirst() }
    guard let (element, token) = chunk.popFirstTracked() else { return nil }
    token?.settle(.stored)
    return element
  }

  @inlinable
  nonisolated(nonsending) func next() async throws(PortInterruption) -> Element? {
    if let element = pop() { return element }
    if ended { return try over() }
    do throws(PortInterruption) {
      if try await link.receive(into: &chunk, limit: Self.atOnce) { return pop() }
    } catch {
      ended = true
      link.closeReader()
      if case .failed = error { throw error }
      return nil
    }
    ended = true
    return nil
  }

  /// After the end; the first call on a second iterator says why it gets nothing.
  @usableFromInline
  func over() throws(PortInterruption) -> Element? {
    guard isSecond else { return nil }
    isSecond = false
    throw .failed(StageFailure(node: link.state.withLock { $0.name }, cause: SequenceInUse()))
  }
}

/// A sequence that feeds one consumer was iterated a second time.
public struct SequenceInUse: CodedError, CustomStringConvertible {
  public let code = "sequence-in-use"
  public var description: String {
    "the sequence already has an iterator, and two would share its elements between them; broadcast, or subscribe twice"
  }
}
