/// One copy of an asynchronous stage at work. Confined to the task that runs it.
final class AsyncWorker<S: AsyncStage>: @unchecked Sendable {
  // Safety: used only by the task that calls `run`; Sendable because the body of a segment is.
  private var stage: S
  private let original: S
  private let node: NodeRun
  private let supervisor: Supervisor
  /// Whether the node itself has failed for good.
  private(set) var hasFailed = false

  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  /// Handles one element. What it emits is added to `out` with the element's token; what it emits before it throws is
  /// added without.
  /// - Throws: an interruption when the node has failed; `out` is to be delivered before it.
  func handle(
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

  private func count(_ emitted: Int, _ tally: inout NodeMeter.Tally) {
    if emitted > 1 {
      tally.created = emitted - 1
    } else if emitted == 0 {
      if S.Output.self == Never.self { tally.merged = 1 } else { tally.filtered = 1 }
    }
  }

  private func settle(_ token: Settlement?, _ out: inout Chunk<S.Output>, from first: Int) {
    guard let token else { return }
    if out.count == first {
      token.settle(S.Output.self == Never.self ? .stored : .filtered)
    } else {
      token.fork(out.count - first - 1)
      out.attach(token, from: first)
    }
  }

  /// - Returns: whether the element is to be tried again; false when it was given up.
  private func retries(
    _ element: S.Input, token: Settlement?, _ error: S.Failure, emitted: Int, _ tally: inout NodeMeter.Tally
  ) async throws(PortInterruption) -> Bool {
    tally.errors = 1
    tally.elementsIn = 1
    tally.elementsOut = emitted
    tally.created = emitted
    if error is CancellationError, node.scope.segment?.isCancelled == true {
      token?.settle(.abandoned)
      tally.discarded = 1
      node.meter.record(tally, at: node.scope.clock?.now ?? 0)
      throw .cancelled
    }
    let decision = await supervisor.decide(error)
    defer { node.meter.record(tally, at: node.scope.clock?.now ?? 0) }
    switch decision {
    case .fail:
      tally.discarded = 1
      token?.settle(.dropped(.failed))
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
  func finish(into out: inout Chunk<S.Output>) async throws(PortInterruption) {
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

  func showTaps(_ chunk: borrowing Chunk<S.Output>) { node.showTaps(chunk) }

  /// Runs one step and passes on what it emitted, also when it fails.
  func deliver(
    _ out: inout Chunk<S.Output>, through emit: (inout Chunk<S.Output>) async -> Bool,
    _ step: (inout Chunk<S.Output>) async throws(PortInterruption) -> Void
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
  func run(_ reader: ChunkReader<S.Input>, most: Int = .max, emit: (inout Chunk<S.Output>) async -> Bool) async
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
        if node.scope.segment?.isCancelled == true { throw .cancelled }
      }
      return true
    }
    input.settleAll(.abandoned)
    return end
  }
}

/// One copy of a stage that works on all that is ready. Confined to the task that runs it.
final class ChunkWorker<S: AsyncChunkStage>: @unchecked Sendable {
  // Safety: as AsyncWorker.
  private var stage: S
  private let original: S
  private let node: NodeRun
  private let supervisor: Supervisor

  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  func run(_ reader: ChunkReader<S.Input>, emit: (inout Chunk<S.Output>) async -> Bool) async -> LinkEnd {
    var input = Chunk<S.Input>()
    let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
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
  private func call(
    _ elements: [S.Input]?, token: Settlement?, emit: (inout Chunk<S.Output>) async -> Bool
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
  private func attempt(
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

  private func retries(
    _ elements: [S.Input]?, token: Settlement?, _ error: S.Failure, emitted: Int
  ) async throws(PortInterruption) -> Bool {
    var tally = NodeMeter.Tally()
    tally.errors = 1
    tally.elementsIn = elements?.count ?? 0
    tally.elementsOut = emitted
    tally.created = emitted
    defer { node.meter.record(tally, at: node.scope.clock?.now ?? 0) }
    if error is CancellationError, node.scope.segment?.isCancelled == true {
      tally.discarded = tally.elementsIn
      token?.settle(.abandoned)
      throw .cancelled
    }
    switch await supervisor.decide(error) {
    case .fail:
      tally.discarded = tally.elementsIn
      token?.settle(.dropped(.failed))
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

  private func giveUp(_ elements: [S.Input]?, token: Settlement?, _ error: S.Failure, _ tally: inout NodeMeter.Tally) {
    var outcome = Outcome.dropped(.failed)
    for element in elements ?? [] { outcome = supervisor.giveUp(element, error, tally: &tally) }
    token?.settle(outcome)
  }
}
