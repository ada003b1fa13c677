import Synchronization

/// Lets a timed node wait without input: rung at a deadline, by an adjustment, or at the end.
final class Bell: Sendable {
  private enum State {
    case quiet
    case rung
    case waiting(UnsafeContinuation<Void, Never>)
  }

  private let state = Mutex(State.quiet)

  func ring() {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      if case .waiting(let continuation) = state {
        state = .quiet
        return continuation
      }
      state = .rung
      return nil
    }
    waiter?.resume()
  }

  /// Waits for a ring; one that came before counts.
  func wait() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let rung = state.withLock { state in
        if case .rung = state {
          state = .quiet
          return true
        }
        state = .waiting(continuation)
        return false
      }
      if rung { continuation.resume() }
    }
  }
}

/// One run's copy of a timed stage, behind the link it reads from. Confined to the task that drives it.
@usableFromInline
final class TimedState<S: TimedStage>: @unchecked Sendable {
  // Safety: as StageState: used only by the task that drives the segment. `bell` and `port` are Sendable themselves.
  var stage: S
  let original: S
  var input = Chunk<S.Input>()
  var phase = StagePhase.running
  var inputEnded = false
  var interruption: PortInterruption?
  var started = false
  /// The deadline for which the stage was woken in vain.
  var answeredDeadline: Duration?
  var heldTokens = HeldTokens()
  let port: ReaderPort<S.Input>
  let node: NodeRun
  let supervisor: Supervisor
  let bell = Bell()
  var tally = NodeMeter.Tally()

  @usableFromInline
  init(_ stage: S, port: ReaderPort<S.Input>, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.port = port
    self.node = node
    supervisor = Supervisor(supervision, node: node)
    port.segment.addCloser { [bell] in bell.ring() }
  }

  private var run: RunContext { node.segment.run }

  func pull(_ out: inout Chunk<S.Output>, limit: Int) async throws(PortInterruption) -> Bool {
    startOnce()
    while true {
      switch phase {
      case .running: break
      case .ended: return false
      case .failed(let interruption): throw interruption
      }
      tally = NodeMeter.Tally()
      await step(&out, limit: limit)
      if !out.isEmpty {
        node.showTaps(out)
        return true
      }
    }
  }

  private func startOnce() {
    guard !started else { return }
    started = true
    let link = port.link
    stage.start(at: run.clock.now) { [bell] in
      bell.ring()
      link.pokeReaders()
    }
  }

  /// One look at everything the stage may react to; waits when there is nothing.
  private func step(_ out: inout Chunk<S.Output>, limit: Int) async {
    if input.isEmpty && !inputEnded && stage.acceptsInput { take(limit) }
    let now = run.clock.now
    if !input.isEmpty && stage.acceptsInput {
      await work(&out, limit: limit, now: now)
      return
    }
    // The end comes before a deadline that has passed while downstream was waiting: what has ended is not late.
    if inputEnded && input.isEmpty && (stage.acceptsInput || stage.deadline == nil) {
      await end(&out, now: now)
      return
    }
    if let deadline = pendingDeadline, now > deadline {
      await call(nil, &out) { (stage, emit) throws(S.Failure) in try stage.wake(at: now, emit) }
      if out.isEmpty, stage.deadline == deadline { answeredDeadline = deadline }
      return
    }
    await wait()
  }

  /// The deadline, unless the stage was woken for it, did nothing and left it as it was: woken again it would do the same.
  private var pendingDeadline: Duration? {
    let deadline = stage.deadline
    if deadline != answeredDeadline { answeredDeadline = nil }
    return answeredDeadline == nil ? deadline : nil
  }

  private func take(_ limit: Int) {
    switch port.take(into: &input, limit: limit) {
    case .taken, .empty: break
    case .ended(let end):
      inputEnded = true
      do throws(PortInterruption) { _ = try port.link.finish(end) } catch { interruption = error }
    }
  }

  private func work(_ out: inout Chunk<S.Output>, limit: Int, now: Duration) async {
    while out.count < limit, stage.acceptsInput, case .running = phase,
      let (element, token) = input.popFirstTracked()
    {
      await call((element, token), &out) { (stage, emit) throws(S.Failure) in
        try stage.process(element, at: now, emit)
      }
    }
  }

