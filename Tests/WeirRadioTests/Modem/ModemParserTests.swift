import Foundation
import Testing
import WeirTesting

@testable import WeirRadio

/// Bytes into events: whatever the reads look like.
@Suite struct ModemParserTests {
  /// Something a modem says, and what it means. Each ends with a silence of the line.
  struct Speech {
    let dialect: ModemDialect
    let bytes: [UInt8]
    let events: [ModemEvent]
  }

  static let nasty: [UInt8] = [
    0x00, 0x0D, 0x0A, 0x41, 0x54, 0x5F, 0x4F, 0x4B, 0x0D, 0x2C, 0x0A, 0xC0, 0xDB, 0xFF, 0x0D, 0x0A,
  ]

  static let speeches: [Speech] = makeSpeeches()

  private static func makeSpeeches() -> [Speech] {
    let frame = ReceivedFrame(payload: nasty, rssi: -71, snr: 9.5)
    let hex = String(decoding: HexText.digits(nasty), as: UTF8.self)
    return [
      Speech(
        dialect: .turMass,
        bytes: Array("AT+RATE?\r\n+RATE: 18\r\nPRESEND_READY\r\nAT_OK\r\nRSSI:-71, SNR:9.5, Data ".utf8) + nasty
          + Array("\r\n+SEND_FINISH!\r\nAT_PARAM_ERROR\r\n".utf8),
        events: [
          .line("AT+RATE?"), .line("+RATE: 18"), .unsolicited("PRESEND_READY"), .result(isSuccess: true, line: "AT_OK"),
          .received(frame), .sent(isSuccess: true, line: "+SEND_FINISH!"),
          .result(isSuccess: false, line: "AT_PARAM_ERROR"),
        ]),
      Speech(
        dialect: .turMass,
        bytes: Array("+RST: ok\r\nAT_OK\r\n".utf8) + [0xFF] + Array("TurMass.TurMass.TurMass.P2P AT CMD!\r\n".utf8),
        events: [
          .line("+RST: ok"), .result(isSuccess: true, line: "AT_OK"), .banner("TurMass.TurMass.TurMass.P2P AT CMD!"),
        ]),
      Speech(
        dialect: .rakRUI3,
        bytes: Array("OK\r\n+EVT:TXP2P DONE\r\n+EVT:RXP2P:-71:9.5:\(hex)\r\n+EVT:RXP2P:x\r\nAT_BUSY_ERROR\r\n".utf8),
        events: [
          .result(isSuccess: true, line: "OK"), .sent(isSuccess: true, line: "+EVT:TXP2P DONE"), .received(frame),
          .discarded(bytes: 12), .result(isSuccess: false, line: "AT_BUSY_ERROR"),
        ]),
      Speech(
        dialect: .reyaxRYLR(),
        bytes: Array("+OK\r\n+RCV=50,\(nasty.count),".utf8) + nasty + Array(",-71,9.5\r\n+READY\r\n+ERR=17\r\n".utf8),
        events: [
          .result(isSuccess: true, line: "+OK"), .received(frame), .banner("+READY"),
          .result(isSuccess: false, line: "+ERR=17"),
        ]),
      Speech(
        dialect: .kiss,
        bytes: KissFraming.frame(type: 0, nasty) + KissFraming.frame(type: 6, [0xF9, 38, UInt8(bitPattern: -71)])
          + KissFraming.frame(type: 6, [0xF8, 1]) + KissFraming.frame(type: 6, [0xF8, 0])
          + KissFraming.frame(type: 6, [0xF1, 7]) + [0xC0, 0x00, 0xDB, 0x01, 0xC0]
          + KissFraming.frame(type: 0, [1, 2]),
        events: [
          .received(frame), .sent(isSuccess: true, line: "F801"), .sent(isSuccess: false, line: "F800"),
          .result(isSuccess: false, line: "F107"), .discarded(bytes: 1), .received(ReceivedFrame(payload: [1, 2])),
        ]),
    ]
  }

  static func events(_ dialect: ModemDialect, _ parts: [ArraySlice<UInt8>]) -> [ModemEvent] {
    var parser = ModemParser(dialect)
    var events: [ModemEvent] = []
    for part in parts { parser.feed(part) { events.append($0) } }
    parser.silence { events.append($0) }
    return events
  }

