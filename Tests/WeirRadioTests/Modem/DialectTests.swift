import Testing

@testable import WeirRadio

/// The bytes of each dialect, as its firmware speaks it.
@Suite struct DialectTests {
  @Test func `a frame of bytes goes to each modem in its own form`() {
    let payload: [UInt8] = [0x00, 0x0D, 0x0A, 0xC0, 0xDB, 0xFF]
    #expect(ModemDialect.turMass.encode(payload: payload) == Array("AT+SENDB=000D0AC0DBFF\r\n".utf8))
    #expect(ModemDialect.rakRUI3.encode(payload: payload) == Array("AT+PSEND=000D0AC0DBFF\r\n".utf8))
    #expect(
      ModemDialect.reyaxRYLR(address: 7).encode(payload: payload)
        == Array("AT+SEND=7,6,".utf8) + payload + [0x0D, 0x0A])
    #expect(
      ModemDialect.kiss.encode(payload: payload)
        == [0xC0, 0x00, 0x00, 0x0D, 0x0A, 0xDB, 0xDC, 0xDB, 0xDD, 0xFF, 0xC0])
    #expect(ModemDialect.kiss.encode(command: "0E") == [0xC0, 0x06, 0x0E, 0xC0])
    #expect(ModemDialect.turMass.encode(command: "AT+RATE=18") == Array("AT+RATE=18\r\n".utf8))
  }

  @Test func `the time on the line counts two digits a byte`() {
    // 115,200 bit/s carry 5,760 bytes a second in hexadecimal digits (radio study, section 0).
    let bytes = ModemDialect.turMass.lineBytes(payload: 600)
    #expect(bytes == 9 + 1_200 + 2)
    #expect(lineTime(bytes: 11_520, baud: 115_200) == .seconds(1))
  }

  /// arduino-libraries/MKRWAN#62: a search for `+ERR` hid the longer token.
  @Test func `report 38 the longest token that fits a line is the one that counts`() {
    let reyax = ModemDialect.reyaxRYLR()
    var events: [ModemEvent] = []
    var parser = ModemParser(reyax)
    for byte in "+ERR=13\r\n+ERR\r\n+OK\r\n".utf8 { parser.feed([byte]) { events.append($0) } }
    #expect(
      events == [
        .result(isSuccess: false, line: "+ERR=13"), .result(isSuccess: false, line: "+ERR"),
        .result(isSuccess: true, line: "+OK"),
      ])
    #expect(ModemDialect.turMass.meaning(of: "+SEND_FINISH!") == .sent)
    #expect(ModemDialect.turMass.meaning(of: "+SEND_FINISH:1") == .notSent)
    #expect(ModemDialect.turMass.meaning(of: "AT_OKAY") == nil)
    #expect(ModemDialect.rakRUI3.meaning(of: "+EVT:TXP2P DONE") == .sent)
    #expect(ModemDialect.rakRUI3.meaning(of: "+EVT:TXP2P TIMEOUT") == .notSent)
    #expect(ModemDialect.rakRUI3.meaning(of: "+EVT:JOINED") == .unsolicited)
  }

  @Test func `a command that would be two, or none, is not given`() {
    #expect(ModemDialect.turMass.fault(ofCommand: "AT+RATE=18\r\nAT+RST") != nil)
    #expect(ModemDialect.turMass.fault(ofCommand: "") != nil)
    #expect(ModemDialect.turMass.fault(ofCommand: "AT+RATE?") == nil)
    #expect(ModemDialect.kiss.fault(ofCommand: "0") != nil)
    #expect(ModemDialect.kiss.fault(ofCommand: "") != nil)
    #expect(ModemDialect.kiss.fault(ofCommand: "0e") == nil)
  }
}
