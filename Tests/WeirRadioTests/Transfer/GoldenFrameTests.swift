import Testing

@testable import WeirRadio

/// The bytes of each frame are fixed: a change here is a change of the protocol.
@Suite struct GoldenFrameTests {
  @Test func `C63 every frame has the bytes of its golden vector`() throws {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) {
      let header = try #require(TransferHeader(shapeOf: golden.bytes), "\(golden.name)")
      let authentication = try #require(golden.authentication ?? wire.authentication(header))
      let written = try golden.packet.bytes(authentication)
      #expect(
        written == golden.bytes,
        "\(golden.name): \(String(decoding: HexText.digits(written), as: UTF8.self))")
    }
  }

  @Test func `C63 every golden vector reads as its frame`() throws {
    let wire = try WireFixture()
    for golden in GoldenFrame.all(wire) {
      #expect(wire.read(golden.bytes, with: golden.authentication) == .accepted(golden.packet), "\(golden.name)")
    }
  }

  @Test func `the golden vectors hold every type of both versions, every refusal and every verdict`() throws {
    let packets = GoldenFrame.all(try WireFixture()).map(\.packet)
    for version in TransferVersion.allCases {
      let types = Set(packets.filter { $0.version == version }.map(\.frame.type))
      #expect(types == Set(TransferType.allCases.filter { $0.exists(in: version) }))
    }
    for refusal in TransferRefusal.allCases {
      #expect(packets.contains { $0.frame == .answer(.refused(refusal)) })
    }
    for verdict in TransferVerdict.allCases { #expect(packets.contains { $0.frame == .finishAnswer(verdict) }) }
  }

  @Test func `a DATA frame costs 15 bytes in both versions, and its largest chunk fills the longest frame`() throws {
    let wire = try WireFixture()
    let chunk = TransferData(index: 0, bytes: Array(wire.content[..<64]))
    #expect(try wire.packet(.data(chunk)).bytes(.session(wire.session)).count == 64 + 15)
    #expect(
      try wire.packet(.data(chunk), version: .phyAck).bytes(.session(wire.phySession)).count == 64 + 15)
    var initiation = wire.initiation
    initiation.chunk = TransferGeometry.maximumChunk
    initiation.wireLength = 5_000
    initiation.originalLength = 5_000
    let offer = TransferOffer(
      key: wire.key, sender: WireFixture.sender, receiver: WireFixture.receiver, number: WireFixture.number,
      initiation: initiation)
    let session = try TransferSession(
      offer, accepted: TransferAcceptance(nonce: 1, chunk: TransferGeometry.maximumChunk, burst: 1))
    let largest = TransferData(index: 0, bytes: [UInt8](repeating: 1, count: TransferGeometry.maximumChunk))
    #expect(try wire.packet(.data(largest)).bytes(.session(session)).count == TransferFraming.maximumLength)
  }

  /// exsilium/xmodem.js#1: losing the acknowledgement of the end sent data again.
  @Test func `report 44 a FINISH that is said again is the same frame, and what is missing is no failure of it`() throws
  {
    let wire = try WireFixture()
    let finish = wire.packet(.finish(TransferFinish(of: wire.content, key: wire.key)))
    #expect(try finish.bytes(.session(wire.session)) == finish.bytes(.session(wire.session)))
    let incomplete = try wire.packet(.finishAnswer(.incomplete), from: .receiver).bytes(.session(wire.session))
    #expect(wire.read(incomplete) == .accepted(wire.packet(.finishAnswer(.incomplete), from: .receiver)))
  }
}
