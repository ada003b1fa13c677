/// One copy of an asynchronous stage at work. Confined to the task that runs it.
///
/// The task that waits for elements here keeps a small frame: what handles them is a call of its own.
@usableFromInline
final class AsyncWorker<S: AsyncStage>: @unchecked Sendable {
  // Safety: used only by the task that calls `run`; Sendable because the body of a segment is.
  @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let node: NodeRun
  @usableFromInline let supervisor: Supervisor
  @exclusivity(unchecked) @usableFromInline var input = Chunk<S.Input>()
  @exclusivity(unchecked) @usableFromInline var out = Chunk<S.Output>()
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
  @inline(never)
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

  /// Handles everything a port has, one element at a time.
  /// - Parameter writer: takes what is emitted; nil for a stage that emits nothing.
  /// - Returns: how the input ended.
  @inlinable
  nonisolated(nonsending) func run(
    _ reader: ChunkReader<S.Input>, most: Int = .max, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd {
    let limit = min(most, node.segment.runContext.chunkSize)
    let end = await waitAndWork(reader, limit: limit, into: writer)
    reader.close()
    input.settleAll(.abandoned)
    return end
  }

  @inlinable
  nonisolated(nonsending) func waitAndWork(
    _ reader: ChunkReader<S.Input>, limit: Int, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd {
    var turns = 0
    while true {
      switch reader.poll(&input, limit) {
      case .ready:
        if let end = await work(into: writer) { return end }
        turns &+= 1
        if turns & (chunksAtOnce - 1) == 0 { await Task.yield() }
      case .ended: return await finish(into: writer)
      case .interrupted(let interruption): return LinkEnd(interruption)
      case .empty: await reader.wait()
      case .turn: await Task.yield()
      case .asynchronous: if let end = await suspend(reader, limit: limit, into: writer) { return end }
      }
    }
  }

  /// Lets the port do what it could not without waiting.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func suspend(
    _ reader: ChunkReader<S.Input>, limit: Int, into writer: WriterPort<S.Output>?
  ) async -> LinkEnd? {
    do throws(PortInterruption) {
      if !(try await reader.suspending(&input, limit)) { return await finish(into: writer) }
    } catch {
      return LinkEnd(error)
    }
    return await work(into: writer)
  }

  /// Handles the elements in hand.
  /// - Returns: nil when more is wanted.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func work(into writer: WriterPort<S.Output>?) async -> LinkEnd? {
    while let (element, token) = input.popFirstTracked() {
      var end: LinkEnd?
      do throws(PortInterruption) { try await handle(element, token: token, into: &out) } catch { end = LinkEnd(error) }
      if !out.isEmpty, !offered(to: writer), !(await writer?.send(&out) ?? true) { end = end ?? .cancelled }
      if let end { return end }
      if node.isCancelled { return .cancelled }
    }
    return nil
  }

  /// Passes on what was emitted if that takes no waiting.
  @inlinable
  func offered(to writer: WriterPort<S.Output>?) -> Bool {
    node.showTaps(out)
    guard let writer, case .accepted = writer.link.offer(&out) else { return false }
    return true
  }

  /// The input has ended.
  @inlinable
  @inline(never)
  nonisolated(nonsending) func finish(into writer: WriterPort<S.Output>?) async -> LinkEnd {
    var end = LinkEnd.finished
    do throws(PortInterruption) { try await finish(into: &out) } catch { end = LinkEnd(error) }
    guard !out.isEmpty else { return end }
    node.showTaps(out)
    if !(await writer?.send(&out) ?? true), case .finished = end { end = .cancelled }
    return end
  }
}
