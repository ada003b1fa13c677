/// What a frame says.
public enum TransferFrame: Sendable, Equatable {
  /// FILE_INIT of P1: a file begins, and nobody answers.
  case fileInitiation(FileInitiation)
  /// INIT: the offer of a file.
  case initiation(TransferInitiation)
  /// INIT_ACK: what the receiver says to it.
  case answer(TransferAnswer)
  /// DATA: a chunk.
  case data(TransferData)
  /// STATUS: what is missing.
  case status(TransferStatus)
  /// POLL: asks for a STATUS. The number rises with each.
  case poll(number: UInt16)
  /// FINISH: asks whether all is right.
  case finish(TransferFinish)
  /// FINISH_ACK: whether it is.
  case finishAnswer(TransferVerdict)
  /// CANCEL: an end gives up.
  case cancel(TransferCancel)
  /// PAUSE: an end goes away for a time.
  case pause(TransferPause)
  /// RESUME: an end is back.
  case resume(TransferPause)
  /// MSG: chat.
  case message(TransferMessage)
  /// PARITY: a sum of chunks.
  case parity(TransferParity)

  /// What kind of frame it is.
  public var type: TransferType {
    switch self {
    case .fileInitiation, .initiation: .initiation
    case .answer: .answer
    case .data: .data
    case .status: .status
    case .poll: .poll
    case .finish: .finish
    case .finishAnswer: .finishAnswer
    case .cancel: .cancel
    case .pause: .pause
    case .resume: .resume
    case .message: .message
    case .parity: .parity
    }
  }

  var index: UInt16 {
    switch self {
    case .data(let data): data.index
    case .status(let status): status.number
    case .poll(let number): number
    case .pause(let pause), .resume(let pause): pause.number
    case .message(let message): message.number
    case .parity(let parity): parity.base
    case .fileInitiation, .initiation, .answer, .finish, .finishAnswer, .cancel: 0
    }
  }

  var flags: TransferFlags {
    switch self {
    case .data(let data): data.endsBurst ? .poll : []
    case .cancel(let cancel): cancel.flags
    default: []
    }
  }

  var body: [UInt8] {
    switch self {
    case .fileInitiation(let initiation): initiation.body
    case .initiation(let initiation): initiation.body
    case .answer(let answer): answer.body
    case .data(let data): data.bytes
    case .status(let status): status.body
    case .poll: []
    case .finish(let finish): finish.body
    case .finishAnswer(let verdict): [verdict.rawValue]
    case .cancel(let cancel): [cancel.reason.rawValue, cancel.party.rawValue]
    case .pause(let pause), .resume(let pause): pause.body
    case .message(let message): message.bytes
    case .parity(let parity): parity.body
    }
  }

  /// What a header and a body say, before it is checked against the session.
  init(_ header: TransferHeader, body: ArraySlice<UInt8>) throws(TransferError) {
    var reader = ByteReader(body)
    switch header.type {
    case .initiation where header.version == .phyAck: self = .fileInitiation(try FileInitiation(&reader))
    case .initiation: self = .initiation(try TransferInitiation(&reader))
    case .answer: self = .answer(try TransferAnswer(&reader))
    case .data:
      self = .data(
        TransferData(index: header.index, bytes: reader.remaining(), endsBurst: header.flags.contains(.poll)))
    case .status: self = .status(try TransferStatus(number: header.index, &reader))
    case .poll: self = .poll(number: header.index)
    case .finish: self = .finish(TransferFinish(checksum: try reader.word(), content: try reader.number(8)))
    case .finishAnswer: self = .finishAnswer(try Self.known(try reader.byte()))
    case .cancel:
      self = .cancel(
        TransferCancel(
          reason: try Self.known(try reader.byte()), by: try Self.known(try reader.byte()),
          isAnswer: header.flags.contains(.answers), isEarly: header.flags.contains(.early)))
    case .pause: self = .pause(TransferPause(number: header.index, milliseconds: try reader.word()))
    case .resume: self = .resume(TransferPause(number: header.index, milliseconds: try reader.word()))
    case .message: self = .message(TransferMessage(number: header.index, bytes: reader.remaining()))
    case .parity:
      self = .parity(
        TransferParity(
          base: header.index, span: try reader.short(), seed: try reader.word(), bytes: reader.remaining()))
    }
    try reader.finish()
  }

  private static func known<Value: RawRepresentable<UInt8>>(_ code: UInt8) throws(TransferError) -> Value {
    guard let value = Value(rawValue: code) else { throw .malformed("a code of \(code), which means nothing") }
    return value
  }

  /// Fails unless the frame may be said by this end, in this version, of this session.
  func check(_ version: TransferVersion, _ authentication: TransferAuthentication, from origin: TransferParty)
    throws(TransferError)
  {
    guard type.exists(in: version), type.origin == nil || type.origin == origin else {
      throw .malformed("a \(type) that this end does not send in version \(version.rawValue)")
    }
    switch (self, authentication) {
    case (.fileInitiation(let initiation), .control): try initiation.check()
    case (.initiation(let initiation), .control): try initiation.check()
    case (.answer(let answer), .offer(let offer)): try answer.check(offer.initiation)
    case (.cancel(let cancel), _): try cancel.check(from: origin, version)
    case (.data(let data), .session(let session)): try data.check(session.geometry, version)
    case (.status(let status), .session(let session)): try status.check(session.geometry)
    case (.parity(let parity), .session(let session)): try parity.check(session.geometry)
    case (.pause(let pause), .session), (.resume(let pause), .session): try pause.check()
    case (.message(let message), .session): try message.check()
    case (.poll, .session), (.finish, .session), (.finishAnswer, .session): break
    default: throw .malformed("a \(type) outside of where it belongs")
    }
  }
}
