/// The sender of P2: offers a file, sends its chunks in bursts, asks after each what is missing, and ends when the receiver says
/// that it has found the whole content right (radio study, section 2).
///
/// Idle → initiating → bursting ⇄ awaiting → finishing → ended; from anywhere → cancelling → ended.
struct BurstSender: TransferMachine {
  enum Phase: Sendable, Equatable {
    case idle, initiating
    case bursting(left: Int)
    case awaiting, finishing, pausing, away, cancelling, answering, ended
  }

  private(set) var phase = Phase.idle
  private let content: TransferContent
  private let key: ControlKey
  private let pacing: TransferPacing
  private var jitter: TransferJitter
  private var talk: SessionTalk
  private var board = ChunkBoard(count: 0)
  private var burst = 1
  private var tries = 0
  private var failures = 0
  /// Bursts of which nothing arrived.
  private var barrenRounds = 0
  private var losses = LossMeter()
  private var lastStatus: UInt16?
  private var nextPoll: UInt16 = 1
  private var nextPause: UInt16 = 1
  private var wantedPause: Duration?
  /// The last that was announced.
  private var pause: Duration = .zero
  /// Time that the receiver has announced until it may send.
  private var announced: Duration = .zero
  private var ending: TransferEnding?
  private var cancelReason = TransferCancel.Reason.wanted
  /// How it went, for whoever measures.
  private(set) var counts = TransferCounts()

  /// - Parameter nonce: never used before.
  /// - Throws: ``FileTransferError`` when frames of this radio are too short for a transfer.
  init(
    _ content: TransferContent, from source: UInt8, to target: UInt8, key: ControlKey, pacing: TransferPacing,
    nonce: UInt64, rate: UInt8 = 0, isResumable: Bool = true
  ) throws(FileTransferError) {
    self.content = content
    self.key = key
    self.pacing = pacing
    jitter = TransferJitter(seed: nonce)
    let number = UInt16(truncatingIfNeeded: nonce)
    talk = SessionTalk(local: source, remote: target, version: .burstSack, number: number)
    let initiation = TransferInitiation(
      nonce: nonce, wireLength: content.wire.count, originalLength: content.original.count, codec: content.codec,
      chunk: try pacing.chunk(.burstSack), content: key.contentIdentity(of: content.original), rate: rate,
      isResumable: isResumable)
    talk.offer = TransferOffer(key: key, sender: source, receiver: target, number: number, initiation: initiation)
  }

  var wake: Duration? { phase == .ended ? nil : talk.deadline }

