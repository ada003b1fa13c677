/// One copy of an asynchronous stage at work. Confined to the task that runs it.
@usableFromInline
final class AsyncWorker<S: AsyncStage>: @unchecked Sendable {
  // Safety: used only by the task that calls `run`; Sendable because the body of a segment is.
  @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let node: NodeRun
  @usableFromInline let supervisor: Supervisor
  /// Whether the node itself has failed for good.
  @usableFromInline var hasFailed = false

  @inlinable
  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  /// Handles one element. What it emits is added to `out` with the element's token; what it emits before it throws is
  /// added without.
  /// - Throws: an interruption when the node has failed; `out` is to be delivered before it.
  @inlinable
  nonisolated(nonsending) func handle(
    _ element: S.Input, token: Settlement?, into out: inout Chunk<S.Output>
  ) async throws(PortInterruption) {
    while true {
      let stamp = node.enter()
      var tally = NodeMeter.Tally()
      let before = out.count
      do throws(S.Failure) {
        try await stage.process(element) { out.append($0) }
      } catch {
        guard try await retries(element, token: token, error, emitted: out.count - before, &tally) else { return }
        continue
      }
      supervisor.succeeded()
      let emitted = out.count - before
      tally.elementsIn = 1
      tally.elementsOut = emitted
      count(emitted, &tally)
      settle(token, &out, from: before)
      node.meter.record(tally, at: stamp)
      return
    }
  }

  @inlinable
  func count(_ emitted: Int, _ tally: inout NodeMeter.Tally) {
    if emitted > 1 {
      tally.created = emitted - 1
    } else if emitted == 0 {
      if S.Output.self == Never.self { tally.merged = 1 } else { tally.filtered = 1 }
    }
  }

  @inlinable
  func settle(_ token: Settlement?, _ out: inout Chunk<S.Output>, from first: Int) {
    guard let token else { return }
    if out.count == first {
      token.settle(S.Output.self == Never.self ? .stored : .filtered)
    } else {
      token.fork(out.count - first - 1)
      out.attach(token, from: first)
    }
  }

  /// - Returns: whether the element is to be tried again; false when it was given up.
  @inlinable
  nonisolated(nonsending) func retries(
    _ element: S.Input, token: Settlement?, _ error: S.Failure, emitted: Int, _ tally: inout NodeMeter.Tally
  ) async throws(PortInterruption) -> Bool {
    tally.elementsIn = 1
    tally.elementsOut = emitted
    tally.created = emitted
    if error is CancellationError, node.isCancelled {
      tally.errors = 1
      token?.settle(.abandoned)
      tally.discarded = 1
      node.meter.record(tally, at: node.now)
      throw .cancelled
    }
    let decision = await supervisor.decide(error)
    defer { node.meter.record(tally, at: node.now) }
    switch decision {
    case .fail:
      tally.discarded = 1
      token?.settle(.failed)
      hasFailed = true
      throw .failed(node.fail(error))
    case .retry:
      tally.elementsIn = 0
      tally.retries = 1
      return true
    case .skip, .restart:
      let outcome = supervisor.giveUp(element, error, tally: &tally)
      token?.settle(outcome)
      if decision == .restart { stage = original }
      return false
    }
  }

  /// Calls the stage's `finish`; as ``handle(_:token:into:)``.
  @inlinable
  nonisolated(nonsending) func finish(into out: inout Chunk<S.Output>) async throws(PortInterruption) {
    let stamp = node.enter()
    var tally = NodeMeter.Tally()
    var failure: PortInterruption?
    do throws(S.Failure) {
      try await stage.finish { out.append($0) }
    } catch {
      tally.errors = 1
      hasFailed = true
      failure = .failed(node.fail(error))
    }
    tally.elementsOut = out.count
    tally.created = out.count
    node.meter.record(tally, at: stamp)
    if let failure { throw failure }
  }

  @inlinable
  func showTaps(_ chunk: borrowing Chunk<S.Output>) { node.showTaps(chunk) }

  /// Runs one step and passes on what it emitted, also when it fails.
  @inlinable
  nonisolated(nonsending) func deliver(
    _ out: inout Chunk<S.Output>, through emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool,
    _ step: nonisolated(nonsending) (inout Chunk<S.Output>) async throws(PortInterruption) -> Void
  ) async throws(PortInterruption) {
    var interruption: PortInterruption?
    do throws(PortInterruption) { try await step(&out) } catch { interruption = error }
    if !out.isEmpty {
      node.showTaps(out)
      if !(await emit(&out)) { interruption = interruption ?? .cancelled }
    }
    if let interruption { throw interruption }
  }

