/// The receiver of P2: answers an offer, keeps chunks, says what is missing when asked, and gives its verdict over the whole
/// content (radio study, section 2).
///
/// Idle → answering (nothing is allocated) → receiving → lingering → ended; from anywhere → cancelling → ended.
struct BurstReceiver: TransferMachine {
  enum Phase: Sendable, Equatable {
    case idle, answering, receiving, lingering, cancelling, confirming, ended
  }

  private(set) var phase = Phase.idle
  private let initiation: TransferInitiation
  private let key: ControlKey
  private let pacing: TransferPacing
  private let answer: TransferAnswer
  private var kept: ChunkBuffer?
  private var buffer: ChunkBuffer?
  private var talk: SessionTalk
  private var meter = SignalMeter()
  private var nextStatus: UInt16 = 1
  private var verdict: TransferVerdict?
  private var ending: TransferEnding?
  private var cancelReason = TransferCancel.Reason.wanted
  private var tries = 0
  private var failures = 0
  private var silences = 0
  /// DATA frames since the last STATUS, and how many were to come.
  private var heardSinceStatus = 0
  private var expected: Int
  private var losses = LossMeter()
  /// Chunks that were here when the STATUS was made that is on its way.
  private var reportOnItsWay: Int?
  private let burst: Int
  /// Time until this end may send again after a STATUS, where the region's budget is used up.
  private var nextTransmission: Duration = .zero

  /// - Parameters:
  ///   - number: the session number of the offer.
  ///   - nonce: never used before.
  ///   - refusal: why the file is not taken; nil to take it.
  ///   - partial: what was kept of an earlier try of the same.
  /// - Throws: ``FileTransferError`` when frames of this radio are too short for a transfer.
  init(
    _ initiation: TransferInitiation, number: UInt16, from source: UInt8, to local: UInt8, key: ControlKey,
    pacing: TransferPacing, nonce: UInt64, refusal: TransferRefusal? = nil, partial: TransferPartial? = nil
  ) throws(FileTransferError) {
    self.initiation = initiation
    self.key = key
    self.pacing = pacing
    kept = partial?.buffer
    burst = pacing.burst
    talk = SessionTalk(local: local, remote: source, version: .burstSack, number: number)
    let offer = TransferOffer(key: key, sender: source, receiver: local, number: number, initiation: initiation)
    talk.offer = offer
    expected = 0
    if let refusal = refusal ?? Self.refusal(initiation) {
      answer = .refused(refusal)
      return
    }
    let own = try pacing.chunk(.burstSack)
    let chunk = min(initiation.chunk, kept?.geometry.chunk ?? own)
    var acceptance = TransferAcceptance(nonce: nonce, chunk: chunk, burst: UInt8(burst))
    if let kept {
      let missing = kept.missing
      acceptance.base = missing.first?.lowerBound ?? kept.geometry.count
      let span = acceptance.base..<acceptance.base + TransferFraming.bitmapSpan
      acceptance.received = kept.here.map { $0.clamped(to: span) }.filter {
        !$0.isEmpty && $0.lowerBound > acceptance.base
      }
    }
    answer = .accepted(acceptance)
    talk.session = try? TransferSession(offer, accepted: acceptance)
    expected = min(burst, talk.session.map { $0.geometry.count - (kept?.count ?? 0) } ?? 0)
  }

  private static func refusal(_ initiation: TransferInitiation) -> TransferRefusal? {
    initiation.codec > TransferContent.zstd || initiation.dictionary != 0 ? .noCodec : nil
  }

  var wake: Duration? { phase == .ended ? nil : talk.deadline }
  var isWeak: Bool { meter.isWeak }

  /// The nonce of the offer: a repeated offer has the same.
  var nonce: UInt64 { initiation.nonce }
  var originalLength: Int { initiation.originalLength }
  /// What is here, for a later try; nil where there is nothing, or all of it.
  var partial: TransferPartial? {
    guard let buffer, buffer.count > 0, verdict == nil else { return nil }
    return partialKey.map { TransferPartial(key: $0, buffer: buffer) }
  }
  var partialKey: TransferPartial.Key? {
    talk.session.map {
      TransferPartial.Key(
        source: talk.remote, content: initiation.content, wireLength: initiation.wireLength, codec: initiation.codec,
        chunk: $0.geometry.chunk)
    }
  }

