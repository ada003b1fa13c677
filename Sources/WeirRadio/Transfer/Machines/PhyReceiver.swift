/// The receiver of P1: keeps chunks and says nothing, save that it gives up. All is over when the last chunk is here (radio study,
/// section 2).
///
/// Receiving → ended; → cancelling → ended.
struct PhyReceiver: TransferMachine {
  enum Phase: Sendable, Equatable { case receiving, cancelling, ended }

  private(set) var phase = Phase.receiving
  private let initiation: FileInitiation
  private let pacing: TransferPacing
  private var buffer: ChunkBuffer
  private var talk: SessionTalk
  private var meter = SignalMeter()
  private var isRadioReady = false
  private var hasStarted = false
  private var silences = 0
  private var tries = 0
  private var ending: TransferEnding?

  /// Takes the memory of the whole content, as its sender has proved to have the key.
  /// - Throws: ``FileTransferError`` for an offer that makes no chunks.
  init(
    _ initiation: FileInitiation, number: UInt16, from source: UInt8, to local: UInt8, key: ControlKey,
    pacing: TransferPacing
  ) throws(FileTransferError) {
    self.initiation = initiation
    self.pacing = pacing
    talk = SessionTalk(local: local, remote: source, version: .phyAck, number: number)
    do {
      let session = try TransferSession(
        key: key, sender: source, receiver: local, number: number, initiation: initiation)
      buffer = ChunkBuffer(session.geometry)
      talk.session = session
    } catch {
      throw FileTransferError(error)
    }
  }

  var wake: Duration? { phase == .ended ? nil : talk.deadline }
  var isWeak: Bool { meter.isWeak }
  var nonce: UInt64 { initiation.nonce }

  var credentials: TransferCredentials { talk.credentials }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard phase != .ended else { return [] }
    switch event {
    case .began:
      isRadioReady = true
      if let ending { end(ending) } else if phase == .receiving { listen(from: now) }
    case .heard(let packet, let signal):
      meter.note(signal)
      hear(packet.frame, at: now)
    case .heardForeign(let time): talk.putOff(by: time)
    case .woke: if talk.isDue(now) { waitedInVain(at: now) }
    case .sent, .notSent:
      talk.settle()
      tries += 1
      // A sender that has not heard it goes on: then once more.
      if tries >= TransferBudget.cancels { ending.map { end($0) } } else { waitForPause(from: now) }
    case .cancelled: giveUp(.cancelledLocal, at: now)
    case .radioFailed(let reason): end(.failed(.transport(reason)))
    case .heldBack, .said, .wantsPause, .returned, .superseded: break
    }
    if phase != .ended, isRadioReady { _ = talk.sendNext() }
    return talk.takeActions()
  }

  private mutating func start() {
    if !hasStarted { talk.actions.append(.started(totalBytes: initiation.length)) }
    hasStarted = true
  }

  private mutating func listen(from now: Duration) { talk.wait(pacing.idleLimit / 3, from: now) }

  private mutating func waitedInVain(at now: Duration) {
    if phase == .cancelling {
      talk.stopWaiting()
      if tries > 0 { ending.map { end($0) } } else { sendCancel() }
    }
    guard phase == .receiving else { return }
    silences += 1
    if silences >= 3 {
      giveUp(.failed(.timeout), at: now)
    } else {
      talk.actions.append(.probe)
      listen(from: now)
    }
  }

  private mutating func hear(_ frame: TransferFrame, at now: Duration) {
    switch frame {
    case .data(let data):
      if phase == .cancelling {
        waitForPause(from: now)
        if (Int(data.index) + 1) % TransferPacing.framesBetweenPauses == 0, talk.outstanding == 0 { sendCancel() }
      }
      guard phase == .receiving else { return }
      start()
      silences = 0
      if isRadioReady { listen(from: now) }
      guard buffer.insert(data.bytes, at: Int(data.index)) else { return }
      talk.actions.append(.progress(done: buffer.byteCount, of: buffer.geometry.length))
      guard buffer.isComplete, ending == nil else { return }
      let isRight = ContentChecksum.of(buffer.bytes) == initiation.checksum
      ending = isRight ? .received(buffer.bytes) : .failed(.crcMismatch)
      if isRadioReady, let ending { end(ending) }
    case .cancel(let cancel):
      if ending == nil { ending = cancel.reason.ending }
      if let ending { end(ending) }
    default: break
    }
  }

  private mutating func giveUp(_ ending: TransferEnding, at now: Duration) {
    guard phase == .receiving, self.ending == nil else { return }
    guard isRadioReady else { return end(ending) }
    self.ending = ending
    phase = .cancelling
    waitForPause(from: now)
  }

  /// The sender listens after every few frames, and when it has none any more.
  private mutating func waitForPause(from now: Duration) {
    talk.wait(pacing.frameTime(bytes: pacing.frameLimit) * 3, from: now)
  }

  private mutating func sendCancel() {
    let reason: TransferCancel.Reason = ending == .failed(.timeout) ? .timeout : .wanted
    talk.next = .cancel(TransferCancel(reason: reason, by: .receiver))
  }

  private mutating func end(_ ending: TransferEnding) {
    guard phase != .ended else { return }
    phase = .ended
    talk.next = nil
    talk.stopWaiting()
    talk.actions.append(.finish(ending))
  }
}
