import Weir
import WeirStore

/// Where a source stands between two batches.
struct Reading {
  let source: HistorySource
  private var progress: PassProgress
  private var counter: CleanCounter
  /// The position as the file has it; nil to read it.
  /// Elsewhere than before there is nothing to rehearse.
  private var cursor: HistoryToken? { didSet { rehearsal = nil } }
  /// The position that was scanned: beyond the one in the file where only the reader itself has written since.
  private var position: HistoryToken?
  var delay: Duration = .zero
  private var pending: (seqs: [Int64], start: Int64, end: HistoryToken, isRehearsal: Bool)?
  /// What is rehearsed next, while one transaction fails by itself: what follows this position, up to another.
  private var rehearsal: (after: HistoryToken, upTo: Int64)?
  /// Where the rehearsal under way began.
  private var rehearsedAfter: HistoryToken?
  /// The transaction for whose sake others are rehearsed, and its failure.
  private var suspect: (seqs: [Int64], cause: any Error)?
  /// The end of the batch that has failed last.
  private var failedEnd: HistoryToken?
  /// The dead letter in hand, and how its attempts have gone.
  var replay: (page: HistoryPage, progress: PassProgress)?
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

  var history: History { source.history }
  var settings: HistorySource.Settings { source.settings }

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
        if rehearsal != nil {
          if let promise = try await rehearse(held) { return promise }
          continue
        }
        if handed == nil, rehearsal == nil, let promise = try await replayNext(held) { return promise }
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
        take(page, held, promise)
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

  mutating func take(
    _ page: HistoryPage, _ held: HistoryToken, isRehearsal: Bool = false, _ promise: BatchPromise
  ) {
    pending = (page.transactions.map(\.seq), page.start, page.end, isRehearsal)
    batch = HistoryBatch(
      transactions: page.transactions, start: page.start, end: page.end, author: source.author,
      attempt: replay?.progress.attempts ?? progress.attempts, isRehearsal: isRehearsal, isReplay: replay != nil,
      cursor: held.seq, ticket: BatchTicket(promise))
  }

  /// Makes a batch of the next transaction that is to be rehearsed; nil where there is none left.
  private mutating func rehearse(_ held: HistoryToken) async throws -> BatchPromise? {
    while let (after, end) = rehearsal {
      let request = request(after: after, limit: 1)
      let page =
        try await after.seq < end
        ? history.read { (context) throws(StoreError) in try context.page(request) }.get() : nil
      guard let page, page.end.seq > after.seq else {
        endRehearsal(wentWell: false)
        return nil
      }
      rehearsal = (page.end, end)
      guard !page.transactions.isEmpty else { continue }
      let promise = BatchPromise()
      take(page, held, isRehearsal: true, promise)
      // A rehearsal that is to be repeated begins where it began.
      rehearsedAfter = after
      return promise
    }
    return nil
  }

  private mutating func endRehearsal(wentWell: Bool) {
    rehearsal = nil
    guard let (seqs, cause) = suspect else { return }
    suspect = nil
    follow(progress.rehearsed(wentWell: wentWell), seqs: seqs, cause)
  }

  private mutating func settleRehearsal(_ outcome: BatchOutcome) {
    switch outcome {
    case .merged: endRehearsal(wentWell: true)
    case .lostRace:
      settings.report(.lostRace)
      cursor = nil
    case .dropped: endRehearsal(wentWell: false)
    case .failed(let error):
      let failure = FailureKind(error)
      guard failure.isTransient else { return progress.rehearsalFailed(kind: failure.name) }
      if let end = rehearsal?.upTo, let rehearsedAfter { rehearsal = (rehearsedAfter, end) }
      let step = progress.failed(scanned: 1, isTransient: true, kind: failure.name)
      follow(step, seqs: suspect?.seqs ?? [], error)
    }
  }

  private func request(after token: HistoryToken, limit: Int? = nil) -> PageRequest {
    history.request(
      after: token, from: settings.filter ?? .everybody(but: source.author), limit: limit ?? progress.limit)
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
    // A replay that waits, or was cut short, is asked for again.
    if let letter = replay { try? await history.returnReplay(of: source.author, letter.page.end.seq) }
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
    if replay != nil { return try await settleReplay(outcome) }
    if batch.isRehearsal { return settleRehearsal(outcome) }
    switch outcome {
    case .merged(let seq, let delay):
      progress.passed(scanned: Int(clamping: seq - batch.start), isMerged: true)
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
      failedEnd = batch.end
      if let attempts = fail(error, seqs: batch.seqs, scanned: scanned) {
        try await giveUp(batch.end, batch.start, error, attempts)
      }
    }
  }

  /// - Returns: the number of attempts, when the only transaction left is to be given up.
  @discardableResult
  private mutating func fail(_ error: any Error, seqs: [Int64], scanned: Int) -> Int? {
    let kind = FailureKind(error)
    let step = progress.failed(scanned: scanned, isTransient: scanned == 0 || kind.isTransient, kind: kind.name)
    return follow(step, seqs: seqs, error)
  }

  /// - Returns: the number of attempts, when the only transaction left is to be given up.
  @discardableResult
  private mutating func follow(_ step: PassProgress.Step, seqs: [Int64], _ cause: any Error) -> Int? {
    switch step {
    case .giveUp(let attempts): return attempts
    case .read(let delay, _):
      self.delay = delay
      report(seqs, cause, delay, HistoryEvent.failed)
    case .stalled(let delay):
      self.delay = delay
      report(seqs, cause, delay, HistoryEvent.stalled)
    case .rehearse(let count):
      // One at a time, as those that have ended the process demand: nobody else is to be blamed for one of them.
      guard let end = failedEnd, end.seq >= carefulTo else {
        return follow(progress.rehearsed(wentWell: true), seqs: seqs, cause)
      }
      suspect = (seqs, cause)
      rehearsal = (end, end.seq + Int64(count))
    }
    return nil
  }

  private func report(
    _ seqs: [Int64], _ cause: any Error, _ delay: Duration, _ event: (PassFailure) -> HistoryEvent
  ) {
    settings.report(event(PassFailure(seqs: seqs, cause: cause, attempt: progress.attempts, delay: delay)))
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
      progress.passed(scanned: Int(clamping: end.seq - start), isMerged: false)
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
