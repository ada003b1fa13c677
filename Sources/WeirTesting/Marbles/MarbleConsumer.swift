import Synchronization

/// The consuming end of a diagram test: it writes down what arrives and on which tick.
///
/// Either it pulls a sequence with ``consume(_:isolation:)``, or the test pushes into it from the sink of a graph with
/// ``receive(_:)``, ``finish()`` and ``fail(_:)``. May be used from any task.
public final class MarbleConsumer: Sendable {
  private let clock: VirtualClock
  private let horizon: VirtualClock.Instant
  private let earliestPulls: [Int]
  private let contents = Mutex(MarbleRecording())

  init(clock: VirtualClock, horizon: VirtualClock.Instant, earliestPulls: [Int]) {
    self.clock = clock
    self.horizon = horizon
    self.earliestPulls = earliestPulls
  }

  var recording: MarbleRecording { contents.withLock { $0 } }

  /// Writes down that `value` arrived now.
  public func receive(_ value: String) {
    add(.value(value))
  }

  /// Writes down that the end arrived now.
  public func finish() {
    add(.finish)
  }

  /// Writes down that a failure arrived now.
  public func fail(_ error: any Error) {
    let now = clock.now
    contents.withLock { $0.addFailure("\(error)", at: now) }
  }

  /// Pulls `sequence` to its end, delaying pulls where the diagram says `,`, and then once more.
  ///
  /// Returns when the sequence has ended or the time of the diagram is over.
  public func consume<Base: AsyncSequence>(
    _ sequence: Base, isolation: isolated (any Actor)? = #isolation
  ) async where Base.Element == String {
    var iterator = sequence.makeAsyncIterator()
    var pulls = 0
    do {
      while clock.now <= horizon {
        await waitBeforePull(pulls)
        pulls += 1
        guard let value = try await iterator.next(isolation: isolation) else {
          finish()
          break
        }
        receive(value)
      }
    } catch {
      fail(error)
    }
    do {
      guard clock.now <= horizon, let value = try await iterator.next(isolation: isolation) else { return }
      receive(value)
    } catch {
      fail(error)
    }
  }

  /// For an error that left the scope of the test: news only if the consumer has not seen an end yet.
  func failIfOpen(_ error: any Error) {
    let now = clock.now
    contents.withLock { recording in
      if !recording.hasEnded { recording.addFailure("\(error)", at: now) }
    }
  }

  func close() {
    contents.withLock { $0.close() }
  }

  private func add(_ event: MarbleDiagram.Event) {
    let now = clock.now
    contents.withLock { $0.add(event, at: now) }
  }

  private func waitBeforePull(_ index: Int, isolation: isolated (any Actor)? = #isolation) async {
    guard index < earliestPulls.count else { return }
    let earliest = Marble.instant(ofTick: earliestPulls[index])
    // A cancelled consumer pulls at once: that is how it learns what the sequence makes of it.
    if clock.now < earliest { try? await clock.sleep(until: earliest) }
  }
}
