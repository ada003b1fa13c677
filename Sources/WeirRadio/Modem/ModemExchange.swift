/// Who may talk to a modem, and which of its words answers whom: one command at a time, frames in order, and no late answer for
/// the wrong request (radio study, C2, C3 and C6). A value without clock, line or task.
///
/// Two rules keep the sides in step. A command without an answer leaves one owed: before the next one a probe is sent, and what
/// comes until the line is quiet behind an answer belongs to the past. A frame of which the modem said nothing leaves its report
/// owed: no frame is sent until it has come or cannot come any more, and no report counts for a frame that cannot be over yet.
///
/// Memory: the requests that wait, and one answer of at most ``mostLines`` lines.
struct ModemExchange: Sendable {
  /// Lines of an answer; a longer one is an error.
  static let mostLines = 256
  /// Probes without an answer until a recovery fails.
  static let mostProbes = 3

  enum Outcome: Sendable, Equatable {
    case success([String])
    case failure(RadioError)
    case cancelled
  }

  enum Action: Sendable, Equatable {
    case write([UInt8])
    case finish(UInt64, Outcome)
    case deliver(ModemEvent)
  }

  private struct Current {
    var request: ModemRequest
    var isDetached = false
    var lines: [String] = []
    var isTooLong = false
    let since: Duration
    let until: Duration
  }

  private enum Step {
    case idle
    case answering(Current)
    case probing(answers: Int, tries: Int, until: Duration)
  }

  /// A frame whose report is awaited.
  private struct Pending {
    let request: ModemRequest
    let times: FrameTimes
    var isDetached: Bool
    let earliest: Duration
    var until: Duration
  }

  private let dialect: ModemDialect
  private var step = Step.idle
  private var queue: [ModemRequest] = []
  private var pending: [Pending] = []
  /// Answers that commands left owed.
  private var owedAnswers = 0
  /// Until when the report of a frame that was given up may come.
  private var owedReport: Duration?
  private var actions: [Action] = []
  private var loss: RadioError?
  private var slots: SlotGate
  /// Words of the modem that belonged to nothing any more.
  private(set) var stale = 0
  /// Starts of the modem.
  private(set) var resets = 0

  init(_ dialect: ModemDialect) {
    self.dialect = dialect
    slots = SlotGate(dialect.slot)
  }

  /// Whether frames wait for the modem's slots.
  var isSlotted: Bool {
    get { slots.isSlotted }
    set { slots.isSlotted = newValue }
  }

  /// What is to be done, in order.
  mutating func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  /// Asks something.
  mutating func begin(_ request: ModemRequest, at now: Duration) {
    if let loss {
      actions.append(.finish(request.id, .failure(loss)))
    } else {
      queue.append(request)
      advance(at: now)
    }
  }

  /// Nobody waits for a request any more. What the modem does already goes on, and nothing else starts meanwhile.
  mutating func cancel(_ id: UInt64, at now: Duration) {
    if let index = queue.firstIndex(where: { $0.id == id }) {
      queue.remove(at: index)
      actions.append(.finish(id, .cancelled))
    } else if case .answering(var current) = step, current.request.id == id, !current.isDetached {
      current.isDetached = true
      step = .answering(current)
      actions.append(.finish(id, .cancelled))
    } else if let index = pending.firstIndex(where: { $0.request.id == id && !$0.isDetached }) {
      pending[index].isDetached = true
      actions.append(.finish(id, .cancelled))
    }
    advance(at: now)
  }

  /// The line is gone.
  mutating func lose(_ error: RadioError) {
    guard loss == nil else { return }
    loss = error
    failAll(error)
    for request in queue { actions.append(.finish(request.id, .failure(error))) }
    queue = []
  }

  /// The modem said something.
  mutating func handle(_ event: ModemEvent, at now: Duration) {
    guard loss == nil else { return }
    switch event {
    case .line(let line): handleLine(line, at: now)
    case .result(let isSuccess, let line): handleResult(isSuccess, line, at: now)
    case .sent(let isSuccess, let line): handleReport(isSuccess, line, at: now)
    case .banner:
      resets &+= 1
      // What was written before may be answered all the same, as far as it got.
      if case .idle = step {} else { owedAnswers += 1 }
      failAll(RadioError(.modemReset, "the modem started anew; set it up again"))
      owedReport = nil
      actions.append(.deliver(event))
    case .unsolicited(let line):
      slots.hear(line)
      actions.append(.deliver(event))
    case .received, .discarded: actions.append(.deliver(event))
    }
    advance(at: now)
  }

