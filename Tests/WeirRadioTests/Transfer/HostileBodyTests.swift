import Testing
import WeirTesting

@testable import WeirRadio

/// Frames of somebody who has the key and says what cannot be.
@Suite struct HostileBodyTests {
  struct Lie {
    let name: String
    let type: TransferType
    var party = TransferParty.sender
    var version = TransferVersion.burstSack
    var index: UInt16 = 0
    var flags: UInt8 = 0
    let body: [UInt8]
  }

  private func expectMalformed(_ wire: WireFixture, _ lie: Lie) {
    let signed = wire.signed(
      lie.type, from: lie.party, version: lie.version, index: lie.index, flags: lie.flags, lie.body)
    let reading = wire.read(signed)
    #expect(reading.rejection == .protocolMalformed, "\(lie.name): \(reading)")
  }

  /// A body with the bytes at a place replaced.
  private func changed(_ body: [UInt8], _ place: Int, _ bytes: [UInt8]) -> [UInt8] {
    var body = body
    body.replaceSubrange(place..<place + bytes.count, with: bytes)
    return body
  }

  /// Lora-net/LoRaMac-node#878: a fragment count above the buffer's limit wrote beyond it.
  @Test func `report 32 an INIT of a huge or impossible content is refused as what it says`() throws {
    let wire = try WireFixture()
    let body = wire.initiation.body
    let lies: [(String, Int, [UInt8])] = [
      ("no version in common", 8, [3, 7]), ("versions in reverse", 8, [2, 1]), ("version 8", 8, [2, 8]),
      ("only P1", 10, [1]), ("unknown profiles", 10, [0x82]), ("no bytes", 11, [0, 0, 0]),
      ("524,288 bytes", 11, [8, 0, 0, 8, 0, 0]), ("16 million bytes", 11, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      ("no content", 14, [0, 0, 0]), ("two lengths without a codec", 14, [0, 0x03, 0xE9]),
      ("a dictionary without a codec", 18, [0, 1]), ("chunks of 15", 20, [0, 15]), ("no chunks", 20, [0, 0]),
      ("chunks longer than a frame", 20, [0x03, 0xF2]), ("huge chunks", 20, [0xFF, 0xFF]), ("unknown flags", 31, [2]),
    ]
    for (name, place, bytes) in lies {
      expectMalformed(wire, Lie(name: name, type: .initiation, body: changed(body, place, bytes)))
    }
    let file = wire.fileInitiation.body
    for (name, place, bytes) in [
      ("no P1", 8, [2, 2]), ("profile P2", 10, [2]), ("no bytes", 11, [0, 0, 0]), ("huge", 11, [0xFF, 0xFF, 0xFF]),
      ("no chunks", 14, [0, 0]), ("huge chunks", 14, [0xFF, 0xFF]),
    ] as [(String, Int, [UInt8])] {
      expectMalformed(
        wire, Lie(name: name, type: .initiation, version: .phyAck, body: changed(file, place, bytes)))
    }
  }

  @Test func `an INIT_ACK that takes what was not offered, or keeps chunks that do not exist, is malformed`() throws {
    let wire = try WireFixture()
    let body = TransferAnswer.accepted(TransferAcceptance(nonce: 5, chunk: 64, burst: 240, base: 3)).body
    let lies: [(String, [UInt8])] = [
      ("a code that means nothing", [7]), ("a refusal with more", [1, 0]), ("nothing", []),
      ("another version", changed(body, 9, [1])), ("another profile", changed(body, 10, [1])),
      ("two profiles", changed(body, 10, [3])), ("a larger chunk", changed(body, 11, [0, 65])),
      ("a tiny chunk", changed(body, 11, [0, 15])), ("no burst", changed(body, 13, [0])),
      ("a burst beyond the bitmap", changed(body, 13, [241])), ("a part beyond the end", changed(body, 14, [0, 17])),
      ("a part of another file", changed(body, 14, [0xFF, 0xFF])), ("the missing chunk is here", body + [0x80]),
      ("chunks beyond the end", body + [0, 0b0000_0100]), ("zeros behind", body + [0x40, 0]),
      ("a bitmap of 31 bytes", body + [UInt8](repeating: 0x7F, count: 31)), ("cut short", Array(body.dropLast())),
    ]
    for (name, bytes) in lies { expectMalformed(wire, Lie(name: name, type: .answer, party: .receiver, body: bytes)) }
    var offer = wire.initiation
    offer.isResumable = false
    let other = TransferOffer(
      key: wire.key, sender: WireFixture.sender, receiver: WireFixture.receiver, number: WireFixture.number,
      initiation: offer)
    let goingOn = wire.signed(.answer, from: .receiver, body, with: .offer(other))
    #expect(wire.read(goingOn, with: .offer(other)).rejection == .protocolMalformed)
  }

  @Test func `chunks past the end, or of another length than theirs, are malformed`() throws {
    let wire = try WireFixture()
    let chunk = [UInt8](repeating: 1, count: 64)
    for version in TransferVersion.allCases {
      for index in [16, 17, 240, 32_768, 65_535] as [UInt16] {
        expectMalformed(wire, Lie(name: "chunk \(index)", type: .data, version: version, index: index, body: chunk))
      }
      for length in [0, 1, 63, 65, 1_000] {
        let body = [UInt8](repeating: 1, count: length)
        expectMalformed(wire, Lie(name: "\(length) bytes", type: .data, version: version, index: 3, body: body))
      }
      expectMalformed(wire, Lie(name: "a long last chunk", type: .data, version: version, index: 15, body: chunk))
    }
    expectMalformed(wire, Lie(name: "P1 ends a burst", type: .data, version: .phyAck, flags: 1, body: chunk))
    let sums: [(String, UInt16, [UInt8])] = [
      ("no group", 0, [0, 0]), ("one too many", 0, [0, 17]), ("past the end", 15, [0, 2]),
      ("far past the end", 0xFFFF, [0xFF, 0xFF]),
    ]
    for (name, base, span) in sums {
      expectMalformed(wire, Lie(name: name, type: .parity, index: base, body: span + [0, 0, 0, 0] + chunk))
    }
    expectMalformed(wire, Lie(name: "a short sum", type: .parity, body: [0, 2, 0, 0, 0, 0] + chunk.dropLast()))
  }

  @Test func `a STATUS with huge counts, chunks past the end, empty runs or a longer form is malformed`() throws {
    let wire = try WireFixture()
    func body(_ first: UInt16, _ received: UInt16, _ horizon: UInt16, _ map: [UInt8]) -> [UInt8] {
      var bytes: [UInt8] = []
      for value in [first, received, horizon] { bytes.append(value, width: 2) }
      return bytes + [0x80, 18, 0, 0] + map
    }
    #expect(wire.read(wire.signed(.status, from: .receiver, body(2, 14, 16, [0, 0xC0]))).rejection == nil)
    let lies: [(String, [UInt8])] = [
      ("huge counts", body(0xFFFF, 0xFFFF, 0xFFFF, [0])), ("a horizon past the end", body(2, 14, 17, [0, 0xC0])),
      ("more received than exist", body(2, 15, 16, [0, 0xC0])), ("fewer than it says", body(2, 13, 16, [0, 0xC0])),
      ("whole with a count missing", body(16, 15, 16, [0])), ("nothing missing before the end", body(9, 9, 9, [0])),
      ("first missing is here", body(2, 14, 16, [0, 0x60])), ("missing past the end", body(15, 15, 16, [0, 0xC0])),
      ("missing past the horizon", body(2, 5, 6, [0, 0xF8])), ("zeros behind", body(2, 14, 16, [0, 0xC0, 0])),
      ("another form", body(2, 14, 16, [2, 0xC0])), ("runs where bits are shorter", body(2, 14, 16, [1, 0, 2])),
      ("31 bytes of bits", body(0, 0, 16, [0] + [UInt8](repeating: 0xFF, count: 31))),
      ("an empty run", body(2, 14, 16, [1, 0, 0])), ("half a run", body(2, 14, 16, [1, 0])),
      ("no form", body(2, 14, 16, [])),
    ]
    for (name, bytes) in lies { expectMalformed(wire, Lie(name: name, type: .status, party: .receiver, body: bytes)) }
    let large: [(String, [UInt8])] = [
      ("runs that meet", body(0, 32_166, 32_768, [1, 0x01, 0x2C, 0, 0, 0x01, 0x2C])),
      ("a run past the end", body(0, 32_468, 32_768, [1, 0x01, 0x2C, 0x7E, 0xD4, 0x01, 0x2C])),
      ("runs past all numbers", body(0, 0, 32_768, [1] + [UInt8](repeating: 0xFF, count: 30))),
      ("runs that end with what is here", body(0, 32_468, 32_768, [1, 0x01, 0x2C, 0, 1])),
      ("32 bytes of runs", body(0, 0, 32_768, [1] + [UInt8](repeating: 1, count: 32))),
    ]
    for (name, bytes) in large {
      let authentication = TransferAuthentication.session(wire.largeSession)
      let reading = wire.read(
        wire.signed(.status, from: .receiver, bytes, with: authentication), with: authentication)
      #expect(reading.rejection == .protocolMalformed, "\(name): \(reading)")
    }
  }

  @Test func `small bodies with a byte too many or too few, unknown codes, stray flags and indexes are malformed`()
    throws
  {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) where golden.authentication == nil {
      guard let header = TransferHeader(shapeOf: golden.bytes) else { continue }
      let body = golden.packet.frame.body
      let party: TransferParty = header.source == WireFixture.sender ? .sender : .receiver
      func lie(_ name: String, index: UInt16? = nil, flags: UInt8? = nil, _ body: [UInt8]) -> Lie {
        Lie(
          name: "\(golden.name), \(name)", type: header.type, party: party, version: header.version,
          index: index ?? header.index, flags: flags ?? header.flags.rawValue, body: body)
      }
      for bit in 0..<8 {
        let flags = header.flags.rawValue ^ 1 << UInt8(bit)
        // A flag that means something there makes another frame, which may be a good one.
        guard !(header.type == .data && bit == 0), !(header.type == .cancel && bit < 3) else { continue }
        expectMalformed(wire, lie("flag \(bit)", flags: flags, body))
      }
      if header.type != .message {
        expectMalformed(wire, lie("longer", body + [0]))
        if !body.isEmpty, !(header.type == .status), !(header.type == .answer) {
          expectMalformed(wire, lie("shorter", Array(body.dropLast())))
        }
      }
      if [.initiation, .answer, .finish, .finishAnswer, .cancel].contains(header.type) {
        expectMalformed(wire, lie("an index", index: 1, body))
      }
    }
    let lies = [
      Lie(name: "a verdict of 5", type: .finishAnswer, party: .receiver, body: [5]),
      Lie(name: "a reason of 5", type: .cancel, body: [5, 0]), Lie(name: "a third party", type: .cancel, body: [0, 2]),
      Lie(name: "the other gave up", type: .cancel, body: [0, 1]),
      Lie(name: "an answer to its own", type: .cancel, flags: 2, body: [0, 0]),
      Lie(name: "P1 answers", type: .cancel, version: .phyAck, flags: 2, body: [0, 1]),
      Lie(name: "more than a day", type: .pause, body: [0x05, 0x26, 0x5C, 0x01]),
      Lie(name: "for ever", type: .resume, body: [0xFF, 0xFF, 0xFF, 0xFF]),
      Lie(name: "nothing said", type: .message, body: []),
      Lie(name: "the sender reports", type: .status, body: [0, 16, 0, 16, 0, 16, 0, 0, 0, 0, 0]),
      Lie(name: "the receiver sends", type: .data, party: .receiver, body: [UInt8](repeating: 0, count: 64)),
      Lie(name: "the receiver asks", type: .poll, party: .receiver, body: []),
      Lie(name: "the sender judges", type: .finishAnswer, body: [0]),
    ]
    for lie in lies { expectMalformed(wire, lie) }
  }

