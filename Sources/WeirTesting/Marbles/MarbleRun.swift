/// One diagram test: the parsed diagrams, and how to play them once.
struct MarbleRun: Sendable {
  let inputs: [MarbleDiagram]
  let expected: MarbleDiagram

  init(inputs: [String], expected: String) throws(MarbleSyntaxError) {
    var diagrams: [MarbleDiagram] = []
    for input in inputs { diagrams.append(try MarbleDiagram(input, role: .input)) }
    self.inputs = diagrams
    self.expected = try MarbleDiagram(expected, role: .expectation)
  }

  /// When the consumer is stopped if it has not ended by itself.
  private var horizon: VirtualClock.Instant {
    let longest = max(expected.length, inputs.map(\.length).max() ?? 0)
    return Marble.instant(ofTick: max(longest * 2, 1))
  }

  /// When the consumer is cancelled: an instant before the tick begins, so that no seed decides whether it still sees
  /// the events of that tick.
  private var cancellation: VirtualClock.Instant? {
    expected.entries.first { $0.event == .cancel }.map {
      Marble.instant(ofTick: $0.tick).advanced(by: Duration(attoseconds: -1))
    }
  }

  /// The first tick on which the consumer may make each of its pulls.
  private var earliestPulls: [Int] {
    var earliest = [0]
    for entry in expected.entries {
      switch entry.event {
      case .delay: earliest[earliest.count - 1] = entry.tick + 1
      case .value, .finish, .failure: earliest.append(entry.tick)
      case .cancel: break
      }
    }
    return earliest
  }

  func perform(
    in simulation: Simulation,
    _ scope: @escaping @Sendable ([MarbleInput], Simulation, MarbleConsumer) async throws -> Void
  ) async -> MarbleRecording {
    let clock = simulation.clock
    let consumer = MarbleConsumer(clock: clock, horizon: horizon, earliestPulls: earliestPulls)
    let sources = inputs.map { MarbleInput($0, clock: clock) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await scope(sources, simulation, consumer)
        } catch {
          consumer.failIfOpen(error)
        }
      }
      group.addTask {
        do {
          try await clock.sleep(until: cancellation ?? horizon)
          if cancellation == nil { consumer.close() }
        } catch {
          // The consumer ended first.
        }
      }
      await group.next()
      group.cancelAll()
    }
    return consumer.recording
  }
}
