/// An asynchronous sequence that the test feeds by hand, one element for every `next` that waits for one.
///
/// - Emits when the test sends and a consumer is waiting; it never holds an element that nobody asked for.
/// - Waits when there is no demand: ``send(_:)`` suspends.
/// - Finishes when the test calls ``finish()`` or ``fail(_:)``; a failure is delivered to one `next`, then nil for ever.
/// - Cancelling the consuming task ends its `next` with nil at once and is counted; no element is lost by it, since an
///   element handed over is always returned.
///
/// Several iterators may be made; they share the elements in the order in which they ask. Starts no task.
public final class SourceProbe<Element: Sendable>: AsyncSequence, Sendable {
  /// What ``fail(_:)`` was given.
  public typealias Failure = any Error

  private let region = ConditionalRegion(SourceProbeState<Element>())

  /// Makes an open source.
  public init() {}

  /// How many `next` calls are waiting for an element right now.
  public var demand: Int { region.read(\.demand) }

  /// How many elements have been asked for so far.
  public var requested: Int { region.read(\.requested) }

  /// How many elements have been taken so far.
  public var delivered: Int { region.read(\.delivered) }

  /// How many `next` calls ended because their task was cancelled.
  public var cancellations: Int { region.read(\.cancellations) }

  /// How many iterators have been made.
  public var iteratorsMade: Int { region.read(\.iteratorsMade) }

  /// How many iterators have been destroyed.
  public var iteratorsDestroyed: Int { region.read(\.iteratorsDestroyed) }

  // MARK: The test's side

  /// Waits until a consumer asks, and hands it `element`.
  ///
  /// - Throws: `ProbeError.sourceEnded` after the end, `ProbeError.consumerGone` when all iterators are destroyed, and
  ///   `CancellationError` when this task is cancelled first; the element was not delivered then.
  public func send(_ element: Element, isolation: isolated (any Actor)? = #isolation) async throws {
    try await region.wait { $0.offer(element) }.get()
  }

  /// Sends `elements` one after the other.
  ///
  /// - Throws: as ``send(_:isolation:)``; the elements before were delivered.
  public func send(
    contentsOf elements: some Sequence<Element>, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    for element in elements { try await send(element) }
  }

  /// Hands over `element` only if a consumer is waiting for it; tells whether it did.
  public func offer(_ element: Element) -> Bool {
    region.update { state in
      if case .success = state.offer(element) { true } else { false }
    }
  }

  /// Waits until at least `count` `next` calls are waiting.
  ///
  /// - Throws: `CancellationError` when this task is cancelled first.
  public func waitForDemand(_ count: Int = 1, isolation: isolated (any Actor)? = #isolation) async throws {
    try await region.wait { $0.demand >= count ? () : nil }
  }

  /// Waits until `count` iterators have been destroyed: the upstream was released.
  ///
  /// - Throws: `CancellationError` when this task is cancelled first.
  public func waitForRelease(_ count: Int = 1, isolation: isolated (any Actor)? = #isolation) async throws {
    try await region.wait { $0.iteratorsDestroyed >= count ? () : nil }
  }

  /// Ends the sequence normally. Ending twice does nothing.
  public func finish() {
    region.update { $0.end(.finished) }
  }

  /// Ends the sequence with `error`. Ending twice does nothing.
  public func fail(_ error: any Error) {
    region.update { $0.end(.failed(error)) }
  }

  // MARK: The consumer's side

  /// Makes an iterator, counted in ``iteratorsMade``.
  public func makeAsyncIterator() -> Iterator {
    Iterator(region: region)
  }

  /// Asks for one element at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private let region: ConditionalRegion<SourceProbeState<Element>>
    private let lifetime: Lifetime

    fileprivate init(region: ConditionalRegion<SourceProbeState<Element>>) {
      self.region = region
      lifetime = Lifetime(region: region)
    }

    /// Asks for one element and waits for it: nil at the end and when the task is cancelled.
    ///
    /// - Throws: the error given to ``SourceProbe/fail(_:)``, once.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      guard !Task.isCancelled else {
        region.update { $0.refuseNext() }
        return nil
      }
      let delivery: SourceProbeState<Element>.Delivery
      do {
        delivery = try await region.wait(
          isolation: actor, enter: { $0.beginNext() }, leave: { $0.cancelNext() }, { $0.takeNext() })
      } catch {
        return nil
      }
      switch delivery {
      case .element(let element): return element
      case .end: return nil
      case .failure(let error): throw error
      }
    }

    /// The same, for callers without isolation.
    public mutating func next() async throws -> Element? {
      try await next(isolation: nil)
    }
  }

  /// Lives as long as the iterator and its copies.
  private final class Lifetime: Sendable {
    private let region: ConditionalRegion<SourceProbeState<Element>>

    init(region: ConditionalRegion<SourceProbeState<Element>>) {
      self.region = region
      region.update { $0.makeIterator() }
    }

    deinit {
      region.update { $0.destroyIterator() }
    }
  }
}
