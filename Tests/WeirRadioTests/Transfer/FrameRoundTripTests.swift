import Testing
import WeirTesting

@testable import WeirRadio

/// What is written is what is read, for whatever may be said.
@Suite struct FrameRoundTripTests {
  /// Ascending ranges that do not touch, within bounds.
  static func ranges(
    within bounds: Range<Int>, most: Int, longest: Int, _ generator: inout SeededGenerator
  ) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var place = bounds.lowerBound + generator.index(below: 8)
    while ranges.count < most, place < bounds.upperBound {
      let end = min(bounds.upperBound, place + 1 + generator.index(below: longest))
      ranges.append(place..<end)
      place = end + 1 + generator.index(below: longest)
    }
    return ranges
  }

  static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8(generator.index(below: 256)) }
  }

  @Test func `any frame that may be said reads as it was written, in sessions of any size`() throws {
    var generator = SeededGenerator(seed: 21)
    var kinds: Set<TransferType> = []
    for round in 0..<400 {
      let key = try ControlKey(Self.bytes(16, &generator))
      let chunk = 16 + generator.index(below: round % 4 == 0 ? 994 : 100)
      let length = 1 + generator.index(below: round % 3 == 0 ? 524_287 : 5_000)
      let hasCodec = generator.index(below: 2) == 0
      var initiation = TransferInitiation(
        nonce: generator.next(), wireLength: length,
        originalLength: hasCodec ? 1 + generator.index(below: 524_287) : length, codec: hasCodec ? 1 : 0,
        dictionary: hasCodec ? UInt16(generator.index(below: 65_536)) : 0, chunk: chunk, content: generator.next(),
        rate: UInt8(generator.index(below: 256)))
      initiation.versions = UInt8(generator.index(below: 3))...UInt8(2 + generator.index(below: 6))
      let sender = UInt8(generator.index(below: 256))
      let receiver = sender &+ 1 &+ UInt8(generator.index(below: 255))
      let offer = TransferOffer(
        key: key, sender: sender, receiver: receiver, number: UInt16(generator.index(below: 65_536)),
        initiation: initiation)
      let geometry = try TransferGeometry(length: length, chunk: chunk)
      let base = generator.index(below: geometry.count + 1)
      let kept = base + 1..<max(base + 1, min(geometry.count, base + 240))
      let acceptance = TransferAcceptance(
        nonce: generator.next(), chunk: chunk, burst: UInt8(1 + generator.index(below: 240)), base: base,
        received: Self.ranges(within: kept, most: 50, longest: 9, &generator))
      let session = try TransferSession(offer, accepted: acceptance)
      let index = generator.index(below: geometry.count)
      let data = TransferData(
        index: UInt16(index), bytes: Self.bytes(geometry.length(ofChunkAt: index) ?? 0, &generator),
        endsBurst: generator.index(below: 2) == 0)
      let missing = Self.ranges(
        within: 0..<geometry.count, most: generator.index(below: 20), longest: 1 + generator.index(below: 200),
        &generator)
      let status = TransferStatus(
        number: UInt16(generator.index(below: 65_536)), missing: missing, of: geometry,
        quarterDecibels: generator.index(below: 2) == 0 ? nil : Int8(generator.index(below: 255) - 127),
        rate: 3, nextTransmission: UInt16(generator.index(below: 65_536)))
      let pause = TransferPause(number: 4, milliseconds: UInt32(generator.index(below: 86_400_001)))
      let message = TransferMessage(number: 5, bytes: Self.bytes(1 + generator.index(below: 1_005), &generator))
      let frames: [(TransferFrame, TransferParty, TransferAuthentication)] = [
        (.initiation(initiation), .sender, .control(key)), (.answer(.accepted(acceptance)), .receiver, .offer(offer)),
        (.data(data), .sender, .session(session)), (.status(status), .receiver, .session(session)),
        (.poll(number: UInt16(round)), .sender, .session(session)),
        (.finish(TransferFinish(checksum: 1 << 31, content: generator.next())), .sender, .session(session)),
        (.finishAnswer(.whole), .receiver, .session(session)),
        (.cancel(TransferCancel(reason: .timeout, by: .receiver)), .receiver, .session(session)),
        (.cancel(TransferCancel(reason: .wanted, by: .sender, isEarly: true)), .sender, .offer(offer)),
        (.pause(pause), .receiver, .session(session)), (.resume(pause), .sender, .session(session)),
        (.message(message), .receiver, .session(session)),
      ]
      for (frame, party, authentication) in frames {
        let packet = TransferPacket(
          from: party == .sender ? sender : receiver, to: party == .sender ? receiver : sender, session: offer.number,
          frame)
        let written = try packet.bytes(authentication)
        let reading = TransferPacket.read(written, at: packet.destination) { _ in authentication }
        #expect(reading == .accepted(packet), "round \(round), \(frame.type)")
        kinds.insert(frame.type)
      }
    }
    #expect(kinds == Set(TransferType.allCases).subtracting([.parity]))
  }

  /// A STATUS against plain sets: what it says is true, and no less than a frame can carry.
  @Test func `a STATUS says the truth of every chunk up to its horizon, and reaches over 240 or over eight gaps`()
    throws
  {
    let wire = try WireFixture()
    var generator = SeededGenerator(seed: 4)
    var forms: Set<Bool> = []
    for session in [wire.session, wire.largeSession] {
      let geometry = session.geometry
      for round in 0..<300 {
        let missing = Self.ranges(
          within: 0..<geometry.count, most: generator.index(below: 24),
          longest: 1 + generator.index(below: 1 + round * 4),
          &generator)
        let truth = Set(missing.joined())
        let status = TransferStatus(number: 1, missing: missing, of: geometry, rate: 0)
        let written = try wire.packet(.status(status), from: .receiver).bytes(.session(session))
        guard
          case .accepted(let packet) = wire.read(written, with: .session(session)),
          case .status(let heard) = packet.frame
        else {
          Issue.record("round \(round) is not accepted")
          continue
        }
        #expect(heard.receivedCount == geometry.count - truth.count)
        #expect(heard.firstMissing == truth.min() ?? geometry.count)
        #expect(Set(heard.missing.joined()) == truth.filter { $0 < heard.horizon })
        let first = truth.min() ?? geometry.count
        #expect(heard.horizon >= min(geometry.count, first + 240))
        if missing.count <= 8 { #expect(heard.horizon == geometry.count) }
        #expect(written.count <= 9 + 11 + 30 + 10)
        let span = (heard.missing.last?.upperBound ?? first) - first
        let shortest = min((span + 7) / 8, max(0, 4 * heard.missing.count - 2))
        #expect(written.count == 9 + 11 + shortest + 10)
        forms.insert(written[19] == 1)
      }
    }
    #expect(forms == [true, false])
  }

  /// Lora-net/SWL2001#23, #101: one fragment of forty was lost, and "1 missing" was still said after it had come.
  @Test func `report 34 one lost chunk of forty is named alone, and none once it is here`() throws {
    let wire = try WireFixture()
    var initiation = wire.initiation
    initiation.wireLength = 40 * 64
    initiation.originalLength = 40 * 64
    let offer = TransferOffer(
      key: wire.key, sender: WireFixture.sender, receiver: WireFixture.receiver, number: WireFixture.number,
      initiation: initiation)
    let session = try TransferSession(offer, accepted: TransferAcceptance(nonce: 9, chunk: 64, burst: 40))
    for lost in 0..<40 {
      for missing in [[lost..<lost + 1], []] {
        let status = TransferStatus(number: 1, missing: missing, of: session.geometry, rate: 1)
        let written = try wire.packet(.status(status), from: .receiver).bytes(.session(session))
        guard case .accepted(let packet) = wire.read(written, with: .session(session)),
          case .status(let heard) = packet.frame
        else {
          Issue.record("a STATUS on chunk \(lost) is not accepted")
          continue
        }
        #expect(heard.missing == missing)
        #expect(heard.receivedCount == 40 - missing.count)
      }
    }
  }
}