  private func end(_ out: inout Chunk<S.Output>, now: Duration) async {
    if let interruption {
      abandonHeld(.abandoned)
      phase = .failed(interruption)
      return
    }
    phase = .ended
    await call(nil, &out) { (stage, emit) throws(S.Failure) in try stage.finish(at: now, emit) }
    if case .failed = phase { abandonHeld(.failed) } else { abandonHeld(.filtered) }
  }

  private func abandonHeld(_ outcome: Outcome) { heldTokens.settleAll(outcome) }

  /// One call into the stage, counted, supervised, tokens moved.
  private func call(
    _ element: (S.Input, Settlement?)?, _ out: inout Chunk<S.Output>,
    _ body: (inout S, (S.Output) -> Void) throws(S.Failure) -> Void
  ) async {
    let stamp = node.enter()
    var tally = NodeMeter.Tally()
    let before = out.count
    let heldBefore = stage.held
    var taken = element == nil ? 0 : 1
    if element?.1 != nil || heldTokens.hasAny { heldTokens.pad(to: heldBefore) }
    do throws(S.Failure) {
      try body(&stage) { out.append($0) }
      if let element, element.1 != nil || heldTokens.hasAny { heldTokens.append(element.1) }
      supervisor.succeeded()
    } catch {
      if await failed(element, error, &tally) { taken = 0 }
    }
    let gone = tally.discarded + tally.deadLettered
    let left = taken - gone + heldBefore - stage.held
    let produced = out.count - before
    tally.elementsIn += taken
    tally.elementsOut = produced
    tally.created += max(0, produced - left)
    if produced > 0 { tally.merged = max(0, left - produced) } else { tally.filtered += max(0, left) }
    tally.held = stage.held
    move(tokens: left, to: &out, from: before)
    node.meter.record(tally, at: stamp)
  }

  private func move(tokens left: Int, to out: inout Chunk<S.Output>, from first: Int) {
    guard let token = Settlement.merging(heldTokens.take(left)) else { return }
    let produced = out.count - first
    guard produced > 0 else {
      token.settle(.filtered)
      return
    }
    token.fork(produced - 1)
    out.attach(token, from: first)
  }

  /// - Returns: whether the element was put back to be tried again.
  private func failed(
    _ element: (S.Input, Settlement?)?, _ error: S.Failure, _ tally: inout NodeMeter.Tally
  ) async -> Bool {
    switch await supervisor.decide(error) {
    case .fail:
      if let element {
        tally.discarded += 1
        element.1?.settle(.failed)
      }
      phase = .failed(.failed(node.fail(error)))
    case .retry where element != nil:
      if let element {
        input.putBack(element.0, token: element.1)
        tally.retries += 1
      }
      return true
    case .skip, .retry:
      if let element {
        let outcome = supervisor.giveUp(element.0, error, tally: &tally)
        element.1?.settle(outcome)
      } else if let deadline = stage.deadline, deadline < run.clock.now, case .running = phase {
        // It would be woken for the same deadline for ever.
        phase = .failed(.failed(node.fail(error)))
      }
    case .restart:
      if let element {
        let outcome = supervisor.giveUp(element.0, error, tally: &tally)
        element.1?.settle(outcome)
      }
      tally.discarded += stage.held
      abandonHeld(.dropped(.failed))
      stage = original
      started = false
      startOnce()
    }
    return false
  }

  /// Parks until there is input the stage accepts, the deadline has passed, or someone rings.
  private func wait() async {
    node.segment.enterIdle()
    var timer: UInt64?
    let waitsForInput = stage.acceptsInput && !inputEnded
    if let deadline = pendingDeadline {
      let link = port.link
      // One tick beyond the deadline: what arrives exactly then is handled first.
      timer = run.timers.service.schedule(at: deadline + .nanoseconds(1)) { [bell] in
        if waitsForInput { link.pokeReaders() } else { bell.ring() }
      }
    }
    if node.isCancelled {
      phase = .failed(.cancelled)
    } else if waitsForInput {
      await port.link.waitForElements()
    } else {
      await bell.wait()
      if node.isCancelled { phase = .failed(.cancelled) }
    }
    if let timer { run.timers.service.cancel(timer) }
  }

  func close() {
    input.settleAll(.abandoned)
    abandonHeld(.abandoned)
    phase = .ended
    port.close()
  }
}

/// A timed stage as a port of its segment.
@usableFromInline
func timedReader<S: TimedStage>(_ state: TimedState<S>) -> ChunkReader<S.Output> {
  ChunkReader(
    pull: { (out, limit) async throws(PortInterruption) in try await state.pull(&out, limit: limit) },
    close: { state.close() })
}