  var credentials: TransferCredentials { talk.credentials }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard phase != .ended else { return [] }
    switch event {
    case .began:
      guard phase == .idle else { break }
      phase = .initiating
      repeatQuestion()
    case .heard(let packet, _): hear(packet.frame, at: now)
    case .heardForeign(let time): talk.putOff(by: time + pacing.turnAround)
    case .sent: sent(at: now)
    case .notSent(let reason, let isLost):
      failures += 1
      if isLost || failures >= TransferBudget.sends {
        end(.failed(.transport(reason)))
      } else {
        sent(at: now, isSent: false)
      }
    case .woke: if talk.isDue(now) { waitedInVain(at: now) }
    case .cancelled: giveUp(.cancelledLocal, .wanted)
    case .radioFailed(let reason): end(.failed(.transport(reason)))
    case .said(let message): talk.queue(message)
    case .wantsPause(let time): wantedPause = time
    case .returned:
      guard phase == .away else { break }
      startBurst()
      talk.next = .resume(TransferPause(number: nextPause &- 1, milliseconds: 0))
    case .superseded, .heldBack: break
    }
    pump()
    return talk.takeActions()
  }

  // MARK: Sending

  private mutating func pump() {
    guard phase != .ended, !talk.sendNext() else { return }
    guard case .bursting(var left) = phase, talk.outstanding == 0 else { return }
    if talk.sendMessage() { return }
    guard left > 0, let index = board.takeNext(), let length = talk.session?.geometry.length(ofChunkAt: index) else {
      wait(in: .awaiting)
      repeatQuestion()
      _ = talk.sendNext()
      return
    }
    left -= 1
    let isLast = left == 0 || board.pendingCount == 0
    let start = index * (talk.session?.geometry.chunk ?? 0)
    counts.dataFrames += 1
    if isLast { wait(in: .awaiting) } else { phase = .bursting(left: left) }
    talk.send(
      .data(
        TransferData(
          index: UInt16(truncatingIfNeeded: index), bytes: Array(content.wire[start..<start + length]),
          endsBurst: isLast)))
  }

  private mutating func wait(in phase: Phase) {
    self.phase = phase
    tries = 0
    talk.stopWaiting()
  }

  private mutating func startBurst() {
    if board.isComplete {
      wait(in: .finishing)
      repeatQuestion()
    } else if let wanted = wantedPause {
      wantedPause = nil
      phase = .pausing
      talk.stopWaiting()
      let milliseconds = UInt32(max(0, min(Double(TransferPause.longest), wanted / .milliseconds(1))))
      pause = .milliseconds(Int64(milliseconds))
      talk.next = .pause(TransferPause(number: nextPause, milliseconds: milliseconds))
      nextPause &+= 1
    } else {
      counts.rounds += 1
      talk.stopWaiting()
      phase = .bursting(left: burst)
    }
  }

  /// Asks what is waited for, once more.
  private mutating func repeatQuestion() {
    talk.stopWaiting()
    switch phase {
    case .initiating: talk.next = talk.offer.map { .initiation($0.initiation) }
    case .awaiting:
      counts.polls += 1
      talk.next = .poll(number: nextPoll)
      nextPoll &+= 1
    case .finishing: talk.next = .finish(TransferFinish(of: content.original, key: key))
    default: break
    }
  }

  private mutating func sent(at now: Duration, isSent: Bool = true) {
    talk.settle()
    if isSent { failures = 0 }
    guard talk.outstanding == 0, talk.next == nil else { return }
    switch phase {
    case .initiating: wait(pacing.initiationWait, growth: 4, from: now)
    case .awaiting, .finishing, .cancelling: wait(pacing.statusWait + announced, growth: 2, from: now)
    case .pausing:
      phase = .away
      talk.actions.append(.leave(pause))
    case .answering: if let ending { end(ending) }
    case .idle, .bursting, .away, .ended: break
    }
  }

  /// Each try waits half as long again, up to `growth` times the first.
  private mutating func wait(_ time: Duration, growth: Int, from now: Duration) {
    var factor = 1.0
    for _ in 0..<min(tries, 8) { factor *= 1.5 }
    talk.wait(jitter.spread(time * min(factor, Double(growth))), from: now)
  }

  private mutating func waitedInVain(at now: Duration) {
    talk.stopWaiting()
    tries += 1
    switch phase {
    case .initiating:
      if tries >= TransferBudget.initiations { end(.failed(.timeout)) } else { repeatQuestion() }
    case .awaiting, .finishing:
      if tries > TransferBudget.polls(loss: losses.estimate) {
        giveUp(.failed(.retryExceeded), .retriesExceeded)
      } else {
        if tries % 4 == 3 { talk.actions.append(.probe) }
        repeatQuestion()
      }
    case .cancelling:
      if tries >= TransferBudget.cancels { ending.map { end($0) } } else { repeatCancel() }
    default: break
    }
  }

  // MARK: Hearing

  private mutating func hear(_ frame: TransferFrame, at now: Duration) {
    switch frame {
    case .answer(.refused(let refusal)): if phase == .initiating { end(.refused(refusal)) }
    case .answer(.accepted(let acceptance)): if phase == .initiating { begin(acceptance) }
    case .status(let status): hear(status)
    case .finishAnswer(let verdict): hear(verdict)
    case .cancel(let cancel): hear(cancel)
    case .message(let message):
      talk.hear(message)
      if talk.deadline != nil { talk.wait(pacing.statusWait, from: now) }
    case .pause(let pause):
      guard phase == .awaiting || phase == .finishing, talk.deadline != nil else { return }
      talk.wait(.milliseconds(Int64(pause.milliseconds)) + pacing.statusWait, from: now)
    case .resume: if talk.deadline != nil { talk.wait(pacing.statusWait, from: now) }
    default: break
    }
  }

  private mutating func begin(_ acceptance: TransferAcceptance) {
    guard let offer = talk.offer, let session = try? TransferSession(offer, accepted: acceptance) else { return }
    talk.session = session
    talk.next = nil
    // An INIT without an answer is one of two frames lost.
    losses.note(lost: tries, of: 2 * tries + 2)
    board = ChunkBoard(count: session.geometry.count, base: acceptance.base, received: acceptance.received)
    counts.chunks = session.geometry.count
    counts.resumedChunks = board.thereCount
    burst = max(1, min(Int(acceptance.burst), pacing.burst))
    talk.actions.append(.started(totalBytes: content.original.count))
    tellProgress()
    startBurst()
  }

  private mutating func hear(_ status: TransferStatus) {
    if let lastStatus, Int16(bitPattern: status.number &- lastStatus) <= 0 { return }
    switch phase {
    case .awaiting, .finishing, .bursting: break
    default: return
    }
    lastStatus = status.number
    let before = board.thereCount
    // While chunks are on their way, a STATUS from before does not know of them.
    if case .bursting = phase {
      _ = board.apply(status, onlyArrivals: true)
      tellProgress()
      return
    }
    let (spoken, lost) = board.apply(status)
    counts.lost += lost
    losses.note(lost: lost, of: spoken)
    announced = .milliseconds(Int64(status.nextTransmission))
    if board.thereCount > before {
      barrenRounds = 0
      tellProgress()
    } else if spoken > 0 {
      barrenRounds += 1
      if barrenRounds > TransferBudget.polls(loss: losses.estimate) {
        giveUp(.failed(.retryExceeded), .retriesExceeded)
        return
      }
    }
    // In finishing, the answer to FINISH is still to come.
    if phase == .finishing, board.isComplete { return }
    talk.next = nil
    if board.pendingCount > 0 || board.isComplete {
      startBurst()
    } else {
      // All was sent, and not all was spoken of.
      wait(in: .awaiting)
      repeatQuestion()
    }
  }

  private mutating func tellProgress() {
    guard let geometry = talk.session?.geometry else { return }
    talk.actions.append(.progress(done: min(geometry.length, board.thereCount * geometry.chunk), of: geometry.length))
  }

  private mutating func hear(_ verdict: TransferVerdict) {
    guard phase == .finishing else { return }
    switch verdict {
    case .whole: end(.sent)
    case .incomplete:
      // Something that was said to be here is not: ask from the beginning.
      board = ChunkBoard(count: board.thereCount + board.missingCount)
      wait(in: .awaiting)
      repeatQuestion()
    case .checksumDiffers: end(.failed(.crcMismatch))
    case .contentDiffers: end(.failed(.cryptoFailure))
    case .codecFailed: end(.failed(.protocolMalformed))
    }
  }

  private mutating func hear(_ cancel: TransferCancel) {
    if cancel.isAnswer {
      if phase == .cancelling, let ending { end(ending) }
      return
    }
    if ending == nil { ending = cancel.reason.ending }
    phase = .answering
    talk.stopWaiting()
    var answer = cancel
    answer.isAnswer = true
    talk.next = .cancel(answer)
  }

  // MARK: Ending

  /// Says that it is over, and ends when the other end has heard it, or often enough had the chance to.
  private mutating func giveUp(_ ending: TransferEnding, _ reason: TransferCancel.Reason) {
    switch phase {
    case .idle: end(ending)
    case .cancelling, .answering, .ended: break
    default:
      self.ending = ending
      cancelReason = reason
      phase = .cancelling
      tries = 0
      talk.stopWaiting()
      repeatCancel()
    }
  }

  private mutating func repeatCancel() {
    talk.next = .cancel(TransferCancel(reason: cancelReason, by: .sender, isEarly: talk.session == nil))
  }

  private mutating func end(_ ending: TransferEnding) {
    guard phase != .ended else { return }
    phase = .ended
    talk.next = nil
    talk.stopWaiting()
    talk.actions.append(.finish(ending))
  }
}

/// How a transfer went, in frames.
public struct TransferCounts: Sendable, Hashable {
  /// Chunks of the content.
  public internal(set) var chunks = 0
  /// Of these, chunks that the receiver had kept of an earlier try.
  public internal(set) var resumedChunks = 0
  /// DATA frames that were sent.
  public internal(set) var dataFrames = 0
  /// Chunks that were sent and said to be missing.
  public internal(set) var lost = 0
  /// Bursts.
  public internal(set) var rounds = 0
  /// POLL frames.
  public internal(set) var polls = 0
}
