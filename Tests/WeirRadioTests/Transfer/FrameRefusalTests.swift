import Testing
import WeirTesting

@testable import WeirRadio

/// Frames that are not as they were sent, or not from whom they say.
@Suite struct FrameRefusalTests {
  /// Whether bytes have the shape of a frame, told from the table of the decision note.
  static func haveShape(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 15, bytes.count <= 1_024, bytes[0] == 0xB7 else { return false }
    let type = bytes[1] & 0x1F
    switch bytes[1] >> 5 {
    case 1: guard [1, 3, 8].contains(type) else { return false }
    case 2: guard 1...12 ~= type else { return false }
    default: return false
    }
    return bytes.count >= (type == 3 || type == 12 ? 15 : 19)
  }

  @Test func `every truncation is refused: by its shape or by its checksum`() throws {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) {
      for length in 0..<golden.bytes.count {
        let part = Array(golden.bytes[..<length])
        let reading = wire.read(part, with: golden.authentication)
        #expect(
          Self.haveShape(part) ? reading.rejection == .crcMismatch : reading == .notOwned,
          "\(golden.name) of \(length) bytes: \(reading)")
      }
      // A checksum of this kind does not see zeros behind itself; the tag does.
      #expect(wire.read(golden.bytes + [0], with: golden.authentication).rejection == .cryptoFailure)
      #expect(wire.read(golden.bytes + [1], with: golden.authentication).rejection == .crcMismatch)
    }
  }

  @Test func `C48 every bit that flips is noticed by shape or checksum, and no key is looked up`() throws {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) {
      for place in golden.bytes.indices {
        for bit in 0..<8 {
          var damaged = golden.bytes
          damaged[place] ^= 1 << UInt8(bit)
          var lookups = 0
          let reading = TransferPacket.read(damaged, at: damaged[2]) { _ in
            lookups += 1
            return golden.authentication ?? .session(wire.session)
          }
          guard Self.haveShape(damaged) ? reading.rejection == .crcMismatch : reading == .notOwned, lookups == 0 else {
            Issue.record("\(golden.name), bit \(bit) of byte \(place): \(reading), \(lookups) look-ups")
            continue
          }
        }
      }
    }
  }

  @Test func `C48 every bit that flips under a right checksum is noticed by target or tag`() throws {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) {
      for place in golden.bytes.indices.dropLast(2) {
        for bit in 0..<8 {
          var forged = golden.bytes
          forged[place] ^= 1 << UInt8(bit)
          forged = WireFixture.checked(forged)
          let reading = TransferPacket.read(forged, at: golden.bytes[2]) {
            golden.authentication ?? wire.authentication($0)
          }
          let isRefused =
            switch place {
            case 0, 1: Self.haveShape(forged) ? reading.rejection == .cryptoFailure : reading == .notOwned
            case 2: reading.rejection == .invalidTarget
            default: reading.rejection == .cryptoFailure || (place == 3 && reading.rejection == .invalidTarget)
            }
          if !isRefused { Issue.record("\(golden.name), bit \(bit) of byte \(place): \(reading)") }
        }
      }
    }
  }

  @Test func `C46 a frame for another station is rejected, undamaged or not looked at further`() throws {
    let wire = try WireFixture()
    let bytes = try wire.packet(.initiation(wire.initiation)).bytes(.control(wire.key))
    var lookups = 0
    let reading = TransferPacket.read(bytes, at: 0x33) { _ in
      lookups += 1
      return .control(wire.key)
    }
    #expect(reading.rejection == .invalidTarget)
    #expect(lookups == 0)
    #expect(throws: TransferError.self) {
      try TransferPacket(from: 5, to: 5, session: 1, .initiation(wire.initiation)).bytes(.control(wire.key))
    }
  }

  @Test func `C45 what is not ours is nobody's business here: no key is looked up`() {
    var generator = SeededGenerator(seed: 8)
    for length in 0...1_100 {
      var bytes = (0..<length).map { _ in UInt8(generator.index(below: 256)) }
      if bytes.first == TransferFraming.magic { bytes[0] = 0 }
      let reading = TransferPacket.read(bytes, at: 1) { _ in
        Issue.record("looked up a key for a payload of \(length) bytes")
        return nil
      }
      #expect(reading == .notOwned)
    }
    let tooLong = [TransferFraming.magic, 0x43] + [UInt8](repeating: 0, count: 1_023)
    #expect(TransferPacket.read(tooLong, at: 0) { _ in nil } == .notOwned)
  }

  @Test func `C47 without a key a frame is rejected, and a wrong key is none`() throws {
    let wire = try WireFixture()
    let wrong = try ControlKey([UInt8](repeating: 0, count: 16))
    let bytes = try wire.packet(.initiation(wire.initiation)).bytes(.control(wire.key))
    #expect(TransferPacket.read(bytes, at: WireFixture.receiver) { _ in nil }.rejection == .cryptoFailure)
    #expect(wire.read(bytes, with: .control(wrong)).rejection == .cryptoFailure)
    #expect(wire.read(bytes, with: .session(wire.session)).rejection == .cryptoFailure)
  }

  @Test func `C53 a frame of a session from a third station is rejected`() throws {
    let wire = try WireFixture()
    let offer = TransferOffer(
      key: wire.key, sender: 0x44, receiver: WireFixture.receiver, number: WireFixture.number,
      initiation: wire.initiation)
    let session = try TransferSession(
      offer, accepted: TransferAcceptance(nonce: 0x1112_1314_1516_1718, chunk: 64, burst: 240))
    let packet = TransferPacket(from: 0x44, to: WireFixture.receiver, session: WireFixture.number, .poll(number: 1))
    let bytes = try packet.bytes(.session(session))
    #expect(wire.read(bytes, with: .session(session)) == .accepted(packet))
    #expect(wire.read(bytes).rejection == .cryptoFailure)
  }

  /// Each input of the derivation on its own makes the frames of one session worthless in the other.
  @Test func `no frame of a session fits another that differs in a nonce, a station, a number, a version or the key`()
    throws
  {
    let wire = try WireFixture()
    let chunk = TransferData(index: 2, bytes: Array(wire.content[128..<192]))
    let recorded = try wire.packet(.data(chunk)).bytes(.session(wire.session))
    func session(
      _ key: ControlKey, nonce: UInt64, answer: UInt64, number: UInt16 = WireFixture.number
    ) throws -> TransferSession {
      var initiation = wire.initiation
      initiation.nonce = nonce
      return try TransferSession(
        TransferOffer(
          key: key, sender: WireFixture.sender, receiver: WireFixture.receiver, number: number,
          initiation: initiation),
        accepted: TransferAcceptance(nonce: answer, chunk: 64, burst: 240))
    }
    let nonce = wire.initiation.nonce
    let answer: UInt64 = 0x1112_1314_1516_1718
    #expect(wire.read(recorded, with: .session(try session(wire.key, nonce: nonce, answer: answer))).rejection == nil)
    let others = [
      try session(wire.key, nonce: nonce ^ 1, answer: answer), try session(wire.key, nonce: nonce, answer: answer ^ 1),
      try session(wire.key, nonce: answer, answer: nonce),
      try session(wire.key, nonce: nonce, answer: answer, number: 7),
      try session(ControlKey(1..<17), nonce: nonce, answer: answer), wire.phySession,
    ]
    for other in others { #expect(wire.read(recorded, with: .session(other)).rejection == .cryptoFailure) }
  }

  @Test func `an answer to one offer answers no other, and a frame does not come back as the other end's`() throws {
    let wire = try WireFixture()
    var later = wire.initiation
    later.nonce &+= 1
    let offer = TransferOffer(
      key: wire.key, sender: WireFixture.sender, receiver: WireFixture.receiver, number: WireFixture.number,
      initiation: later)
    let answer = try wire.packet(.answer(.refused(.busy)), from: .receiver).bytes(.offer(wire.offer))
    #expect(wire.read(answer, with: .offer(offer)).rejection == .cryptoFailure)
    var reflected = try wire.packet(.pause(TransferPause(number: 1, milliseconds: 1))).bytes(.session(wire.session))
    reflected.swapAt(2, 3)
    #expect(wire.read(WireFixture.checked(reflected)).rejection == .cryptoFailure)
  }
}
