extension ModemDialect {
  /// Taolink TurMass P2P firmware (radio study, section 0). The negative form of `+SEND_FINISH!` is not published: any other
  /// line that begins like it counts as negative.
  public static var turMass: ModemDialect {
    var dialect = ModemDialect(
      name: "TurMass", framing: .lines, send: .hex(prefix: "AT+SENDB="), receive: .raw(mark: ", Data "), probe: "AT",
      maximumPayload: 600)
    dialect.success = [.exact("AT_OK")]
    dialect.failure = [.prefix("AT_PARAM_ERROR"), .prefix("AT_ERROR"), .prefix("AT_BUSY_ERROR"), .exact("ERROR")]
    dialect.sent = [.exact("+SEND_FINISH!")]
    dialect.notSent = [.prefix("+SEND_FINISH")]
    dialect.banners = [.contains("P2P AT CMD!")]
    dialect.unsolicited = [.prefix("PRESEND_READY")]
    dialect.slot = ModemDialect.Slot(notice: .prefix("PRESEND_READY"), patience: .seconds(10))
    return dialect
  }

  /// RAK RUI3 in P2P mode.
  public static var rakRUI3: ModemDialect {
    var dialect = ModemDialect(
      name: "RAK RUI3", framing: .lines, send: .hex(prefix: "AT+PSEND="), receive: .hex(prefix: "+EVT:RXP2P:"),
      probe: "AT", maximumPayload: 255)
    dialect.success = [.exact("OK")]
    dialect.failure = [
      .prefix("AT_ERROR"), .prefix("AT_PARAM_ERROR"), .prefix("AT_BUSY_ERROR"), .prefix("AT_NO_NETWORK_JOINED"),
      .prefix("AT_COMMAND_NOT_FOUND"), .prefix("AT_TEST_PARAM_OVERFLOW"), .prefix("AT_MODE_NO_SUPPORT"),
    ]
    dialect.sent = [.exact("+EVT:TXP2P DONE")]
    dialect.notSent = [.prefix("+EVT:TXP2P")]
    dialect.banners = [.contains("RAKwireless")]
    dialect.unsolicited = [.prefix("+EVT:")]
    return dialect
  }

  /// REYAX RYLR: the answer to the command says that the frame was sent.
  /// - Parameter address: whom frames are for; 0 for all.
  public static func reyaxRYLR(address: UInt16 = 0) -> ModemDialect {
    var dialect = ModemDialect(
      name: "REYAX RYLR", framing: .lines, send: .counted(prefix: "AT+SEND=\(address),"),
      receive: .counted(prefix: "+RCV="), probe: "AT", maximumPayload: 240)
    // A reset is answered by its own line, and the start by another.
    dialect.success = [.exact("+OK"), .exact("+RESET")]
    dialect.failure = [.prefix("+ERR="), .exact("+ERR")]
    dialect.banners = [.exact("+READY")]
    dialect.answersQueriesByOneLine = true
    return dialect
  }

  /// KISS as MeshCore's modem firmware speaks it: SetHardware frames are the commands, and a report tells whether a frame was
  /// sent. Takes one frame at a time.
  public static var kiss: ModemDialect {
    var dialect = ModemDialect(
      name: "KISS", framing: .kiss, send: .kiss, receive: .kiss, probe: "17", maximumPayload: 255)
    dialect.listen = Listen(command: "0E", busy: "8E01")
    return dialect
  }
}
