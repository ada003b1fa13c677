/// A frame with whom it is from and for.
public struct TransferPacket: Sendable, Equatable {
  /// The protocol.
  public var version: TransferVersion
  /// Whom it is for.
  public var destination: UInt8
  /// Who sends it.
  public var source: UInt8
  /// Tells sessions of the same two stations apart; proves nothing.
  public var session: UInt16
  /// What it says.
  public var frame: TransferFrame

  /// A frame for a station.
  public init(
    version: TransferVersion = .burstSack, from source: UInt8, to destination: UInt8, session: UInt16,
    _ frame: TransferFrame
  ) {
    self.version = version
    self.destination = destination
    self.source = source
    self.session = session
    self.frame = frame
  }

  private var header: TransferHeader {
    TransferHeader(
      version: version, type: frame.type, destination: destination, source: source, session: session,
      index: frame.index, flags: frame.flags)
  }

  /// The bytes on the air. Equal packets have equal bytes.
  /// - Throws: ``TransferError``: `invalidTarget` for a station that talks to itself, `cryptoFailure` when the authentication is
  ///   of another session or for other frames, `protocolMalformed` for what no receiver would take, `invalidDataLength` when the
  ///   frame is longer than any.
  public func bytes(_ authentication: TransferAuthentication) throws(TransferError) -> [UInt8] {
    guard source != destination else { throw TransferError(.invalidTarget, "station \(source) talks to itself") }
    let header = header
    guard let origin = authentication.origin(of: header) else { throw .unauthenticated(header) }
    switch (frame, version) {
    case (.fileInitiation, .burstSack), (.initiation, .phyAck):
      throw .malformed("this INIT is of the other version")
    default: try frame.check(version, authentication, from: origin)
    }
    let body = frame.body
    let length = body.count + TransferFraming.headerLength + header.type.tagLength + TransferFraming.checksumLength
    guard length <= TransferFraming.maximumLength else {
      throw TransferError(
        .invalidDataLength, "a frame of \(length) bytes; the longest has \(TransferFraming.maximumLength)")
    }
    var bytes = header.bytes
    bytes.reserveCapacity(length)
    bytes += body
    bytes += authentication.tag(of: header, from: origin, body)
    bytes.append(FrameChecksum.of(bytes), width: 2)
    return bytes
  }
}

/// What becomes of a payload that came in: one of three.
public enum TransferReading: Sendable, Equatable {
  /// Not a frame of a transfer: somebody else may look at it.
  case notOwned
  /// A frame that says what it says: whole, authentic, and possible in its session.
  case accepted(TransferPacket)
  /// A frame of a transfer that must not be acted upon, nor be given to anybody else.
  case rejected(TransferError)
}

extension TransferPacket {
  /// Reads a payload: its shape, then its checksum, then its target, then its tag, then its body. Nothing is allocated by what the
  /// payload declares; a frame that could be written shorter or otherwise is refused, so that each meaning has one form.
  /// - Parameters:
  ///   - payload: as the radio heard it.
  ///   - local: the station that reads.
  ///   - authentication: gives what has to authenticate a frame of this header: ``TransferAuthentication/control(_:)`` with the
  ///     source's key for an initiation, an offer or session of source and number otherwise; nil when there is none, which
  ///     rejects the frame. Called at most once, and only for undamaged frames for this station.
  public static func read(
    _ payload: [UInt8], at local: UInt8, authentication: (TransferHeader) -> TransferAuthentication?
  ) -> TransferReading {
    guard let header = TransferHeader(shapeOf: payload) else { return .notOwned }
    do throws(TransferError) {
      return .accepted(try read(payload, header, at: local, authentication))
    } catch {
      return .rejected(error)
    }
  }

  private static func read(
    _ payload: [UInt8], _ header: TransferHeader, at local: UInt8,
    _ authentication: (TransferHeader) -> TransferAuthentication?
  ) throws(TransferError) -> TransferPacket {
    let end = payload.count - TransferFraming.checksumLength
    guard FrameChecksum.of(payload[..<end]) == UInt16(payload[end]) << 8 | UInt16(payload[end + 1]) else {
      throw TransferError(.crcMismatch, "a frame of \(payload.count) bytes is damaged; wait for it to be sent again")
    }
    guard header.destination == local, header.source != local else {
      throw TransferError(
        .invalidTarget, "station \(local) heard a frame from \(header.source) for \(header.destination)")
    }
    guard let authentication = authentication(header), let origin = authentication.origin(of: header) else {
      throw .unauthenticated(header)
    }
    let body = payload[TransferFraming.headerLength..<end - header.type.tagLength]
    let tag = Array(payload[body.endIndex..<end])
    guard ConstantTime.areEqual(tag, authentication.tag(of: header, from: origin, body)) else {
      throw TransferError(
        .cryptoFailure, "a frame that says to be from \(header.source) was made with another key or for another session"
      )
    }
    let packet = TransferPacket(
      version: header.version, from: header.source, to: header.destination, session: header.session,
      try TransferFrame(header, body: body))
    try packet.frame.check(header.version, authentication, from: origin)
    guard packet.header == header, packet.frame.body.elementsEqual(body) else {
      throw .malformed("a \(header.type) says the same in another form than its own")
    }
    return packet
  }
}

extension TransferError {
  static func unauthenticated(_ header: TransferHeader) -> TransferError {
    TransferError(
      .cryptoFailure,
      "there is no key for a frame of type \(header.type) from \(header.source) in session \(header.session)")
  }
}
