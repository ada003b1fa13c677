import Synchronization
import Weir
import WeirChat
import WeirStore

/// One replay from opening its files to closing its store.
struct ReplayRun: Sendable {
  /// How long a stop in good order may take before what is left is abandoned. Nothing acknowledged is lost then either.
  static let drainDeadline = Duration.seconds(10)

  let options: ReplayOptions
  let stop: StopRequest
  let output: SharedOutput
  private let tally = ReplayTally()
  private let notices = Notices()

  init(options: ReplayOptions, stop: StopRequest, output: SharedOutput) {
    self.options = options
    self.stop = stop
    self.output = output
  }

  /// Replays everything and prints the summary.
  /// - Returns: what the run came to, after the summary was printed.
  /// - Throws: a ``CommandError`` of whatever failed.
  func run() async throws -> ReplaySummary {
    // Everything is opened before work starts, inputs first, so that a wrong name makes no store.
    var settings = LineSource.Settings()
    settings.longestLine = options.longestLine
    settings.follow = options.follow
    let totalBytes = try LineSource(options.inputs, settings: settings).totalBytes
    try demandDifferentFiles()
    let lock = try lockStore()
    defer { withExtendedLifetime(lock) {} }
    let store = try await openStore()
    do {
      let writer = try options.rejects.map { path throws(OutputError) in try RejectsWriter(path: path) }
      let refusals = RefusalLog(writer: writer)
      let summary = try await replay(into: store, settings, refusals, totalBytes: options.follow ? nil : totalBytes)
      try await summary.print(options, store, output)
      if options.indexesTexts, summary.stopped == .no { try await store.finishSearchIndex() }
      try await store.close()
      return summary
    } catch {
      try? await store.close()
      throw named(error)
    }
  }

  // MARK: Opening

  private func demandDifferentFiles() throws {
    if options.store.hasPrefix(":") || options.store.hasPrefix("file:") {
      throw ReplayError.noFile(path: options.store)
    }
    let inputs = options.inputs.compactMap(\.path)
    for path in inputs where Self.isSame(path, options.store) {
      throw ReplayError.sameFile(path: path, purpose: "input and as store")
    }
    guard let rejects = options.rejects else { return }
    for path in inputs where Self.isSame(path, rejects) {
      throw ReplayError.sameFile(path: path, purpose: "input and for refused lines")
    }
    // Beside the store lie its log, the log's index, the lock and the witness.
    for part in ["", "-wal", "-shm", "-journal", ".lock", "-witness"] where Self.isSame(options.store + part, rejects) {
      throw ReplayError.sameFile(path: rejects, purpose: "store and for refused lines")
    }
  }

  /// Whether two names stand for one file, or will once they are created.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    if first == second { return true }
    guard let one = try? OpenFile.status(of: first), let other = try? OpenFile.status(of: second) else { return false }
    return one.identity == other.identity
  }

  /// Two writing processes would be kept apart by SQLite's locks, but their checkpoints may harm each other in the
  /// versions that `SQLiteLibrary.notices` names.
  private func lockStore() throws(ReplayError) -> FileLock {
    // Beside the file itself, whatever link it is named by.
    let path = (OpenFile.resolvedPath(of: options.store) ?? options.store) + ".lock"
    do {
      return try FileLock(path: path)
    } catch {
      switch error {
      case .held(let process): throw .storeInUse(path: options.store, by: process)
      case .system(let fault): throw .cannotLock(path: path, fault)
      }
    }
  }

  private func openStore() async throws -> SQLiteMessageStore {
    do {
      return try await SQLiteMessageStore.open(
        path: options.store, account: options.account,
        options: .init(
          durability: options.durability, quickCheck: options.checksStore,
          search: options.indexesTexts ? .on : .asStored))
    } catch {
      throw StoreFailure(path: options.store, error: error)
    }
  }

  // MARK: Running

  private func replay(
    into store: SQLiteMessageStore, _ settings: LineSource.Settings, _ refusals: RefusalLog, totalBytes: Int64?
  ) async throws -> ReplaySummary {
    let before = try await store.totals()
    let clock = GraphClock.continuous
    let blueprint = try graph(store, settings, refusals, clock).blueprint()
    let progress = ReplayProgress(
      tally: tally, refusals: refusals, notices: notices, totalBytes: totalBytes, clock: clock)
    let stopped = Stopped()
    let status = StatusLine.standardError(isForced: options.showsProgress)
    let (snapshot, meter) = try await blueprint.run(RunOptions(clock: clock)) { live in
      await watch(live, progress, status, stopped)
    }
    try refusals.flush()
    return ReplaySummary(
      options: options, counts: tally.counts, refusals: refusals.report, snapshot: snapshot, elapsed: meter.elapsed,
      stopped: stopped.state, revisionBefore: before.revision)
  }

  private func graph(
    _ store: SQLiteMessageStore, _ settings: LineSource.Settings, _ refusals: RefusalLog, _ clock: GraphClock
  ) throws -> ReplayGraph {
    let health = StoreHealth(notices: notices, patience: options.patience)
    let tally = tally
    return ReplayGraph(
      ingest: LineIngest(
        inputs: options.inputs, settings: settings, rate: options.rate, clock: clock, tally: tally,
        refusals: refusals, notices: notices),
      decoder: OpenIMCallbackDecoder(account: options.account, lineLimit: options.longestLine),
      hooks: try SenderFilter.hooks(dropping: options.droppedSenders), names: options.inputs.map(\.name),
      tally: tally, refusals: refusals, supervision: options.supervision,
      projection: ProjectionStage(onFailure: { health.failed($0) }) { (facts) async throws(StoreError) in
        let result = try await store.apply(facts)
        health.worked()
        tally.add(result)
        return result
      },
      printer: HintPrinter(form: options.hints, output: output, tally: tally))
  }

  /// Beside the running graph: shows progress, and drains when the user asks to stop.
  private func watch(
    _ live: LiveGraph<Void>, _ progress: ReplayProgress, _ line: StatusLine, _ stopped: Stopped
  ) async -> (GraphSnapshot, ProgressMeter) {
    await withTaskGroup(of: ProgressMeter?.self) { group in
      group.addTask {
        var status = line
        let meter = await progress.run(live, status: &status, isDraining: { stopped.state != .no })
        status.finish(meter.summary())
        return meter
      }
      group.addTask { [stop] in
        guard await stop.wait() else { return nil }
        stopped.set(.draining)
        let report = await live.drain(deadline: Self.drainDeadline)
        stopped.set(report.endedInTime ? .drained : .abandoned)
        return nil
      }
      await live.waitUntilEnded()
      let snapshot = live.snapshot()
      group.cancelAll()
      var meter = ProgressMeter(counting: "lines")
      for await result in group { meter = result ?? meter }
      return (snapshot, meter)
    }
  }

  /// The error as the user should see it: that of the node which failed, with the file's name.
  private func named(_ error: any Error) -> any Error {
    switch error {
    case let failure as StageFailure: named(failure.cause)
    case let error as StoreError: StoreFailure(path: options.store, error: error)
    default: error
    }
  }
}

/// Whether and how the user stopped the run.
final class Stopped: Sendable {
  enum State: Sendable { case no, draining, drained, abandoned }
  private let value = Mutex(State.no)
  var state: State { value.withLock { $0 } }
  func set(_ state: State) { value.withLock { $0 = state } }
}