  /// When ``advance(at:)`` has to be called next; nil when nothing waits for time.
  var wake: Duration? {
    var times = queue.map(\.deadline)
    switch step {
    case .idle: break
    case .answering(let current):
      times.append(current.until)
      // Who does not wait any more has no deadline: one that is past would wake for ever.
      if !current.isDetached { times.append(current.request.deadline) }
    case .probing(_, _, let until): times.append(until)
    }
    if let first = pending.first { times.append(first.until) }
    times += pending.filter { !$0.isDetached }.map(\.request.deadline)
    if let owedReport, !queue.isEmpty { times.append(owedReport) }
    if let deadline = slots.deadline { times.append(deadline) }
    return times.min()
  }

  /// Gives up what has waited too long and starts what may start.
  mutating func advance(at now: Duration) {
    guard loss == nil else { return }
    expire(at: now)
    expireSlot(at: now)
    while case .idle = step, let request = queue.first, mayStart(request, at: now) {
      if owedAnswers > 0 || request.isRecovery {
        probe(tries: 1, at: now)
      } else {
        if case .payload = request.kind {
          slots.wait(at: now)
          guard slots.admits else { return }
          slots.leave()
        }
        queue.removeFirst()
        start(request, at: now)
      }
    }
  }

  /// Fails the frame for which no slot came, and forgets one that waits no more.
  private mutating func expireSlot(at now: Duration) {
    guard let deadline = slots.deadline else { return }
    guard let first = queue.first, case .payload = first.kind else { return slots.leave() }
    guard now >= deadline else { return }
    slots.leave()
    queue.removeFirst()
    finish(first, false, .failure(RadioError(.sendFailed, "the modem announced no slot for \(first.name) in time")))
  }
}

extension ModemExchange {
  private func mayStart(_ request: ModemRequest, at now: Duration) -> Bool {
    switch request.kind {
    case .command, .note: pending.isEmpty
    case .payload: pending.count <= dialect.lookahead && owedReport == nil
    case .recovery: pending.isEmpty && owedReport == nil
    }
  }

  private mutating func start(_ request: ModemRequest, at now: Duration) {
    switch request.kind {
    case .command(let text):
      actions.append(.write(dialect.encode(command: text)))
      step = .answering(Current(request: request, since: now, until: request.deadline))
    case .payload(let bytes, let times):
      actions.append(.write(dialect.encode(payload: bytes)))
      if dialect.hasSendResult {
        // With a frame ahead of it, the answer comes no later either: taking it in is all that it says.
        step = .answering(Current(request: request, since: now, until: now + times.patience))
      } else {
        expectReport(request, times, isDetached: false, since: now, at: now)
      }
    case .note(let bytes):
      actions.append(.write(bytes))
      finish(request, false, .success([]))
    case .recovery: break
    }
  }

  /// A frame is the modem's: its report is awaited, behind those of earlier frames.
  ///
  /// The earliest report is reckoned from when things happened on this side and not from when they were heard of: a host that
  /// was held up reads many words at once.
  private mutating func expectReport(
    _ request: ModemRequest, _ times: FrameTimes, isDetached: Bool, since: Duration, at now: Duration
  ) {
    let before = pending.last?.earliest ?? since
    pending.append(
      Pending(
        request: request, times: times, isDetached: isDetached, earliest: max(since, before) + times.earliest,
        until: now + times.patience))
  }

  private mutating func probe(tries: Int, at now: Duration) {
    actions.append(.write(dialect.encode(command: dialect.probe)))
    step = .probing(answers: 0, tries: tries, until: now + dialect.answerTime * (owedAnswers > 0 ? 2 : 1))
  }

  private mutating func handleLine(_ line: String, at now: Duration) {
    switch step {
    case .idle where owedAnswers == 0: actions.append(.deliver(.unsolicited(line)))
    case .idle, .probing: stale &+= 1
    case .answering(var current):
      if current.lines.isEmpty, isEcho(line, of: current.request) { return }
      if case .command(let text) = current.request.kind, dialect.isWholeAnswer(line, to: text) {
        handleResult(true, line, at: now)
        return
      }
      if current.lines.count < Self.mostLines { current.lines.append(line) } else { current.isTooLong = true }
      step = .answering(current)
    }
  }

  private func isEcho(_ line: String, of request: ModemRequest) -> Bool {
    switch request.kind {
    case .command(let text): line == text
    case .payload(let bytes, _):
      dialect.hasSendResult
        && line.utf8.elementsEqual(
          dialect.encode(payload: bytes).filter { (0x20...0x7E).contains($0) })
    case .recovery, .note: false
    }
  }

