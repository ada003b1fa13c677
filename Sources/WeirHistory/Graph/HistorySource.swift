import Weir
import WeirStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What others have written to a store, batch by batch, as a source of a graph. It reads on when the batch before is
/// merged, so that the position in the file, not a notification, says what comes next.
///
/// - Emits when: transactions of others are recorded beyond the position, and the batch before is merged.
/// - Waits when: nothing new is recorded, the batch before is under way, or a delay is on after a failure.
/// - Finishes when: the history is closed or the run drained.
/// - Cancels when: downstream does.
/// - Memory: one page.
/// - Errors: ``HistoryError`` of kind `unknownAuthor`, `retired` or, without a rebuild, `expired`.
public struct HistorySource: Sendable {
  let history: History
  let author: String
  let settings: Settings

  /// How a reader reads.
  public struct Settings: Sendable {
    /// Whose transactions; nil for everybody but the own author.
    public var filter: AuthorFilter?
    /// When history is deleted behind the passes.
    public var cleaning = CleanStrategy.none
    /// What a cleaning keeps.
    public var keeping = HistoryKeeping()
    /// Makes the reader's rows anew where its position is void; see ``History/rebuild(_:as:_:)``. Without it the source fails then.
    public var rebuild: (@Sendable (Connection) throws -> Void)?
    /// Measures delays.
    public var clock = GraphClock.continuous
    /// Hears what becomes of the passes.
    public var report: @Sendable (HistoryEvent) -> Void = { _ in }

    /// The defaults.
    public init() {}
  }

  /// A source of what others write than `author`, which must be registered as a reader.
  public init(_ history: History, author: String, settings: Settings = Settings()) {
    self.history = history
    self.author = author
    self.settings = settings
  }

  /// Reads until the history is closed or the task is cancelled.
  func run(_ output: ProcessOutput<HistoryBatch>) async throws {
    var reading = Reading(source: self)
    while !Task.isCancelled {
      guard let promise = try await output.idle(while: { try await reading.next() }) else { return }
      guard await send(&reading, output) else { return await reading.leave() }
      let outcome = await output.idle { await promise.outcome() }
      // What was under way when the run was aborted is no failure: it comes again.
      if Task.isCancelled, !outcome.isMerged { return await output.idle { await reading.leave() } }
      // Neither is what the closing of the history has cut short.
      if history.head.isClosed, !outcome.isMerged { return }
      try await output.idle {
        try await reading.settle(outcome)
        // What waits now is under way no more: a process that ends meanwhile has not died of it.
        if reading.isDelayed { await reading.leave() }
      }
    }
  }
}

extension HistorySource {
  /// The copy that is sent is the only one afterwards: when it is thrown away, the promise hears of it.
  private func send(_ reading: inout Reading, _ output: ProcessOutput<HistoryBatch>) async -> Bool {
    guard let batch = reading.takeBatch() else { return false }
    return await output.send(batch)
  }
}

extension GraphBuilder {
  /// What others have written to a store, batch by batch. See ``HistorySource``.
  public func source(
    _ name: String, _ history: HistorySource, file: StaticString = #fileID, line: UInt = #line
  ) -> Outlet<HistoryBatch> {
    source(name, of: HistoryBatch.self, limit: .elements(1), file: file, line: line) { output in
      try await history.run(output)
    }
  }
}

/// Where a source stands between two batches.
struct Reading {
  let source: HistorySource
  private var progress: PassProgress
  private var counter: CleanCounter
  /// The position as the file has it; nil to read it.
  private var cursor: HistoryToken?
  /// The position that was scanned: beyond the one in the file where only the reader itself has written since.
  private var position: HistoryToken?
  private var delay: Duration = .zero
  private var pending: (seqs: [Int64], start: Int64, end: HistoryToken)?
  private var lastMove: Duration = .seconds(-3_600)
  private var batch: HistoryBatch?
  /// Whether this run has noted that it handles what follows the position.
  private var hasTried = false
  private var carefulTo: Int64 = 0

  init(source: HistorySource) {
    self.source = source
    progress = PassProgress(pageSize: source.history.options.pageTransactions)
    counter = CleanCounter(source.settings.cleaning)
  }

  private var history: History { source.history }
  private var settings: HistorySource.Settings { source.settings }