  var credentials: TransferCredentials { talk.credentials }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard phase != .ended else { return [] }
    switch event {
    case .began:
      guard phase == .idle else { break }
      phase = .answering
      talk.next = .answer(answer)
      listen(from: now)
    case .heard(let packet, let signal):
      meter.note(signal)
      hear(packet.frame, at: now)
    case .heardForeign(let time): talk.putOff(by: time + pacing.turnAround)
    case .sent:
      failures = 0
      sent(at: now)
    case .notSent(let reason, let isLost):
      failures += 1
      if isLost || failures >= TransferBudget.sends { end(.failed(.transport(reason))) } else { sent(at: now) }
    case .woke: if talk.isDue(now) { waitedInVain(at: now) }
    case .cancelled: giveUp(.cancelledLocal, .wanted, at: now)
    case .radioFailed(let reason): end(.failed(.transport(reason)))
    case .said(let message): talk.queue(message)
    case .heldBack(let time): nextTransmission = time
    case .superseded: if phase == .lingering, let ending { end(ending) }
    case .wantsPause, .returned: break
    }
    if phase != .ended { _ = talk.sendNext() }
    return talk.takeActions()
  }

  // MARK: Waiting

  private mutating func listen(from now: Duration) {
    silences = 0
    listenOn(from: now)
  }

  /// A third of the idle limit at a time: at each, the radio is asked whether it still listens.
  private mutating func listenOn(from now: Duration) { talk.wait(pacing.idleLimit / 3, from: now) }

  private mutating func sent(at now: Duration) {
    talk.settle()
    if talk.next == nil { reportOnItsWay = nil }
    guard talk.outstanding == 0, talk.next == nil else { return }
    switch phase {
    case .answering: if case .refused(let refusal) = answer { end(.refused(refusal)) }
    case .receiving: if talk.isStatusDue { sendStatus() }
    case .lingering: linger(from: now)
    case .cancelling: talk.wait(pacing.statusWait * 3 / 2, from: now)
    case .confirming: if let ending { end(ending) }
    case .idle, .ended: break
    }
  }

  private mutating func linger(from now: Duration) {
    talk.wait(pacing.statusWait * TransferBudget.lingers(loss: losses.estimate), from: now)
  }

  private mutating func waitedInVain(at now: Duration) {
    switch phase {
    case .answering, .receiving:
      silences += 1
      if silences >= 3 {
        giveUp(.failed(.timeout), .timeout, at: now)
      } else {
        talk.actions.append(.probe)
        listenOn(from: now)
      }
    case .lingering: if let ending { end(ending) }
    case .cancelling:
      talk.stopWaiting()
      if tries >= TransferBudget.cancels {
        ending.map { end($0) }
      } else {
        tries += 1
        repeatCancel()
      }
    case .idle, .confirming, .ended: break
    }
  }

  // MARK: Hearing

  private mutating func hear(_ frame: TransferFrame, at now: Duration) {
    if case .initiation = frame {
      // The answer was lost: the same again, as long as nothing shows that it was not.
      if phase == .answering { talk.next = .answer(answer) }
      return
    }
    if case .cancel(let cancel) = frame {
      hear(cancel)
      return
    }
    guard let session = talk.session else { return }
    if phase == .answering || phase == .idle { begin(session) }
    if phase == .receiving { listen(from: now) }
    switch frame {
    case .data(let data): hear(data, at: now)
    case .poll:
      if phase == .receiving || phase == .lingering { report() }
      if phase == .cancelling { hearWhileCancelling(isTurn: true, at: now) }
    case .finish(let finish): hear(finish, at: now)
    case .message(let message): talk.hear(message)
    case .pause(let pause):
      guard phase == .receiving else { return }
      talk.wait(pacing.idleLimit + .milliseconds(Int64(pause.milliseconds)), from: now)
    default: break
    }
  }

  /// The first frame under the key of the session: now it is sure that there is a sender, and memory is taken.
  private mutating func begin(_ session: TransferSession) {
    phase = .receiving
    talk.next = nil
    buffer = kept ?? ChunkBuffer(session.geometry)
    kept = nil
    talk.actions.append(.started(totalBytes: initiation.originalLength))
    tellProgress()
  }

  private mutating func hear(_ data: TransferData, at now: Duration) {
    if phase == .cancelling { hearWhileCancelling(isTurn: data.endsBurst, at: now) }
    guard phase == .receiving || phase == .lingering else { return }
    heardSinceStatus += 1
    if buffer?.insert(data.bytes, at: Int(data.index)) == true { tellProgress() }
    if data.endsBurst { report() }
  }

  private mutating func tellProgress() {
    guard let buffer else { return }
    talk.actions.append(.progress(done: buffer.byteCount, of: buffer.geometry.length))
  }

  /// It is this end's turn: chat goes first, then what is missing.
  private mutating func report() {
    // What is on its way already says the same.
    if let reportOnItsWay, reportOnItsWay == buffer?.count { return }
    talk.isStatusDue = true
    if talk.outstanding == 0 { sendStatus() }
  }

  private mutating func sendStatus() {
    guard let geometry = talk.session?.geometry, let buffer else { return }
    if talk.sendMessage() { return }
    talk.isStatusDue = false
    let missing = buffer.missing
    let status = TransferStatus(
      number: nextStatus, missing: missing, of: geometry, quarterDecibels: meter.quarterDecibels, rate: initiation.rate,
      nextTransmission: UInt16(max(0, min(65_535, nextTransmission / .milliseconds(1)))))
    nextStatus &+= 1
    reportOnItsWay = buffer.count
    if heardSinceStatus > 0 { losses.note(lost: expected - heardSinceStatus, of: expected) }
    heardSinceStatus = 0
    expected = min(burst, geometry.count - buffer.count)
    talk.next = .status(status)
    talk.actions.append(.checkpoint)
  }

  private mutating func hear(_ finish: TransferFinish, at now: Duration) {
    if phase == .cancelling { hearWhileCancelling(isTurn: true, at: now) }
    guard phase == .receiving || phase == .lingering, let buffer else { return }
    guard buffer.isComplete else {
      talk.next = .finishAnswer(.incomplete)
      return
    }
    let verdict = self.verdict ?? judge(buffer, finish)
    self.verdict = verdict
    phase = .lingering
    talk.next = .finishAnswer(verdict)
    linger(from: now)
  }

  /// Finds out whether the content is what its sender has.
  private mutating func judge(_ buffer: ChunkBuffer, _ finish: TransferFinish) -> TransferVerdict {
    guard
      let content = TransferContent.decoded(
        buffer.bytes, codec: initiation.codec, length: initiation.originalLength)
    else {
      ending = .failed(.protocolMalformed)
      return .codecFailed
    }
    let found = TransferFinish(of: content, key: key)
    guard found.checksum == finish.checksum else {
      ending = .failed(.crcMismatch)
      return .checksumDiffers
    }
    guard found.content == finish.content, found.content == initiation.content else {
      ending = .failed(.cryptoFailure)
      return .contentDiffers
    }
    ending = .received(content)
    return .whole
  }

  private mutating func hear(_ cancel: TransferCancel) {
    if cancel.isAnswer {
      if phase == .cancelling, let ending { end(ending) }
      return
    }
    // Whoever gives up after the verdict has not heard it.
    if ending == nil { ending = cancel.reason.ending }
    phase = .confirming
    talk.stopWaiting()
    var answer = cancel
    answer.isAnswer = true
    talk.next = .cancel(answer)
  }

  // MARK: Ending

  private mutating func giveUp(_ ending: TransferEnding, _ reason: TransferCancel.Reason, at now: Duration) {
    switch phase {
    case .idle: end(ending)
    case .lingering: self.ending.map { end($0) }
    case .cancelling, .confirming, .ended: break
    case .answering, .receiving:
      // Of a session that was refused there is no key to say anything with.
      guard talk.session != nil else { return end(ending) }
      self.ending = ending
      cancelReason = reason
      phase = .cancelling
      talk.next = nil
      tries = 0
      // A sender in the middle of a burst hears nothing.
      talk.wait(pacing.frameTime(bytes: pacing.frameLimit) * 3, from: now)
    }
  }

  /// The sender has not heard that it is over: it is told when it listens.
  private mutating func hearWhileCancelling(isTurn: Bool, at now: Duration) {
    talk.wait(pacing.frameTime(bytes: pacing.frameLimit) * 3, from: now)
    guard isTurn, talk.outstanding == 0, talk.next == nil else { return }
    tries += 1
    repeatCancel()
  }

  private mutating func repeatCancel() {
    talk.next = .cancel(TransferCancel(reason: cancelReason, by: .receiver))
  }

  private mutating func end(_ ending: TransferEnding) {
    guard phase != .ended else { return }
    phase = .ended
    talk.next = nil
    talk.stopWaiting()
    talk.actions.append(.finish(ending))
  }
}
