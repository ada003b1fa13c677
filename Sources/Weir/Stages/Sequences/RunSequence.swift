/// An AsyncSequence seen through a stage that needs time, tasks or a life of its own, outside any graph.
///
/// Each iteration owns a small run: the first `next` starts an unstructured task that drives base, stage and links. It
/// runs where the consumer does: on the consumer's preferred task executor if it has one. Dropping the iterator or
/// cancelling the consumer cancels that task, and with it the base; nothing of it outlives the cancellation.
///
/// - Emits when: the stage does. Up to `limit` elements are worked ahead of the consumer on each of its links.
/// - Waits when: the base or the stage does, or its links are full.
/// - Finishes when: the stage does. After the end, and after an error, `next` answers nil for ever.
/// - Cancels when: the iterator is dropped or its consumer is cancelled; `next` then answers nil.
/// - Memory: two links of `limit` elements, and what the stage holds.
/// - Errors: ``StageFailure``, after everything emitted before it: its node is `base` or `stage`, its cause what was thrown.
public struct RunSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = StageFailure

  /// Runs one iteration: everything the stage emits goes to the link.
  typealias Drive = @Sendable (Link<Element>) async -> Void

  private let limit: LinkLimit
  private let drive: Drive

  init(limit: LinkLimit, drive: @escaping Drive) {
    self.limit = limit
    self.drive = drive
  }

  public func makeAsyncIterator() -> Iterator { Iterator(RunIteratorState(limit: limit, drive: drive)) }

  public struct Iterator: AsyncIteratorProtocol {
    private let state: RunIteratorState<Element>

    fileprivate init(_ state: RunIteratorState<Element>) { self.state = state }

    /// The next element; nil at the end, when cancelled, and for ever after.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(StageFailure) -> Element? {
      try await state.next()
    }
  }
}

/// One iteration of a ``RunSequence``: the task, and the link it fills.
private final class RunIteratorState<Element: Sendable>: @unchecked Sendable {
  // Safety: `start` and `task` are used only by the task that iterates; an iterator is used by one task at a time.
  private let link: Link<Element>
  private let output: LinkIteratorState<Element>
  private var start: RunSequence<Element>.Drive?
  private var task: Task<Void, Never>?

  init(limit: LinkLimit, drive: @escaping RunSequence<Element>.Drive) {
    link = Link(limit: limit)
    output = LinkIteratorState(link)
    start = drive
  }

  deinit { task?.cancel() }

  func next() async throws(StageFailure) -> Element? {
    if let drive = start.take() {
      let link = self.link
      task = Task(executorPreference: currentTaskExecutor()) { await drive(link) }
    }
    do throws(PortInterruption) {
      return try await output.next()
    } catch {
      guard case .failed(let failure) = error else { return nil }
      throw failure
    }
  }
}

/// The task executor the calling task prefers; nil for none, or where the platform cannot tell.
private func currentTaskExecutor() -> (any TaskExecutor)? {
  guard #available(macOS 26.4, iOS 26.4, *) else { return nil }
  return withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
}

extension Outlet {
  /// Ends here: everything goes to a link outside the graph.
  consuming func leave(into link: Link<Element>) {
    let location = SourceLocation(#fileID, #line)
    let node = builder.addNode("output", .sink, "sequence", location)
    connect(to: node)
    let make = self.make
    builder.addRoot { run in
      let segment = run.newSegment()
      let reader = make(segment)
      let counter = segment.addNode(node)
      let writer = WriterPort(link, segment: segment)
      segment.seal(Pump(reader, into: writer, counter: counter, isSink: true))
    }
  }
}

extension AsyncSequence
where Self: Sendable, Self: SendableMetatype, AsyncIterator: SendableMetatype, Element: Sendable {
  /// This sequence seen through a timed stage; see ``RunSequence``.
  /// - Throws: ``StageFaults`` at once when parameters make no sense.
  public func via<S: TimedStage>(
    _ stage: S, limit: LinkLimit = .standard, clock: GraphClock = .continuous
  ) throws(StageFaults) -> RunSequence<S.Output> where S.Input == Element {
    try StageFaults.check(S.self, stage.faults + limit.faults)
    return run(limit, clock) { $0.via("stage", stage, limit: limit) }
  }

  /// This sequence seen through an asynchronous stage; see ``RunSequence``.
  /// - Throws: ``StageFaults`` at once when parameters make no sense.
  public func via<S: AsyncStage>(
    _ stage: S, parallel: Parallelism<Element> = .serial, limit: LinkLimit = .standard
  ) throws(StageFaults) -> RunSequence<S.Output> where S.Input == Element {
    try StageFaults.check(S.self, stage.faults + parallel.faults + limit.faults)
    return run(limit, .continuous) { $0.via("stage", stage, parallel: parallel, limit: limit) }
  }

  /// This sequence seen through an asynchronous stage that gets all that is ready at once; see ``RunSequence``.
  /// - Throws: ``StageFaults`` at once when parameters make no sense.
  public func via<S: AsyncChunkStage>(
    _ stage: S, limit: LinkLimit = .standard
  ) throws(StageFaults) -> RunSequence<S.Output> where S.Input == Element {
    try StageFaults.check(S.self, stage.allFaults + limit.faults)
    return run(limit, .continuous) { $0.via("stage", stage, limit: limit) }
  }

  /// This sequence seen through a process; see ``RunSequence``.
  /// - Throws: ``StageFaults`` at once when the limit makes no sense.
  public func via<P: Process>(
    _ process: P, limit: LinkLimit = .standard
  ) throws(StageFaults) -> RunSequence<P.Output> where P.Input == Element {
    try StageFaults.check(P.self, limit.faults)
    return run(limit, .continuous) { $0.via("stage", process, limit: limit) }
  }

  private func run<Output: Sendable>(
    _ limit: LinkLimit, _ clock: GraphClock,
    _ wire: @escaping @Sendable (consuming Outlet<Element>) -> Outlet<Output>
  ) -> RunSequence<Output> {
    let singlePass = self is any SinglePassSequence
    let used = OnceFlag()
    return RunSequence(limit: limit) { link in
      do {
        let blueprint = try Blueprint("sequence") { graph in
          let base = graph.source("base", limit: limit) { () throws -> Self in
            if singlePass && !used.take() { throw SourceExhausted(source: "base") }
            return self
          }
          wire(base).leave(into: link)
        }
        try await blueprint.run(RunOptions(clock: clock))
      } catch {
        // A failure has reached the link by itself; this is for what kept the run from starting.
        link.fail((error as? StageFailure) ?? StageFailure(node: "stage", cause: error))
      }
    }
  }
}

extension LinkLimit {
  var faults: [String] { fault.map { [$0] } ?? [] }
}