  /// The batch that ``next()`` has made.
  mutating func takeBatch() -> HistoryBatch? {
    defer { batch = nil }
    return batch
  }

  /// Makes the next batch and returns the promise of its outcome; nil when the history was closed.
  mutating func next() async throws -> BatchPromise? {
    var handed: HistoryPage?
    while !Task.isCancelled {
      if delay > .zero {
        try await settings.clock.sleep(for: delay)
        delay = .zero
      }
      let seen = history.head.generation
      let page: HistoryPage
      let held: HistoryToken
      do {
        held = try await currentCursor()
        page = try await read(after: position ?? held, handed: handed)
        handed = nil
      } catch {
        handed = nil
        if history.head.isClosed { return nil }
        try await recover(from: error)
        continue
      }
      guard page.transactions.isEmpty else {
        let allowed: HistoryPage?
        do {
          allowed = try await guarded(page, held)
        } catch {
          try await recover(from: error)
          continue
        }
        guard let page = allowed else { continue }
        let promise = BatchPromise()
        pending = (page.transactions.map(\.seq), page.start, page.end)
        batch = HistoryBatch(
          transactions: page.transactions, start: page.start, end: page.end, author: source.author,
          attempt: progress.attempts, cursor: held.seq, ticket: BatchTicket(promise))
        return promise
      }
      if page.end.seq > page.start {
        position = page.end
        try await skipOwn(isFull: page.isFull)
        continue
      }
      switch await history.head.wait(beyond: seen, toRead: request(after: position ?? held)) {
      case .ended: return nil
      case .news(let page): handed = page
      }
    }
    return nil
  }

  private func request(after token: HistoryToken) -> PageRequest {
    history.request(
      after: token, from: settings.filter ?? .everybody(but: source.author), limit: progress.limit)
  }

  /// The page after a position: the one that was handed over with the wake-up, if it is that.
  private func read(after token: HistoryToken, handed: HistoryPage?) async throws(HistoryError) -> HistoryPage {
    if let handed, handed.start == token.seq {
      try history.demandFile()
      return handed
    }
    let request = request(after: token)
    return try await history.read { (context) throws(StoreError) in try context.page(request) }.get()
  }

  /// As much of a page as may be handled at once; nil where it has to be read again. See ``CrashGuard``.
  private mutating func guarded(_ page: HistoryPage, _ held: HistoryToken) async throws -> HistoryPage? {
    if hasTried, held.seq >= carefulTo { return page }
    guard let found = try await history.beginTry(of: source.author, at: held.seq) else {
      settings.report(.lostRace)
      cursor = nil
      return nil
    }
    hasTried = true
    carefulTo = found.carefulTo
    if held.seq < carefulTo {
      let one = page.first
      guard found.hasLostPatience else { return one }
      let words = "the process ended \(found.tries - 1) times while transaction \(one.end.seq) was handled"
      try await giveUp(one.end, one.start, HistoryError(.processEnded, words), Int(clamping: found.tries - 1))
      return nil
    }
    guard found.hasLostPatience else { return page }
    carefulTo = page.end.seq
    try await history.beCareful(source.author, to: carefulTo)
    return page.first
  }

  /// Whether a batch comes again, later.
  var isDelayed: Bool { delay > .zero }

  /// Nothing is under way any more.
  mutating func leave() async {
    hasTried = false
    try? await history.endTry(of: source.author)
  }

  private mutating func currentCursor() async throws(HistoryError) -> HistoryToken {
    if let cursor { return cursor }
    let found = try await history.cursor(of: source.author)
    cursor = found
    position = found
    return found
  }

  /// Only the reader itself has written: the position in the file follows now and then, since each move is a write.
  private mutating func skipOwn(isFull: Bool) async throws {
    guard let held = cursor, let to = position else { return }
    let now = settings.clock.now
    guard to.seq - held.seq >= 256 || (!isFull && now - lastMove >= .seconds(1)) else { return }
    try await move(from: held.seq, to: to)
  }

  private mutating func move(from start: Int64, to end: HistoryToken) async throws {
    lastMove = settings.clock.now
    do throws(HistoryError) {
      guard try await history.moveCursor(of: source.author, from: start, to: end.seq) else {
        settings.report(.lostRace)
        cursor = nil
        return
      }
      cursor = end
    } catch {
      guard error.isRetryable else { throw error }
    }
  }

