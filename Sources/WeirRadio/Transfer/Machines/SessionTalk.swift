/// What both ends of a transfer keep of their conversation: frames on their way, the next control frame, the time of waiting, chat.
struct SessionTalk: Sendable {
  /// Most messages that wait to be sent.
  static let mostMessages = 16

  let local: UInt8
  let remote: UInt8
  let version: TransferVersion
  let number: UInt16
  var session: TransferSession?
  var offer: TransferOffer?
  /// The key of an offer in P1, which has no ``TransferOffer``.
  var controlKey: ControlKey?
  var actions: [TransferAction] = []
  /// Frames that were handed over and of whose end nothing is known.
  private(set) var outstanding = 0
  /// Why a frame could not be made, which never happens: the transfer ends then.
  private(set) var failure: FileTransferError?
  /// The control frame to be sent next; a newer one takes its place.
  var next: TransferFrame?
  private(set) var messages: [[UInt8]] = []
  private var nextMessage: UInt16 = 1
  private var lastHeard: UInt16?
  /// When what is waited for should have come.
  var deadline: Duration?
  private var armedUntil: Duration?
  /// The other end waits for a STATUS.
  var isStatusDue = false

  init(local: UInt8, remote: UInt8, version: TransferVersion, number: UInt16) {
    self.local = local
    self.remote = remote
    self.version = version
    self.number = number
  }

  /// Hands a frame over.
  mutating func send(_ frame: TransferFrame) {
    let packet = TransferPacket(version: version, from: local, to: remote, session: number, frame)
    let authentication: TransferAuthentication? =
      switch frame {
      case .initiation, .fileInitiation: offer.map { .control($0.key) } ?? controlKey.map { .control($0) }
      case .answer: offer.map { .offer($0) }
      case .cancel(let cancel) where cancel.isEarly: offer.map { .offer($0) }
      default: session.map { .session($0) }
      }
    do throws(TransferError) {
      guard let authentication else { throw TransferError(.cryptoFailure, "no session for a \(frame.type)") }
      actions.append(.send(try packet.bytes(authentication)))
      outstanding += 1
    } catch {
      failure = .internalFailure("\(error)")
    }
  }

  /// What tells frames of the other end from others.
  var credentials: TransferCredentials {
    TransferCredentials(remote: remote, version: version, number: number, offer: offer, session: session)
  }

  /// A frame is no longer on its way.
  mutating func settle() { outstanding = max(0, outstanding - 1) }

  /// Hands the next control frame over, if nothing is on its way.
  /// - Returns: whether there was one.
  mutating func sendNext() -> Bool {
    guard outstanding == 0, let frame = next else { return false }
    next = nil
    send(frame)
    return true
  }

  /// Hands a message over, if one waits.
  mutating func sendMessage() -> Bool {
    guard session != nil, version == .burstSack, !messages.isEmpty else { return false }
    let frame = TransferFrame.message(TransferMessage(number: nextMessage, bytes: messages.removeFirst()))
    nextMessage &+= 1
    send(frame)
    return true
  }

  mutating func queue(_ message: [UInt8]) {
    if messages.count < Self.mostMessages { messages.append(message) }
  }

  /// A message that was not heard before is handed on.
  mutating func hear(_ message: TransferMessage) {
    if let lastHeard, Int16(bitPattern: message.number &- lastHeard) <= 0 { return }
    lastHeard = message.number
    actions.append(.heardMessage(message.bytes))
  }

  /// Waits until a moment. Others on the air put it off, up to eight times the wait.
  mutating func wait(_ time: Duration, from now: Duration) {
    deadline = now + time
    armedUntil = now + time * 8
  }

  mutating func stopWaiting() { deadline = nil }

  mutating func putOff(by time: Duration) {
    guard let before = deadline, let armedUntil else { return }
    deadline = max(before, min(before + time, armedUntil))
  }

  func isDue(_ now: Duration) -> Bool { deadline.map { now >= $0 } ?? false }

  mutating func takeActions() -> [TransferAction] {
    defer { actions = [] }
    return actions
  }
}

extension TransferCancel.Reason {
  /// What a CANCEL of the other end means here.
  var ending: TransferEnding {
    switch self {
    case .wanted: .cancelledRemote
    case .timeout: .failed(.timeout)
    case .retriesExceeded: .failed(.retryExceeded)
    case .radioLost: .failed(.transport("the other end has lost its radio"))
    case .failed: .failed(.transport("the other end has failed"))
    }
  }
}

/// What tells frames of a transfer from all others, also after its end: small enough to be kept.
struct TransferCredentials: Sendable {
  let remote: UInt8
  let version: TransferVersion
  let number: UInt16
  let offer: TransferOffer?
  let session: TransferSession?

  /// What authenticates a frame with this header; nil when it is none of this transfer.
  func authentication(for header: TransferHeader) -> TransferAuthentication? {
    guard header.version == version, header.source == remote, header.session == number else { return nil }
    if header.type == .answer || header.isEarlyCancel { return offer.map { .offer($0) } }
    return session.map { .session($0) }
  }
}