  private mutating func handleResult(_ isSuccess: Bool, _ line: String, at now: Duration) {
    switch step {
    case .idle:
      if !dialect.hasSendResult, !isSuccess, let last = pending.popLast() {
        finish(last.request, last.isDetached, .failure(last.request.refusal(line)))
      } else {
        owedAnswers = max(0, owedAnswers - 1)
        stale &+= 1
      }
    case .probing(let answers, let tries, _):
      if answers + 1 > owedAnswers {
        inStep()
      } else {
        stale &+= 1
        step = .probing(answers: answers + 1, tries: tries, until: now + dialect.answerTime)
      }
    case .answering(let current):
      step = .idle
      let request = current.request
      guard isSuccess else {
        finish(request, current.isDetached, .failure(request.refusal(line)))
        return
      }
      if case .payload(_, let times) = request.kind, !dialect.isSentByResult {
        expectReport(request, times, isDetached: current.isDetached, since: current.since, at: now)
      } else if current.isTooLong {
        finish(
          request, current.isDetached,
          .failure(RadioError(.commandFailed, "the answer to \(request.name) has over \(Self.mostLines) lines")))
      } else {
        finish(request, current.isDetached, .success(current.lines + [line]))
      }
    }
  }

  private mutating func handleReport(_ isSuccess: Bool, _ line: String, at now: Duration) {
    guard let first = pending.first, now >= first.earliest || !isSuccess else {
      owedReport = nil
      stale &+= 1
      return
    }
    pending.removeFirst()
    finish(first.request, first.isDetached, isSuccess ? .success([line]) : .failure(first.request.refusal(line)))
    restartPending(at: now)
  }

  /// The next frame goes on the air when the one before is over.
  private mutating func restartPending(at now: Duration) {
    guard let next = pending.first else { return }
    pending[0].until = max(next.until, now + next.times.patienceOnAir)
  }

  /// Everything that was owed has come, or never will.
  private mutating func inStep() {
    owedAnswers = 0
    step = .idle
    if let first = queue.first, first.isRecovery {
      queue.removeFirst()
      finish(first, false, .success([]))
    }
  }

  private mutating func finish(_ request: ModemRequest, _ isDetached: Bool, _ outcome: Outcome) {
    if !isDetached { actions.append(.finish(request.id, outcome)) }
  }

  private mutating func failAll(_ error: RadioError) {
    if case .answering(let current) = step { finish(current.request, current.isDetached, .failure(error)) }
    for one in pending { finish(one.request, one.isDetached, .failure(error)) }
    pending = []
    step = .idle
  }

  private mutating func expire(at now: Duration) {
    if let until = owedReport, now >= until { owedReport = nil }
    expireAnswer(at: now)
    expireReports(at: now)
    for request in queue where now >= request.deadline { finish(request, false, .failure(request.timeout)) }
    queue.removeAll { now >= $0.deadline }
  }

  private mutating func expireAnswer(at now: Duration) {
    switch step {
    case .idle: break
    case .probing(let answers, let tries, let until):
      guard now >= until else { return }
      if answers > 0 {
        inStep()
        return
      }
      owedAnswers += 1
      step = .idle
      if tries < Self.mostProbes {
        probe(tries: tries + 1, at: now)
      } else if let first = queue.first {
        queue.removeFirst()
        finish(first, false, .failure(first.timeout))
      }
    case .answering(var current):
      if now >= current.until {
        finish(current.request, current.isDetached, .failure(current.request.timeout))
        owedAnswers += 1
        if case .payload(_, let times) = current.request.kind, !dialect.isSentByResult {
          owedReport = now + times.patienceOnAir
        }
        step = .idle
      } else if now >= current.request.deadline, !current.isDetached {
        finish(current.request, false, .failure(current.request.timeout))
        current.isDetached = true
        step = .answering(current)
      }
    }
  }

  private mutating func expireReports(at now: Duration) {
    for index in pending.indices where now >= pending[index].request.deadline && !pending[index].isDetached {
      pending[index].isDetached = true
      finish(pending[index].request, false, .failure(pending[index].request.timeout))
    }
    while let first = pending.first, now >= first.until {
      pending.removeFirst()
      finish(first.request, first.isDetached, .failure(first.request.timeout))
      owedReport = now + first.times.patienceOnAir
      restartPending(at: now)
    }
  }
}

extension ModemRequest {
  fileprivate var isRecovery: Bool {
    if case .recovery = kind { return true }
    return false
  }
}
