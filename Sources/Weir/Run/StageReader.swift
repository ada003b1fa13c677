/// What stopped the loop over a chunk.
@frozen
@usableFromInline
enum StageStep<Input: Sendable, Failure: Error> {
  /// The input is used up, or enough was emitted.
  case paused
  /// The stage wants nothing more.
  case satisfied
  case failed(Input, Failure)
}

/// The loop over a chunk, compiled for the stage in the client.
@inlinable
func processChunk<S: Stage>(
  _ stage: inout S, _ input: inout Chunk<S.Input>, into out: inout Chunk<S.Output>, limit: Int,
  tally: inout NodeMeter.Tally
) -> StageStep<S.Input, S.Failure> {
  let holdsNone = stage.holds == 0
  let heldAtFirst = stage.held
  let most = limit &- out.count
  if S.Output.self != Never.self { out.reserve(Swift.min(input.count, most)) }
  var tail = ChunkTail(of: &out)
  var head = ChunkHead(of: input)
  let elements = head.count
  var filtered = 0
  var created = 0
  var merged = 0
  var lost = 0
  var step = StageStep<S.Input, S.Failure>.paused
  while tail.added < most {
    if stage.demand <= 0 {
      step = .satisfied
      break
    }
    guard let element = head.popFirst() else { break }
    let before = tail.added
    let heldBefore = holdsNone ? 0 : stage.held
    do throws(S.Failure) {
      try stage.process(element) { tail.append($0) }
    } catch {
      // The element itself is counted by whoever decides what becomes of it.
      let left = heldBefore &- (holdsNone ? 0 : stage.held)
      let produced = tail.added &- before
      if produced >= left { created &+= produced &- left } else { lost &+= left &- produced }
      step = .failed(element, error)
      break
    }
    if holdsNone {
      // What is created follows from the rest: one addition for each element instead of three.
      if tail.added == before { filtered &+= 1 }
    } else {
      let left = 1 &+ heldBefore &- stage.held
      let produced = tail.added &- before
      if produced > left {
        created &+= produced &- left
      } else if produced > 0 {
        merged &+= left &- produced
      } else {
        filtered &+= left
      }
    }
  }
  head.putBack(into: &input)
  tail.putBack(into: &out)
  let elementsIn = elements &- input.count
  if holdsNone {
    var completed = elementsIn
    if case .failed = step { completed &-= 1 }
    created = tail.added &- (completed &- filtered)
    // A stage that keeps elements though it says that it never does: they are in flight, not filtered.
    let kept = Swift.min(filtered, Swift.max(0, stage.held &- heldAtFirst))
    filtered &-= kept
  }
  if S.Output.self == Never.self {
    // The end of the way: consumed, not filtered.
    merged &+= filtered
    filtered = 0
  }
  tally.elementsIn &+= elementsIn
  tally.elementsOut &+= tail.added
  tally.filtered &+= filtered
  tally.created &+= created
  tally.merged &+= merged
  tally.discarded &+= lost
  return step
}

/// The same, one element at a time, with settlement tokens.
@usableFromInline
func processTracked<S: Stage>(
  _ state: StageState<S>, into out: inout Chunk<S.Output>, limit: Int, tally: inout NodeMeter.Tally
) -> (step: StageStep<S.Input, S.Failure>, token: Settlement?) {
  while out.count < limit {
    if state.stage.demand <= 0 { return (.satisfied, nil) }
    guard let (element, token) = state.input.popFirstTracked() else { break }
    var one = Chunk<S.Input>()
    one.append(element)
    var emitted = Chunk<S.Output>()
    let heldBefore = state.stage.held
    state.heldTokens.pad(to: heldBefore)
    let step = processChunk(&state.stage, &one, into: &emitted, limit: .max, tally: &tally)
    if case .failed = step {
      state.settleLeftBehind(heldBefore - state.stage.held, to: &emitted, from: 0)
      emitted.move(emitted.count, to: &out)
      return (step, token)
    }
    state.heldTokens.append(token)
    state.assignTokens(left: 1 + heldBefore - state.stage.held, to: &emitted, from: 0)
    emitted.move(emitted.count, to: &out)
  }
  return (.paused, nil)
}

