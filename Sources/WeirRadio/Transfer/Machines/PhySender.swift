/// The sender of P1: one frame after the other, each of which counts as delivered once the modem has confirmed it. The receiver
/// says nothing but CANCEL (radio study, section 2).
///
/// A radio that sends hears nothing, so after every few frames it listens for as long as a CANCEL takes.
///
/// Idle → sending ⇄ listening → ended; from anywhere → cancelling → ended.
struct PhySender: TransferMachine {
  enum Phase: Sendable, Equatable {
    /// -1 is FILE_INIT.
    case idle
    case sending(Int)
    case listening(next: Int)
    case cancelling, ended
  }

  private(set) var phase = Phase.idle
  private let content: [UInt8]
  private let initiation: FileInitiation
  private let pause: Duration
  private var talk: SessionTalk
  private var tries = 0
  private var ending: TransferEnding?

  /// - Parameter nonce: never used before.
  /// - Throws: ``FileTransferError``: a content that no transfer carries, or frames too short for one.
  init(
    _ content: [UInt8], from source: UInt8, to target: UInt8, key: ControlKey, pacing: TransferPacing, nonce: UInt64
  ) throws(FileTransferError) {
    self.content = content
    pause = pacing.cancelPause
    initiation = FileInitiation(nonce: nonce, content: content, chunk: try pacing.chunk(.phyAck))
    let number = UInt16(truncatingIfNeeded: nonce)
    talk = SessionTalk(local: source, remote: target, version: .phyAck, number: number)
    talk.controlKey = key
    do {
      talk.session = try TransferSession(
        key: key, sender: source, receiver: target, number: number, initiation: initiation)
    } catch {
      throw FileTransferError(error)
    }
  }

  var wake: Duration? { phase == .ended ? nil : talk.deadline }

  var credentials: TransferCredentials { talk.credentials }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard phase != .ended else { return [] }
    switch event {
    case .began:
      guard phase == .idle else { break }
      phase = .sending(-1)
      talk.actions.append(.started(totalBytes: content.count))
      sendFrame(-1)
    case .sent: sent(at: now)
    case .woke:
      guard talk.isDue(now), case .listening(let index) = phase else { break }
      talk.stopWaiting()
      guard index * initiation.chunk < content.count else {
        end(.sent)
        break
      }
      phase = .sending(index)
      sendFrame(index)
    case .notSent(let reason, let isLost): notSent(reason, isLost: isLost)
    case .cancelled:
      switch phase {
      case .idle: end(.cancelledLocal)
      case .sending, .listening:
        talk.stopWaiting()
        ending = .cancelledLocal
        cancel()
      case .cancelling, .ended: break
      }
    case .heard(let packet, _): if case .cancel(let cancel) = packet.frame { end(ending ?? cancel.reason.ending) }
    case .radioFailed(let reason): end(.failed(.transport(reason)))
    case .heardForeign, .heldBack, .said, .wantsPause, .returned, .superseded: break
    }
    if phase != .ended { _ = talk.sendNext() }
    return talk.takeActions()
  }

  private mutating func sent(at now: Duration) {
    talk.settle()
    tries = 0
    switch phase {
    case .sending(let index):
      talk.actions.append(
        .progress(done: min(content.count, max(0, index + 1) * initiation.chunk), of: content.count))
      let isPause = (index + 1) % TransferPacing.framesBetweenPauses == 0
      if isPause, index >= 0 {
        // The last pause is for a receiver that gave up on its last frame.
        phase = .listening(next: index + 1)
        talk.wait(pause, from: now)
      } else if (index + 1) * initiation.chunk < content.count {
        phase = .sending(index + 1)
        sendFrame(index + 1)
      } else {
        end(.sent)
      }
    case .cancelling: if talk.next == nil, let ending { end(ending) }
    case .idle, .listening, .ended: break
    }
  }

  private mutating func notSent(_ reason: String, isLost: Bool) {
    talk.settle()
    tries += 1
    switch phase {
    case .sending(let index):
      if isLost {
        end(.failed(.transport(reason)))
      } else if tries >= TransferBudget.confirmations {
        ending = .failed(.retryExceeded)
        cancel(.retriesExceeded)
      } else {
        sendFrame(index)
      }
    case .cancelling:
      if isLost || tries >= TransferBudget.cancels {
        ending.map { end($0) }
      } else if talk.next == nil {
        cancel(cancelReason)
      }
    case .idle, .listening, .ended: break
    }
  }

  private var cancelReason: TransferCancel.Reason { ending == .cancelledLocal ? .wanted : .retriesExceeded }

  private mutating func cancel(_ reason: TransferCancel.Reason = .wanted) {
    if phase != .cancelling { tries = 0 }
    phase = .cancelling
    talk.next = .cancel(TransferCancel(reason: reason, by: .sender))
  }

  private mutating func sendFrame(_ index: Int) {
    guard index >= 0 else { return talk.send(.fileInitiation(initiation)) }
    let start = index * initiation.chunk
    let bytes = Array(content[start..<min(content.count, start + initiation.chunk)])
    talk.send(.data(TransferData(index: UInt16(truncatingIfNeeded: index), bytes: bytes)))
  }

  private mutating func end(_ ending: TransferEnding) {
    guard phase != .ended else { return }
    phase = .ended
    talk.next = nil
    talk.actions.append(.finish(ending))
  }
}