  @Test func `what no receiver takes is not written either`() throws {
    let wire = try WireFixture()
    var huge = wire.initiation
    huge.wireLength = .max
    var negative = wire.initiation
    negative.chunk = -1
    let acceptances = [
      TransferAcceptance(nonce: 1, chunk: .max, burst: 1),
      TransferAcceptance(nonce: 1, chunk: 64, burst: 1, base: .max),
      TransferAcceptance(nonce: 1, chunk: 64, burst: 1, base: 2, received: [Int.min..<Int.max]),
      TransferAcceptance(nonce: 1, chunk: 64, burst: 1, base: 2, received: [5..<6, 4..<5]),
    ]
    var status = TransferStatus(number: 1, missing: [Int.min..<Int.max], of: wire.session.geometry, rate: 0)
    #expect(status.missing == [0..<16])
    status.missing = [3..<2_000_000_000]
    var frames: [(TransferFrame, TransferParty, TransferAuthentication)] = [
      (.initiation(huge), .sender, .control(wire.key)), (.initiation(negative), .sender, .control(wire.key)),
      (.status(status), .receiver, .session(wire.session)),
      (.data(TransferData(index: 99, bytes: [1])), .sender, .session(wire.session)),
      (
        .message(TransferMessage(number: 1, bytes: [UInt8](repeating: 0, count: 1_006))), .sender,
        .session(wire.session)
      ),
    ]
    for acceptance in acceptances { frames.append((.answer(.accepted(acceptance)), .receiver, .offer(wire.offer))) }
    for (frame, party, authentication) in frames {
      #expect {
        _ = try wire.packet(frame, from: party).bytes(authentication)
      } throws: {
        ($0 as? TransferError)?.kind == .protocolMalformed
      }
    }
    for (length, chunk) in [(0, 64), (524_288, 64), (1, 15), (1, 1_010), (-1, 64), (.max, .max)] {
      #expect {
        _ = try TransferGeometry(length: length, chunk: chunk)
      } throws: {
        ($0 as? TransferError)?.code == "transfer.invalid-data-length"
      }
    }
  }
}
