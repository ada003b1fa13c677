/// Decides what follows a failure of one node in one task. Confined to that task.
@usableFromInline
final class Supervisor: @unchecked Sendable {
  // Safety: used only by the task that drives the node; Sendable because the pull closures are.
  private let policy: Supervision
  private let node: NodeRun
  private var attempts = 0
  private var restarts = 0
  private var lastFailure: Duration?

  @usableFromInline
  enum Decision { case fail, skip, retry, restart }

  @usableFromInline
  init(_ policy: Supervision, node: NodeRun) {
    self.policy = policy
    self.node = node
  }

  /// Whether the policy is to go on without what failed.
  var goesOn: Bool {
    switch policy {
    case .fail: false
    case .skip, .restart: true
    case .retry(_, let exhausted): exhausted == .skip
    }
  }

  /// An element went through: the next failure is the first of another one.
  @usableFromInline
  func succeeded() { attempts = 0 }

  /// Counts the error, waits as the policy says, and decides. A wait that is cancelled ends in `fail`.
  @usableFromInline
  func decide(_ error: any Error) async -> Decision {
    attempts += 1
    node.meter.countError()
    switch policy {
    case .fail:
      return .fail
    case .skip:
      return .skip
    case .retry(let backoff, let exhausted):
      let isHopeless = (error as? any RetryableError).map { !$0.isRetryable } ?? false
      let isUsedUp = backoff.attempts.map { attempts >= $0 } ?? false
      if isHopeless || isUsedUp { return exhausted == .skip ? .skip : .fail }
      return await wait(backoff.wait(before: attempts)) ? .retry : .fail
    case .restart(let backoff):
      let now = node.segment.run.clock.now
      if let lastFailure, now - lastFailure > backoff.healthy { restarts = 0 }
      restarts += 1
      if let most = backoff.attempts, restarts > most { return .fail }
      let goOn = await wait(backoff.wait(before: restarts))
      lastFailure = node.segment.run.clock.now
      return goOn ? .restart : .fail
    }
  }

  private func wait(_ duration: Duration) async -> Bool {
    node.segment.enterIdle()
    do {
      try await node.segment.run.clock.sleep(for: min(duration, .longest))
    } catch {
      return false
    }
    node.enter()
    return !node.isCancelled
  }

  /// Gives an element up: to the dead letters where there are any.
  /// - Returns: how the element ended.
  @usableFromInline
  func giveUp(_ element: any Sendable, _ error: any Error, tally: inout NodeMeter.Tally) -> Outcome {
    let letter = DeadLetter(node: node.name, element: element, error: error, attempts: max(attempts, 1))
    attempts = 0
    if node.segment.run.deadLetters.post(letter, from: node.meter.node) {
      tally.deadLettered += 1
      return .deadLettered
    }
    tally.discarded += 1
    return .dropped(.failed)
  }
}