  /// ARMmbed/mbed-os#8829: an `OK` that came in two reads was missed.
  @Test func `report 38 every split of what a modem says means the same`() {
    for speech in Self.speeches {
      let bytes = speech.bytes[...]
      #expect(Self.events(speech.dialect, [bytes]) == speech.events)
      #expect(Self.events(speech.dialect, bytes.map { [$0] }) == speech.events)
      for first in bytes.indices {
        #expect(Self.events(speech.dialect, [bytes[..<first], bytes[first...]]) == speech.events)
        let second = min(bytes.endIndex, first + 3)
        #expect(
          Self.events(speech.dialect, [bytes[..<first], bytes[first..<second], bytes[second...]]) == speech.events)
      }
    }
  }

  @Test func `a payload without a length ends with the silence, whatever lines it holds`() {
    var parser = ModemParser(.turMass)
    var events: [ModemEvent] = []
    parser.feed(Array("x, Data one\r\n".utf8)) { events.append($0) }
    #expect(events.isEmpty && parser.needsSilence)
    parser.feed(Array("two\r".utf8)) { events.append($0) }
    #expect(!parser.needsSilence)
    parser.silence { events.append($0) }
    #expect(events.isEmpty, "no line end before the silence")
    parser.feed([0x0A]) { events.append($0) }
    parser.silence { events.append($0) }
    #expect(events == [.received(ReceivedFrame(payload: Array("one\r\ntwo".utf8)))])
  }

  @Test func `what is too long or damaged is told, and the next line is understood`() {
    let long = [UInt8](repeating: 0x41, count: 5_000)
    let end = Array("\r\nAT_OK\r\n".utf8)
    for dialect in [ModemDialect.turMass, .rakRUI3, .reyaxRYLR()] {
      let ok = dialect.success.first?.text ?? ""
      let events = Self.events(dialect, [(long + Array("\r\n\(ok)\r\n".utf8))[...]])
      #expect(events == [.discarded(bytes: 5_002), .result(isSuccess: true, line: ok)])
    }
    // A payload that never ends does not hide the modem for ever.
    let raw = Self.events(.turMass, [(Array("x, Data ".utf8) + long + end)[...]])
    #expect(raw.last == .result(isSuccess: true, line: "AT_OK"))
    #expect(raw.dropLast().allSatisfy { if case .discarded = $0 { true } else { false } })
    // A length that lies is a line like any other.
    #expect(
      Self.events(.reyaxRYLR(), [Array("+RCV=1,999999,x\r\n+OK\r\n".utf8)[...]]).last
        == .result(isSuccess: true, line: "+OK"))
  }

  /// Mutated speech: nothing traps, memory stays bounded, and the split still does not matter.
  @Test func `a hundred thousand damaged streams trap nowhere, stay within bounds, and mean the same in two reads`() {
    let isSoak = ProcessInfo.processInfo.environment["WEIR_SOAK"] == "1"
    var generator = SeededGenerator(seed: 5)
    for index in 0..<(isSoak ? 1_000_000 : 100_000) {
      let speech = Self.speeches[index % Self.speeches.count]
      var bytes = Array(speech.bytes.suffix(generator.index(below: speech.bytes.count)))
      for _ in 0..<(1 + generator.index(below: 4)) where !bytes.isEmpty {
        let place = generator.index(below: bytes.count)
        switch generator.index(below: 3) {
        case 0: bytes[place] = UInt8(generator.index(below: 256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(generator.index(below: 256)), at: place)
        }
      }
      let whole = Self.events(speech.dialect, [bytes[...]])
      for case .received(let frame) in whole where frame.payload.count > speech.dialect.maximumPayload {
        Issue.record("stream \(index): \(frame.payload.count) bytes")
      }
      guard index % 4 == 0 else { continue }
      let cut = generator.index(below: bytes.count + 1)
      let split = Self.events(speech.dialect, [bytes[..<cut], bytes[cut...]])
      guard whole == split else {
        Issue.record("stream \(index) split at \(cut): \(whole) and \(split)")
        return
      }
    }
  }
}
