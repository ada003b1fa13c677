/// The error thrown by an input diagram at `^`.
public struct MarbleFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Makes the error.
  public init() {}

  /// A stable word for the kind of failure.
  public var code: String { "marble-failure" }

  /// Says where it comes from.
  public var description: String { "the failure written as '^' in an input diagram" }
}

/// A source that plays an input diagram against the virtual clock.
///
/// - Emits each value at its tick to whoever waits for it; one who comes later gets it at once, so nothing is lost.
/// - Finishes or fails at its tick, and returns nil from then on; a diagram without an end never ends.
/// - A cancelled consumer gets nil at once.
///
/// Every iterator plays the diagram from the beginning.
public struct MarbleInput: AsyncSequence, Sendable {
  /// The text of a value.
  public typealias Element = String
  /// What `^` throws.
  public typealias Failure = MarbleFailure

  /// What it plays.
  public let diagram: MarbleDiagram
  /// The clock that counts its ticks.
  public let clock: VirtualClock

  /// Makes a source that plays `diagram`, whose tick 0 is the start of `clock`.
  public init(_ diagram: MarbleDiagram, clock: VirtualClock) {
    self.diagram = diagram
    self.clock = clock
  }

  /// Starts the diagram from its beginning; what lies in the past comes at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(remaining: diagram.entries[...], clock: clock)
  }

  /// The position in the diagram.
  public struct Iterator: AsyncIteratorProtocol {
    var remaining: ArraySlice<MarbleDiagram.Entry>
    let clock: VirtualClock
    var hasEnded = false

    /// Waits for the next event of the diagram: nil at its finish, after any end, and when the task is cancelled.
    ///
    /// - Throws: ``MarbleFailure`` at `^`, once.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(MarbleFailure) -> String? {
      guard !hasEnded, await waitForNextEntry(isolation: actor), let entry = remaining.popFirst() else { return nil }
      switch entry.event {
      case .value(let text):
        return text
      case .failure:
        hasEnded = true
        throw MarbleFailure()
      case .finish, .cancel, .delay:
        hasEnded = true
        return nil
      }
    }

    /// The same, for callers without isolation.
    public mutating func next() async throws(MarbleFailure) -> String? {
      try await next(isolation: nil)
    }

    /// False when the task was cancelled first.
    private func waitForNextEntry(isolation actor: isolated (any Actor)?) async -> Bool {
      do {
        guard let entry = remaining.first else {
          // Nothing more will ever come: only cancellation ends this wait.
          try await ConditionalRegion(false).wait { $0 ? () : nil }
          return false
        }
        let instant = Marble.instant(ofTick: entry.tick)
        if clock.now < instant { try await clock.sleep(until: instant) }
        return !Task.isCancelled
      } catch {
        return false
      }
    }
  }
}
