/// One copy of a stage that works on all that is ready. Confined to the task that runs it.
@usableFromInline
final class ChunkWorker<S: AsyncChunkStage>: @unchecked Sendable {
  // Safety: as AsyncWorker.
  @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let node: NodeRun
  @usableFromInline let supervisor: Supervisor
  @exclusivity(unchecked) @usableFromInline var input = Chunk<S.Input>()

  @inlinable
  init(_ stage: S, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.node = node
    supervisor = Supervisor(supervision, node: node)
  }

  /// Handles everything a port has, all that is ready in one call.
  /// - Parameter writer: takes what is emitted; nil for a stage that emits nothing.
  /// - Returns: how the input ended.
  @inlinable
  nonisolated(nonsending) func run(
    _ reader: ChunkReader<S.Input>, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd {
    let end = await waitAndWork(reader, into: writer)
    reader.close()
    input.settleAll(.abandoned)
    return end
  }

  @inlinable
  nonisolated(nonsending) func waitAndWork(
    _ reader: ChunkReader<S.Input>, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd {
    var turns = 0
    while true {
      // What it was before the run is checked with the blueprint; a stage may compute it anew for every call.
      switch reader.poll(&input, max(1, stage.maximum)) {
      case .ready:
        if let end = await work(into: writer) { return end }
        turns &+= 1
        if turns & (chunksAtOnce - 1) == 0 { await Task.yield() }
      case .ended: return await call(nil, token: nil, into: writer) ?? .finished
      case .interrupted(let interruption): return LinkEnd(interruption)
      case .empty: await reader.wait()
      case .turn: await Task.yield()
      case .asynchronous: if let end = await suspend(reader, into: writer) { return end }
      }
    }
  }

  /// Lets the port do what it could not without waiting.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func suspend(
    _ reader: ChunkReader<S.Input>, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd? {
    do throws(PortInterruption) {
      guard try await reader.suspending(&input, max(1, stage.maximum)) else {
        return await call(nil, token: nil, into: writer) ?? .finished
      }
    } catch {
      return LinkEnd(error)
    }
    return await work(into: writer)
  }

  /// Hands over the elements in hand.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func work(into writer: WriterPort<S.Output>?) async -> LinkEnd? {
    let elements = input.array()
    let token = input.detachTokens()
    input.removeAll()
    return await call(elements, token: token, into: writer)
  }

  /// One call into the stage; nil for the last one.
  /// - Returns: nil when more is wanted.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func call(
    _ elements: [S.Input]?, token: Settlement?, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd? {
    var out = Chunk<S.Output>()
    var end: LinkEnd?
    do throws(PortInterruption) { try await attempt(elements, token: token, into: &out) } catch { end = LinkEnd(error) }
    if !out.isEmpty {
      node.showTaps(out)
      if !(await writer?.send(&out) ?? true) { end = end ?? .cancelled }
    }
    return end
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
  @inline(never)
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
