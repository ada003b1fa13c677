/// One copy of an asynchronous stage at work. Confined to the task that runs it.
@usableFromInline
final class AsyncWorker<S: AsyncStage>: @unchecked Sendable {
  // Safety: used only by the task that calls `run`; Sendable because the body of a segment is.
  @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let node: NodeRun
  @usableFromInline let supervisor: Supervisor
  @usableFromInline var out = Chunk<S.Output>()

  @inlinable
  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  /// Handles one element.
  /// - Returns: what it emitted, with the element's token; an interruption when the node has failed.
  @inlinable
  nonisolated(nonsending) func handle(_ element: S.Input, token: Settlement?) async throws(PortInterruption) -> Chunk<S.Output> {
    while true {
      let stamp = node.enter()
      var tally = NodeMeter.Tally()
      var emitted = Chunk<S.Output>()
      swap(&emitted, &out)
      do throws(S.Failure) {
        try await stage.process(element) { emitted.append($0) }
      } catch {
        guard try await retries(element, token: token, error, emitted: emitted.count, &tally) else {
          return emitted
        }
        continue
      }
      supervisor.succeeded()
      tally.elementsIn = 1
      tally.elementsOut = emitted.count
      count(emitted.count, &tally)
      settle(token, &emitted)
      node.meter.record(tally, at: stamp)
      node.showTaps(emitted)
      return emitted
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
  func settle(_ token: Settlement?, _ emitted: inout Chunk<S.Output>) {
    guard let token else { return }
    if emitted.isEmpty {
      token.settle(S.Output.self == Never.self ? .stored : .filtered)
    } else {
      token.fork(emitted.count - 1)
      emitted.attach(token, from: 0)
    }
  }

  /// - Returns: whether the element is to be tried again; false when it was given up.
  @inlinable
  nonisolated(nonsending) func retries(
    _ element: S.Input, token: Settlement?, _ error: S.Failure, emitted: Int, _ tally: inout NodeMeter.Tally
  ) async throws(PortInterruption) -> Bool {
    tally.errors = 1
    tally.elementsIn = 1
    tally.elementsOut = emitted
    tally.created = emitted
    if error is CancellationError, node.isCancelled {
      token?.settle(.abandoned)
      tally.discarded = 1
      node.meter.record(tally, at: node.now)
      throw .cancelled
    }
    let decision = await supervisor.decide()
    defer { node.meter.record(tally, at: node.now) }
    switch decision {
    case .fail:
      tally.discarded = 1
      token?.settle(.dropped(.failed))
      throw .failed(node.fail(error))
    case .retry:
      tally.elementsIn = 0
      tally.retries = 1
      return true
    case .skip, .restart:
      token?.settle(supervisor.giveUp(element, error, tally: &tally))
      if decision == .restart { stage = original }
      return false
    }
  }

  @inlinable
  nonisolated(nonsending) func finish() async throws(PortInterruption) -> Chunk<S.Output> {
    let stamp = node.enter()
    var tally = NodeMeter.Tally()
    var emitted = Chunk<S.Output>()
    do throws(S.Failure) {
      try await stage.finish { emitted.append($0) }
    } catch {
      tally.errors = 1
      node.meter.record(tally, at: stamp)
      throw .failed(node.fail(error))
    }
    tally.elementsOut = emitted.count
    tally.created = emitted.count
    node.meter.record(tally, at: stamp)
    return emitted
  }

  /// Handles everything a port has, one element at a time.
  /// - Parameter emit: passes on what was emitted; false when nobody wants more.
  /// - Returns: how the input ended.
  @inlinable
  nonisolated(nonsending) func run(_ reader: ChunkReader<S.Input>, most: Int = .max, emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool) async
    -> LinkEnd
  {
    let limit = min(most, node.scope.runContext.chunkSize)
    var input = Chunk<S.Input>()
    let end = await drive(reader) { () async throws(PortInterruption) -> Bool in
      guard try await reader.pull(&input, limit) else {
        var last = try await finish()
        if !last.isEmpty, !(await emit(&last)) { throw .cancelled }
        return false
      }
      while let (element, token) = input.popFirstTracked() {
        var emitted = try await handle(element, token: token)
        if !emitted.isEmpty, !(await emit(&emitted)) { throw .cancelled }
        if emitted.isEmpty { swap(&emitted, &out) }
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
  nonisolated(nonsending) func run(_ reader: ChunkReader<S.Input>, emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool) async -> LinkEnd {
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
  @inlinable
  nonisolated(nonsending) func call(
    _ elements: [S.Input]?, token: Settlement?, emit: nonisolated(nonsending) (inout Chunk<S.Output>) async -> Bool
  ) async throws(PortInterruption) {
    while true {
      let stamp = node.enter()
      var tally = NodeMeter.Tally()
      var emitted = Chunk<S.Output>()
      do throws(S.Failure) {
        if let elements {
          try await stage.process(elements) { emitted.append($0) }
        } else {
          try await stage.finish { emitted.append($0) }
        }
      } catch {
        if try await retries(elements, token: token, error) { continue }
        return
      }
      supervisor.succeeded()
      tally.elementsIn = elements?.count ?? 0
      tally.elementsOut = emitted.count
      tally.created = max(0, emitted.count - tally.elementsIn)
      tally.merged = max(0, tally.elementsIn - emitted.count)
      node.meter.record(tally, at: stamp)
      if emitted.isEmpty {
        token?.settle(S.Output.self == Never.self ? .stored : .filtered)
      } else {
        if let token {
          token.fork(emitted.count - 1)
          emitted.attach(token, from: 0)
        }
        node.showTaps(emitted)
        if !(await emit(&emitted)) { throw .cancelled }
      }
      return
    }
  }

  @inlinable
  nonisolated(nonsending) func retries(_ elements: [S.Input]?, token: Settlement?, _ error: S.Failure) async throws(PortInterruption) -> Bool {
    var tally = NodeMeter.Tally()
    tally.errors = 1
    tally.elementsIn = elements?.count ?? 0
    defer { node.meter.record(tally, at: node.now) }
    if error is CancellationError, node.isCancelled {
      tally.discarded = tally.elementsIn
      token?.settle(.abandoned)
      throw .cancelled
    }
    switch await supervisor.decide() {
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

  @inlinable
  func giveUp(_ elements: [S.Input]?, token: Settlement?, _ error: S.Failure, _ tally: inout NodeMeter.Tally) {
    var outcome = Outcome.dropped(.failed)
    for element in elements ?? [] { outcome = supervisor.giveUp(element, error, tally: &tally) }
    token?.settle(outcome)
  }
}
