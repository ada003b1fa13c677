/// A consumer that pulls exactly what the test asks for; made by ``withSinkProbe(over:isolation:_:)``.
public final class SinkProbe<Element: Sendable>: Sendable {
  let region = ConditionalRegion(SinkProbeState<Element>())

  init() {}

  /// Everything received so far, whether or not the test was given it yet.
  public var received: [Element] { region.read(\.received) }

  /// How many elements have been asked for so far.
  public var requested: Int { region.read(\.requested) }

  /// How the sequence ended; nil while it has not.
  public var ending: SinkEnding? { region.read(\.ending) }

  /// Asks for `count` more elements without waiting for them; they show in ``received``.
  public func demand(_ count: Int) {
    region.update { $0.demand(count) }
  }

  /// Asks for the next `count` elements and waits for all of them. Elements that ``demand(_:)`` asked for and that were not
  /// yet given count.
  ///
  /// - Throws: `ProbeError.endedEarly`, `.failedEarly` or `.sinkCancelled` when the sequence is over before that, and
  ///   `CancellationError` when this task is cancelled.
  @discardableResult
  public func request(_ count: Int, isolation: isolated (any Actor)? = #isolation) async throws -> [Element] {
    let elements = try await region.wait(enter: { $0.demandUnread(count) }, { $0.take(count) })
    guard elements.count < count else { return elements }
    let described = elements.map { "\($0)" }
    switch ending {
    case .failed(let error): throw ProbeError.failedEarly(requested: count, received: described, error: error)
    case .cancelled: throw ProbeError.sinkCancelled
    case .finished, nil: throw ProbeError.endedEarly(requested: count, received: described)
    }
  }

  /// Asks for one element: nil at the end of the sequence.
  ///
  /// - Throws: the error of the sequence, `ProbeError.sinkCancelled`, or `CancellationError` when this task is cancelled.
  public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Element? {
    if let element = try await region.wait(enter: { $0.demandUnread(1) }, { $0.take(1) }).first { return element }
    switch ending {
    case .failed(let error): throw error
    case .cancelled: throw ProbeError.sinkCancelled
    case .finished, nil: return nil
    }
  }

  /// Asks once more and expects the sequence to finish.
  ///
  /// - Throws: `ProbeError.unexpectedElement`, `.unexpectedFailure` or `.sinkCancelled`.
  public func expectEnd(isolation: isolated (any Actor)? = #isolation) async throws {
    switch try await outcome() {
    case .finished: return
    case .failed(let error): throw ProbeError.unexpectedFailure(error)
    case .cancelled: throw ProbeError.sinkCancelled
    }
  }

  /// Asks once more, expects the sequence to fail, and returns its error.
  ///
  /// - Throws: `ProbeError.unexpectedElement`, `.unexpectedEnd` or `.sinkCancelled`.
  @discardableResult
  public func expectFailure(isolation: isolated (any Actor)? = #isolation) async throws -> any Error {
    switch try await outcome() {
    case .finished: throw ProbeError.unexpectedEnd
    case .failed(let error): return error
    case .cancelled: throw ProbeError.sinkCancelled
    }
  }

  /// Asks once more, expects the sequence to fail with an error of type `type`, and returns it.
  ///
  /// - Throws: as ``expectFailure(isolation:)``, and `ProbeError.unexpectedFailure` for an error of another type.
  @discardableResult
  public func expectFailure<Expected: Error>(
    as type: Expected.Type, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Expected {
    let error = try await expectFailure()
    guard let expected = error as? Expected else { throw ProbeError.unexpectedFailure(error) }
    return expected
  }

  /// Cancels the consuming task, also in the middle of a pull, waits until it has left the sequence and its iterator is
  /// destroyed, and returns how the sequence took it. Cancelling twice does nothing more.
  @discardableResult
  public func cancel(isolation: isolated (any Actor)? = #isolation) async throws -> SinkEnding {
    region.update { $0.close() }
    return try await region.wait { $0.ending }
  }

  private func outcome(isolation: isolated (any Actor)? = #isolation) async throws -> SinkEnding {
    let element = try await region.wait(enter: { $0.demandUnread(1) }, { $0.take(1) }).first
    if let element { throw ProbeError.unexpectedElement("\(element)") }
    return ending ?? .finished
  }

  /// Pulls what is asked for until the sequence or the sink ends. The ending is published after the iterator is gone.
  func pump<Base: AsyncSequence>(_ sequence: Base) async where Base.Element == Element {
    let ending = await pull(sequence)
    region.update { $0.end(ending) }
  }

  private func pull<Base: AsyncSequence>(_ sequence: Base) async -> SinkEnding where Base.Element == Element {
    var iterator = sequence.makeAsyncIterator()
    do {
      // The wait fails only when this task is cancelled, which is how the sink leaves the sequence alone.
      while (try? await region.wait { $0.beginPull() }) == true {
        guard let element = try await iterator.next(isolation: #isolation) else { return .finished }
        region.update { $0.receive(element) }
      }
      return .cancelled
    } catch {
      return .failed(error)
    }
  }
}

/// Runs `body` with a probe that consumes `sequence` in a child task, pulling only what the body asks for.
///
/// The sequence is made inside that task, so it need not be sendable. When the body returns or throws, the consuming task is
/// cancelled and awaited: nothing outlives the call.
public func withSinkProbe<Base: AsyncSequence & SendableMetatype, Value>(
  over sequence: @autoclosure @escaping @Sendable () -> Base,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (SinkProbe<Base.Element>) async throws -> Value
) async rethrows -> Value where Base.Element: Sendable {
  let sink = SinkProbe<Base.Element>()
  return try await withThrowingTaskGroup(of: Void.self) { group in
    // The inner group exists so that the pump can be cancelled without cancelling the body.
    group.addTask {
      await withTaskGroup(of: Void.self) { pumps in
        pumps.addTask { await sink.pump(sequence()) }
        // Ends by an error only when this task is cancelled, and then the pump already is.
        try? await sink.region.wait { $0.isClosing || $0.ending != nil ? () : nil }
        pumps.cancelAll()
      }
    }
    defer { sink.region.update { $0.close() } }
    return try await body(sink)
  }
}
