import Weir

/// Asks a modem from time to time whether it is still set up as it was: one that lost its power for a moment sends and hears
/// elsewhere, and says nothing of it. A radio whose settings are gone is quarantined, as nobody knows what it does.
///
/// Holds the radio for itself while it asks, so that its questions never stand between those of somebody else who set the radio up
/// otherwise for a while; it waits for that one to put everything back.
public struct ParameterWatch: Sendable {
  private let modem: ATModem
  private let interval: Duration
  private let timeout: Duration
  private let expected: [(query: String, answer: [String])]

  /// Asks for the settings as they are now, which are those that are expected from then on.
  /// - Parameters:
  ///   - queries: commands whose answers are the same as long as the settings are.
  ///   - interval: between two rounds of questions.
  ///   - timeout: for each answer.
  /// - Throws: as ``ATModem/run(_:timeout:isLogged:)``.
  public init(
    _ modem: ATModem, queries: [String], every interval: Duration = .seconds(60), timeout: Duration = .seconds(2)
  ) async throws {
    self.modem = modem
    self.interval = max(.seconds(1), interval)
    self.timeout = timeout
    var expected: [(String, [String])] = []
    for query in queries { expected.append((query, try await modem.run(query, timeout: timeout))) }
    self.expected = expected
  }

  /// Asks until the task is cancelled. While the radio is quarantined it waits for it to be set up anew.
  /// - Throws: `CancellationError`.
  public func run(through scheduler: RadioFrameScheduler) async throws {
    let hold = (timeout * 2 + .seconds(10)) * max(1, expected.count)
    while true {
      try await scheduler.clock.sleep(for: interval)
      let lease: RadioLease
      do throws(RadioError) {
        lease = try await scheduler.lease(for: "settings", hold: hold)
      } catch {
        if Task.isCancelled || error.kind == .stopped { throw CancellationError() }
        continue
      }
      let ending = await look()
      lease.end(ending)
      try Task.checkCancellation()
    }
  }

  private func look() async -> LeaseEnding {
    for (query, answer) in expected {
      do {
        let found = try await ask(query)
        if found != answer {
          return .quarantined(
            reason: "the modem lost its settings: \(query) gave \(found.joined(separator: " | ")) and not "
              + answer.joined(separator: " | "))
        }
      } catch is CancellationError {
        // A question changes nothing.
        return .notRequired
      } catch {
        return .quarantined(reason: "the modem does not say how it is set up: \(error)")
      }
    }
    return .notRequired
  }

  /// One answer may be lost; a second time it is not chance.
  private func ask(_ query: String) async throws -> [String] {
    do {
      return try await modem.run(query, timeout: timeout)
    } catch let error as RadioError where error.kind == .commandTimedOut {
      try await modem.recover()
      return try await modem.run(query, timeout: timeout)
    }
  }
}