/// A stage as a port of its segment.
@inlinable
func stageReader<S: Stage>(
  _ upstream: ChunkReader<S.Input>, _ stage: S, supervision: Supervision, node: NodeRun
) -> ChunkReader<S.Output> {
  let state = StageState(stage, upstream, supervision: supervision, node: node)
  // Each closure captures the state alone, which takes no memory of its own.
  return ChunkReader<S.Output>(
    poll: { out, limit in pollStage(state, into: &out, limit: limit) },
    wait: upstream.wait,
    suspending: { (out, limit) async throws(PortInterruption) in
      try await driveStage(state, into: &out, limit: limit)
    },
    close: { state.abandon() })
}

/// Does what the stage can without waiting: most of its life.
@inlinable
func pollStage<S: Stage>(
  _ state: StageState<S>, into out: inout Chunk<S.Output>, limit: Int
) -> Poll {
  for _ in 0..<chunksAtOnce {
    switch state.phase {
    case .running: break
    case .ended: return .ended
    case .failed(let interruption): return .interrupted(interruption)
    }
    // A failure is decided upon by supervision, which may take its time.
    if state.unsettled != nil { return .asynchronous }
    if state.input.isEmpty && state.stage.demand > 0 {
      switch state.upstream.poll(&state.input, Swift.min(limit, state.stage.demand)) {
      case .ready: break
      case .ended:
        endStage(state, into: &out)
        if !out.isEmpty { return .ready }
        continue
      case .interrupted(let interruption):
        state.phase = .failed(interruption)
        continue
      case .empty: return .empty
      case .turn: return .turn
      case .asynchronous: return .asynchronous
      }
    }
    let isSettled = workStage(state, into: &out, limit: limit)
    // What was emitted before a failure does not wait for what supervision decides.
    if !out.isEmpty { return .ready }
    if !isSettled { return .asynchronous }
  }
  // A sink, or a filter that lets nothing through, above a source that never waits.
  return .turn
}

/// Does what takes waiting, then at least one step of the rest.
@inlinable
nonisolated(nonsending) func driveStage<S: Stage>(
  _ state: StageState<S>, into out: inout Chunk<S.Output>, limit: Int
) async throws(PortInterruption) -> Bool {
  var turns = 0
  while true {
    turns &+= 1
    if turns & (chunksAtOnce - 1) == 0 { await Task.yield() }
    if let unsettled = state.takeUnsettled() {
      var tally = unsettled.tally
      await settleStep(state, unsettled.step, token: unsettled.token, out: &out, tally: &tally)
      recordStage(state, tally, at: unsettled.stamp, into: &out)
      if !out.isEmpty { return true }
    }
    switch state.phase {
    case .running: break
    case .ended: return false
    case .failed(let interruption): throw interruption
    }
    if state.input.isEmpty && state.stage.demand > 0 {
      var input = Chunk<S.Input>()
      swap(&input, &state.input)
      let most = Swift.min(limit, state.stage.demand)
      var more = false
      do throws(PortInterruption) {
        more = try await state.upstream.pull(&input, most)
      } catch {
        state.phase = .failed(error)
        throw error
      }
      swap(&input, &state.input)
      if !more {
        endStage(state, into: &out)
        if !out.isEmpty { return true }
        continue
      }
    }
    _ = workStage(state, into: &out, limit: limit)
    if !out.isEmpty { return true }
  }
}

/// Works through the input in hand.
/// - Returns: false when a failure waits to be settled.
@inlinable
func workStage<S: Stage>(
  _ state: StageState<S>, into out: inout Chunk<S.Output>, limit: Int
) -> Bool {
  let stamp = state.node.enter()
  var tally = NodeMeter.Tally()
  var token: Settlement?
  let step: StageStep<S.Input, S.Failure>
  if state.input.hasTokens || state.holdsTokens {
    (step, token) = processTracked(state, into: &out, limit: limit, tally: &tally)
  } else {
    step = processChunk(&state.stage, &state.input, into: &out, limit: limit, tally: &tally)
  }
  if case .failed = step {
    // Everything up to the failing element is done and counted; that one alone is left.
    if tally.elementsIn > 1 { state.failures?.succeeded() }
    tally.elementsIn -= 1
    tally.held = state.stage.held
    state.node.meter.record(tally, at: stamp)
    if !out.isEmpty { state.node.showTaps(out) }
    tally = NodeMeter.Tally()
    tally.elementsIn = 1
    state.unsettled = .init(step: step, token: token, tally: tally, stamp: stamp)
    return false
  }
  if tally.elementsIn > 0 { state.failures?.succeeded() }
  recordStage(state, tally, at: stamp, into: &out)
  return true
}

