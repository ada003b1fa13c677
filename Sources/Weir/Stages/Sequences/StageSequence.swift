/// An AsyncSequence seen through a synchronous stage, outside any graph: no task, no link, no prefetch.
///
/// - Emits when: the stage does; one element of the base is asked for at a time, and only when nothing is left to emit.
/// - Waits when: the base does.
/// - Finishes when: the base does, after what the stage emits at its end; or when the stage wants no more, without
///   asking the base again. After the end, and after an error, `next` answers nil for ever.
/// - Cancels when: the iterator is dropped; a cancelled consumer is noticed by the base.
/// - Memory: what the stage holds and what it emits for one element.
/// - Errors: those of the base and of the stage, each after everything emitted before it. What the stage still holds when
///   the base fails is not emitted, as in a graph.
@frozen
public struct StageSequence<Base: AsyncSequence, S: Stage, Failures: FailurePair>: AsyncSequence
where Base.Element == S.Input, Failures.First == Base.Failure, Failures.Second == S.Failure {
  public typealias Element = S.Output
  public typealias Failure = Failures.Failure

  @usableFromInline let base: Base
  @usableFromInline let stage: S

  @inlinable
  init(_ base: Base, _ stage: S) {
    self.base = base
    self.stage = stage
  }

  /// Starts over: a new iteration of the base, a fresh copy of the stage.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator(), stage) }

  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil once nothing more is wanted of it.
    @usableFromInline var base: Base.AsyncIterator?
    @usableFromInline var stage: S
    @usableFromInline var outputs = OutputBuffer<S.Output>()
    /// To be thrown when `outputs` is empty.
    @usableFromInline var failure: Failures.Failure?

    @inlinable
    init(_ base: Base.AsyncIterator, _ stage: S) {
      self.base = base
      self.stage = stage
    }

    /// The next element; nil at the end and for ever after.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failures.Failure) -> S.Output? {
      while true {
        if let output = outputs.popFirst() { return output }
        if let failure = failure.take() { throw failure }
        if base == nil { return nil }
        if stage.demand > 0, let element = try await nextInput(isolation: actor) {
          process(element)
        } else if base != nil {
          base = nil
          finish()
        }
      }
    }

    @inlinable
    mutating func nextInput(
      isolation actor: isolated (any Actor)?
    ) async throws(Failures.Failure) -> S.Input? {
      do throws(Base.Failure) {
        return try await base?.next(isolation: actor)
      } catch {
        base = nil
        throw Failures.first(error)
      }
    }

    @inlinable
    mutating func process(_ element: S.Input) {
      do throws(S.Failure) {
        try stage.process(element) { outputs.append($0) }
      } catch {
        base = nil
        failure = Failures.second(error)
      }
    }

    @inlinable
    mutating func finish() {
      do throws(S.Failure) {
        try stage.finish { outputs.append($0) }
      } catch {
        failure = Failures.second(error)
      }
    }
  }
}

extension StageSequence: Sendable where Base: Sendable {}

/// What a stage has emitted and nobody has taken yet. The usual single element needs no array.
@frozen
@usableFromInline
struct OutputBuffer<Element> {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element] = []
  /// Position of the next element in `rest`.
  @usableFromInline var next = 0

  @inlinable init() {}

  @inlinable
  @inline(__always)
  mutating func append(_ element: Element) {
    if first == nil && rest.isEmpty { first = element } else { rest.append(element) }
  }

  @inlinable
  @inline(__always)
  mutating func popFirst() -> Element? {
    if let element = first.take() { return element }
    return rest.isEmpty ? nil : popRest()
  }

  @inlinable
  mutating func popRest() -> Element? {
    let element = rest[next]
    next &+= 1
    if next == rest.count {
      rest.removeAll(keepingCapacity: rest.count <= 1_024)
      next = 0
    }
    return element
  }
}

extension AsyncSequence {
  /// This sequence seen through a synchronous stage; see ``StageSequence``.
  /// - Throws: ``StageFaults`` at once when the stage's parameters make no sense.
  @inlinable
  public func via<S: Stage>(_ stage: S) throws(StageFaults) -> StageSequence<Self, S, NeitherFails>
  where S.Input == Element, Failure == Never, S.Failure == Never {
    try StageFaults.check(S.self, stage.faults)
    return StageSequence(self, stage)
  }

  /// This sequence seen through a synchronous stage; see ``StageSequence``.
  /// - Throws: ``StageFaults`` at once when the stage's parameters make no sense.
  @inlinable
  public func via<S: Stage>(_ stage: S) throws(StageFaults) -> StageSequence<Self, S, FirstFails<Failure>>
  where S.Input == Element, S.Failure == Never {
    try StageFaults.check(S.self, stage.faults)
    return StageSequence(self, stage)
  }

  /// This sequence seen through a synchronous stage; see ``StageSequence``.
  /// - Throws: ``StageFaults`` at once when the stage's parameters make no sense.
  @inlinable
  public func via<S: Stage>(_ stage: S) throws(StageFaults) -> StageSequence<Self, S, SecondFails<S.Failure>>
  where S.Input == Element, Failure == Never {
    try StageFaults.check(S.self, stage.faults)
    return StageSequence(self, stage)
  }

  /// This sequence seen through a synchronous stage; see ``StageSequence``.
  /// - Throws: ``StageFaults`` at once when the stage's parameters make no sense.
  @inlinable
  public func via<S: Stage>(_ stage: S) throws(StageFaults) -> StageSequence<Self, S, EitherFails<Failure, S.Failure>>
  where S.Input == Element {
    try StageFaults.check(S.self, stage.faults)
    return StageSequence(self, stage)
  }
}