  /// Handles everything a port has, one element at a time.
  /// - Parameter emit: passes on what was emitted; false when nobody wants more.
  /// - Returns: how the input ended.
  @inlinable
  nonisolated(nonsending) func run(
    _ reader: ChunkReader<S.Input>, most: Int = .max,
    emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool
  ) async
    -> LinkEnd
  {
    let limit = min(most, node.scope.runContext.chunkSize)
    var input = Chunk<S.Input>()
    var out = Chunk<S.Output>()
    let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
      guard try await reader.pull(&input, limit) else {
        try await deliver(&out, through: emit) { (out) async throws(PortInterruption) in try await finish(into: &out) }
        return false
      }
      while let (element, token) = input.popFirstTracked() {
        try await deliver(&out, through: emit) { (out) async throws(PortInterruption) in
          try await handle(element, token: token, into: &out)
        }
        if node.isCancelled { throw .cancelled }
      }
      return true
    }
    input.settleAll(.abandoned)
    return end
  }
}

/// One copy of a stage that works on all that is ready. Confined to the task that runs it.
@usableFromInline
final class ChunkWorker<S: AsyncChunkStage>: @unchecked Sendable {
  // Safety: as AsyncWorker.
  @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let node: NodeRun
  @usableFromInline let supervisor: Supervisor

  @inlinable
  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  @inlinable
  nonisolated(nonsending) func run(
    _ reader: ChunkReader<S.Input>, emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool
  ) async -> LinkEnd {
    var input = Chunk<S.Input>()
    let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
      // What it was before the run is checked with the blueprint; a stage may compute it anew for every call.
      guard try await reader.pull(&input, max(1, stage.maximum)) else {
        try await call(nil, token: nil, emit: emit)
        return false
      }
      let elements = input.array()
      let token = input.detachTokens()
      input.removeAll()
      try await call(elements, token: token, emit: emit)
      return true
    }
    input.settleAll(.abandoned)
    return end
  }

  /// One call into the stage; nil for the last one.
  @inlinable
  nonisolated(nonsending) func call(
    _ elements: [S.Input]?, token: Settlement?, emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool
  ) async throws(PortInterruption) {
    var out = Chunk<S.Output>()
    var interruption: PortInterruption?
    do throws(PortInterruption) { try await attempt(elements, token: token, into: &out) } catch { interruption = error }
    if !out.isEmpty {
      node.showTaps(out)
      if !(await emit(&out)) { interruption = interruption ?? .cancelled }
    }
    if let interruption { throw interruption }
  }

  /// Calls the stage until it succeeds or is given up. What it emits before it throws is added without a token.
  @inlinable
  nonisolated(nonsending) func attempt(
    _ elements: [S.Input]?, token: Settlement?, into out: inout Chunk<S.Output>
  ) async throws(PortInterruption) {
    while true {
      let stamp = node.enter()
      let before = out.count
      do throws(S.Failure) {
        if let elements {
          try await stage.process(elements) { out.append($0) }
        } else {
          try await stage.finish { out.append($0) }
        }
      } catch {
        if try await retries(elements, token: token, error, emitted: out.count - before) { continue }
        return
      }
      supervisor.succeeded()
      let emitted = out.count - before
      var tally = NodeMeter.Tally()
      tally.elementsIn = elements?.count ?? 0
      tally.elementsOut = emitted
      tally.created = max(0, emitted - tally.elementsIn)
      tally.merged = max(0, tally.elementsIn - emitted)
      node.meter.record(tally, at: stamp)
      guard let token else { return }
      if emitted == 0 {
        token.settle(S.Output.self == Never.self ? .stored : .filtered)
      } else {
        token.fork(emitted - 1)
        out.attach(token, from: before)
      }
      return
    }
  }

  @inlinable
  nonisolated(nonsending) func retries(
    _ elements: [S.Input]?, token: Settlement?, _ error: S.Failure, emitted: Int
  ) async throws(PortInterruption) -> Bool {
    var tally = NodeMeter.Tally()
    tally.elementsIn = elements?.count ?? 0
    tally.elementsOut = emitted
    tally.created = emitted
    defer { node.meter.record(tally, at: node.now) }
    if error is CancellationError, node.isCancelled {
      tally.errors = 1
      tally.discarded = tally.elementsIn
      token?.settle(.abandoned)
      throw .cancelled
    }
    switch await supervisor.decide(error) {
    case .fail:
      tally.discarded = tally.elementsIn
      token?.settle(.failed)
      throw .failed(node.fail(error))
    case .retry:
      tally.elementsIn = 0
      tally.retries = 1
      return true
    case .skip:
      giveUp(elements, token: token, error, &tally)
      return false
    case .restart:
      giveUp(elements, token: token, error, &tally)
      stage = original
      return false
    }
  }

  @inlinable
  func giveUp(_ elements: [S.Input]?, token: Settlement?, _ error: S.Failure, _ tally: inout NodeMeter.Tally) {
    var outcome = Outcome.dropped(.failed)
    for element in elements ?? [] { outcome = supervisor.giveUp(element, error, tally: &tally) }
    token?.settle(outcome)
  }
}
