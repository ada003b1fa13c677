/// One run's copy of a stage, with the chunk it is working through. Confined to the task that drives it.
@usableFromInline
final class StageState<S: Stage>: @unchecked Sendable {
  // Safety: every member is used only by the task that drives the segment (`pull` and `close` are called by it alone);
  // Sendable because those closures are. For the same reason no two accesses can overlap, and none is checked: the
  // checks would cost more than a small chunk.
  @exclusivity(unchecked) @usableFromInline var stage: S
  @usableFromInline let original: S
  @usableFromInline let upstream: ChunkReader<S.Input>
  @exclusivity(unchecked) @usableFromInline var input = Chunk<S.Input>()
  @exclusivity(unchecked) @usableFromInline var phase = StagePhase.running
  /// Tokens of elements the stage holds, oldest first.
  @exclusivity(unchecked) var heldTokens = HeldTokens()
  /// A step that failed and whose failure has not been decided upon.
  @exclusivity(unchecked) @usableFromInline var unsettled: Unsettled?
  @usableFromInline let supervision: Supervision
  /// Made at the first failure.
  @exclusivity(unchecked) @usableFromInline var failures: Supervisor?
  @usableFromInline let node: NodeRun

  /// What a failed step leaves behind.
  @usableFromInline
  final class Unsettled {
    @usableFromInline let step: StageStep<S.Input, S.Failure>
    @usableFromInline let token: Settlement?
    @usableFromInline let tally: NodeMeter.Tally
    @usableFromInline let stamp: UInt64

    @inlinable
    init(step: StageStep<S.Input, S.Failure>, token: Settlement?, tally: NodeMeter.Tally, stamp: UInt64) {
      self.step = step
      self.token = token
      self.tally = tally
      self.stamp = stamp
    }
  }

  @usableFromInline var supervisor: Supervisor {
    if let failures { return failures }
    let supervisor = Supervisor(supervision, node: node)
    failures = supervisor
    return supervisor
  }

  @usableFromInline
  func takeUnsettled() -> Unsettled? {
    defer { unsettled = nil }
    return unsettled
  }

  @usableFromInline
  init(_ stage: S, _ upstream: ChunkReader<S.Input>, supervision: Supervision, node: NodeRun) {
    self.stage = stage
    original = stage
    self.upstream = upstream
    self.supervision = supervision
    self.node = node
  }

  @usableFromInline
  func abandon() {
    takeUnsettled()?.token?.settle(.abandoned)
    input.settleAll(.abandoned)
    heldTokens.settleAll(.abandoned)
    phase = .ended
    upstream.close()
  }

  /// Gives tokens to what one call emitted: `left` elements, oldest first, have left the stage with it.
  func assignTokens(left: Int, to out: inout Chunk<S.Output>, from first: Int) {
    guard let token = Settlement.merging(heldTokens.take(left)) else { return }
    let produced = out.count - first
    guard produced > 0 else {
      token.settle(S.Output.self == Never.self ? .stored : .filtered)
      return
    }
    token.fork(produced - 1)
    out.attach(token, from: first)
  }
}

/// Where a stage is in its life.
@frozen
@usableFromInline
enum StagePhase: Sendable {
  case running
  /// Nothing more comes in; `finish` has been called, and what it emitted is delivered.
  case ended
  /// Failed; the failure is delivered after what was emitted before it.
  case failed(PortInterruption)
}