  /// The store cannot be read now, or the position is void.
  private mutating func recover(from error: any Error) async throws {
    guard let error = error as? HistoryError else { throw error }
    switch error.kind {
    case .expired, .rewritten, .wrongStore, .retired:
      settings.report(.expired(error))
      guard let rebuild = settings.rebuild else { throw error }
      let token: HistoryToken
      do {
        token = try await history.rebuild(source.author, rebuild)
      } catch let error as HistoryError where error.isRetryable {
        fail(error, seqs: [], scanned: 0)
        return
      }
      settings.report(.rebuilt(cursor: token.seq))
      cursor = token
      position = token
    case .store where error.isRetryable:
      fail(error, seqs: [], scanned: 0)
    default: throw error
    }
  }

  /// Takes in what became of the batch.
  mutating func settle(_ outcome: BatchOutcome) async throws {
    guard let batch = pending else { return }
    pending = nil
    switch outcome {
    case .merged(let seq, let delay):
      progress.passed(scanned: Int(clamping: seq - batch.start))
      if seq == batch.end.seq {
        cursor = batch.end
        position = batch.end
      } else {
        cursor = nil
      }
      if seq > batch.start { settings.report(.merged(seqs: batch.seqs.filter { $0 <= seq }, cursor: seq)) }
      if let delay {
        settings.report(.deferred(from: seq + 1, delay))
        self.delay = delay
      }
      if seq > batch.start { try await clean() }
    case .lostRace:
      settings.report(.lostRace)
      cursor = nil
    case .dropped:
      fail(
        HistoryError(.batchDropped, "a node threw the batch away: pass on or fail each batch"), seqs: batch.seqs,
        scanned: 0)
    case .failed(let error):
      let scanned = Int(clamping: batch.end.seq - batch.start)
      if let attempts = fail(error, seqs: batch.seqs, scanned: scanned) {
        try await giveUp(batch.end, batch.start, error, attempts)
      }
    }
  }

  /// - Returns: the number of attempts, when the only transaction left is to be given up.
  @discardableResult
  private mutating func fail(_ error: any Error, seqs: [Int64], scanned: Int) -> Int? {
    // What the store cannot do now is nobody's fault, whoever asked it.
    let cause = (error as? HookFailure)?.cause ?? error
    let isTransient = (cause as? HistoryError)?.isRetryable ?? (cause as? StoreError)?.isRetryable ?? (scanned == 0)
    switch progress.failed(scanned: scanned, isTransient: isTransient) {
    case .read(let delay, _):
      self.delay = delay
      let attempt = progress.attempts
      settings.report(.failed(PassFailure(seqs: seqs, cause: error, attempt: attempt, delay: delay)))
      return nil
    case .giveUp(let attempts): return attempts
    }
  }

  private mutating func giveUp(
    _ end: HistoryToken, _ start: Int64, _ error: any Error, _ attempts: Int
  ) async throws {
    let held = try await currentCursor()
    do throws(HistoryError) {
      let isMine = try await history.giveUp(
        source.author, from: held.seq, to: end.seq, letters: [(end.seq, attempts, "\(error)")])
      guard isMine else {
        settings.report(.lostRace)
        cursor = nil
        return
      }
      progress.passed(scanned: Int(clamping: end.seq - start))
      settings.report(.deadLettered(seq: end.seq, attempts: attempts, reason: "\(error)"))
      cursor = end
      position = end
    } catch {
      guard error.isRetryable else { throw error }
      fail(error, seqs: [end.seq], scanned: 0)
    }
  }

  /// The last step of a pass. Its failure is no failure of the pass.
  private mutating func clean() async throws {
    guard counter.passed() else { return }
    var period: Duration?
    if case .byDuration(let duration) = settings.cleaning { period = duration }
    do throws(HistoryError) {
      guard let cleaning = try await history.clean(keeping: settings.keeping, atMostEvery: period) else { return }
      if cleaning.transactions > 0 {
        counter.cleaned()
        settings.report(.cleaned(cleaning))
      }
    } catch {
      settings.report(.cleaningFailed(error))
    }
  }
}