/// Counts one step, and ends a stage that wants nothing more.
@inlinable
func recordStage<S: Stage>(
  _ state: StageState<S>, _ tally: NodeMeter.Tally, at stamp: UInt64, into out: inout Chunk<S.Output>
) {
  var tally = tally
  tally.held = state.stage.held
  state.node.meter.record(tally, at: stamp)
  if case .running = state.phase, state.stage.demand <= 0 {
    state.upstream.close()
    state.input.settleAll(.abandoned)
    finishStage(state, into: &out)
  }
  if !out.isEmpty { state.node.showTaps(out) }
}

/// The input has ended.
@inlinable
func endStage<S: Stage>(_ state: StageState<S>, into out: inout Chunk<S.Output>) {
  state.node.enter()
  finishStage(state, into: &out)
  if !out.isEmpty { state.node.showTaps(out) }
}

extension StageState {
  @usableFromInline var holdsTokens: Bool { heldTokens.hasAny }

  /// A call has thrown after it had let go of elements: those it made nothing of are lost by the failure.
  func settleLeftBehind(_ left: Int, to out: inout Chunk<S.Output>, from first: Int) {
    if out.count > first { return assignTokens(left: left, to: &out, from: first) }
    let outcome = supervisor.goesOn ? Outcome.dropped(.failed) : .failed
    for token in heldTokens.take(left) { token.settle(outcome) }
  }
}

/// Calls the stage's `finish` and puts it into its last phase.
@inlinable
func finishStage<S: Stage>(_ state: StageState<S>, into out: inout Chunk<S.Output>) {
  var tally = NodeMeter.Tally()
  let before = out.count
  let heldBefore = state.stage.held
  do throws(S.Failure) {
    try state.stage.finish { out.append($0) }
    state.phase = .ended
  } catch {
    tally.errors = 1
    state.phase = .failed(.failed(state.node.fail(error)))
  }
  let produced = out.count - before
  let left = heldBefore - state.stage.held
  tally.elementsOut = produced
  tally.created = Swift.max(0, produced - left)
  if produced > 0 {
    tally.merged = Swift.max(0, left - produced)
  } else if tally.errors > 0 {
    tally.discarded = Swift.max(0, left)
  } else {
    tally.filtered = Swift.max(0, left)
  }
  tally.held = state.stage.held
  state.settleHeld(left: left, failed: tally.errors > 0, out: &out, from: before)
  state.node.meter.record(tally, at: state.node.enter())
}

extension StageState {
  @usableFromInline
  func settleHeld(left: Int, failed: Bool, out: inout Chunk<S.Output>, from first: Int) {
    if failed && out.count == first { return heldTokens.settleAll(.failed) }
    assignTokens(left: Swift.max(left, heldTokens.count), to: &out, from: first)
  }
}

/// Acts on what stopped the loop over a chunk: supervision.
@usableFromInline
nonisolated(nonsending) func settleStep<S: Stage>(
  _ state: StageState<S>, _ step: StageStep<S.Input, S.Failure>, token: Settlement?, out: inout Chunk<S.Output>,
  tally: inout NodeMeter.Tally
) async {
  guard case .failed(let element, let error) = step else { return }
  switch await state.supervisor.decide(error) {
  case .fail:
    tally.discarded += 1
    token?.settle(.failed)
    state.phase = .failed(.failed(state.node.fail(error)))
  case .skip:
    let outcome = state.supervisor.giveUp(element, error, tally: &tally)
    token?.settle(outcome)
  case .retry:
    tally.retries += 1
    tally.elementsIn -= 1
    state.input.putBack(element, token: token)
  case .restart:
    let outcome = state.supervisor.giveUp(element, error, tally: &tally)
    token?.settle(outcome)
    tally.discarded += state.stage.held
    state.heldTokens.settleAll(.dropped(.failed))
    state.stage = state.original
  }
}
