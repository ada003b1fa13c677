import Testing

@testable import WeirRadio

/// Which word of the modem answers whom (radio study, C1 to C6).
@Suite struct ModemExchangeTests {
  /// An exchange and its clock.
  struct Bench {
    var exchange: ModemExchange
    var now = Duration.zero
    private(set) var written: [[UInt8]] = []
    private(set) var outcomes: [UInt64: ModemExchange.Outcome] = [:]
    private(set) var ends: [UInt64: Duration] = [:]
    private(set) var delivered: [ModemEvent] = []

    init(_ dialect: ModemDialect = .turMass) { exchange = ModemExchange(dialect) }

    var texts: [String] { written.map { String(decoding: $0.dropLast(2), as: UTF8.self) } }

    mutating func command(_ id: UInt64, _ text: String, _ timeout: Duration = .seconds(1), isLogged: Bool = true) {
      exchange.begin(
        ModemRequest(id: id, kind: .command(text), deadline: now + timeout, isLogged: isLogged), at: now)
      take()
    }

    mutating func frame(_ id: UInt64, _ payload: [UInt8], timeout: Duration = .seconds(1_000)) {
      let times = FrameTimes(transfer: .milliseconds(10), airtime: .milliseconds(200))
      exchange.begin(ModemRequest(id: id, kind: .payload(payload, times: times), deadline: now + timeout), at: now)
      take()
    }

    mutating func recover(_ id: UInt64) {
      exchange.begin(ModemRequest(id: id, kind: .recovery, deadline: now + .seconds(1_000)), at: now)
      take()
    }

    mutating func cancel(_ id: UInt64) {
      exchange.cancel(id, at: now)
      take()
    }

    mutating func say(_ line: String) {
      let event: ModemEvent
      switch ModemDialect.turMass.meaning(of: line) {
      case .success: event = .result(isSuccess: true, line: line)
      case .failure: event = .result(isSuccess: false, line: line)
      case .sent: event = .sent(isSuccess: true, line: line)
      case .notSent: event = .sent(isSuccess: false, line: line)
      case .banner: event = .banner(line)
      case .unsolicited: event = .unsolicited(line)
      case nil: event = .line(line)
      }
      exchange.handle(event, at: now)
      take()
    }

    /// Lets time pass, waking the exchange when it asks for it.
    mutating func pass(_ time: Duration) {
      let end = now + time
      while let wake = exchange.wake, wake <= end {
        now = max(now, wake)
        exchange.advance(at: now)
        take()
      }
      now = end
    }

    func kind(_ id: UInt64) -> RadioError.Kind? {
      if case .failure(let error)? = outcomes[id] { return error.kind }
      return nil
    }

    private mutating func take() {
      for action in exchange.takeActions() {
        switch action {
        case .write(let bytes): written.append(bytes)
        case .deliver(let event): delivered.append(event)
        case .finish(let id, let outcome):
          #expect(outcomes[id] == nil, "request \(id) ended twice")
          outcomes[id] = outcome
          ends[id] = now
        }
      }
    }
  }

  @Test func `C1 C6 one command at a time, and each gets its own answer`() {
    var bench = Bench()
    bench.command(1, "AT+RATE?")
    bench.command(2, "AT+FREQ?")
    bench.command(3, "AT+X=1")
    #expect(bench.texts == ["AT+RATE?"])
    bench.say("AT+RATE?")
    bench.say("PRESEND_READY")
    bench.say("+RATE: 18")
    bench.say("AT_OK")
    #expect(bench.outcomes[1] == .success(["+RATE: 18", "AT_OK"]), "without the echo and what nobody asked for")
    #expect(bench.delivered == [.unsolicited("PRESEND_READY")])
    #expect(bench.texts == ["AT+RATE?", "AT+FREQ?"])
    bench.say("+FREQ: 470000000")
    bench.say("AT_OK")
    bench.say("AT_PARAM_ERROR")
    #expect(bench.outcomes[2] == .success(["+FREQ: 470000000", "AT_OK"]))
    #expect(bench.kind(3) == .commandFailed)
  }

  /// hardwario/lora-modem#47: a modem said nothing to a query.
  @Test func `report 40 C2 a command without an answer times out, and later ones stay in step`() {
    var bench = Bench()
    bench.command(1, "AT+SILENT?")
    bench.pass(.milliseconds(1_099))
    #expect(bench.kind(1) == .commandTimedOut)
    #expect(bench.ends[1] == .seconds(1))
    bench.command(2, "AT+RATE?", .seconds(2))
    #expect(bench.texts.last == "AT", "a probe goes first")
    bench.say("AT_OK")
    #expect(bench.texts.last == "AT", "another answer may follow")
    bench.pass(.milliseconds(300))
    #expect(bench.texts.last == "AT+RATE?")
    bench.say("+RATE: 18")
    bench.say("AT_OK")
    #expect(bench.outcomes[2] == .success(["+RATE: 18", "AT_OK"]))
  }

  @Test(arguments: [0, 1, 2])
  func `C2 an answer that is late is never that of the next command`(when: Int) {
    var bench = Bench()
    bench.command(1, "AT+SLOW?")
    bench.pass(.seconds(2))
    if when == 0 {
      // Before anybody asks again: nothing is owed any more.
      bench.say("+SLOW: 1")
      bench.say("AT_OK")
    }
    bench.command(2, "AT+RATE?", .seconds(3))
    if when == 1 {
      bench.say("+SLOW: 1")
      bench.say("AT_OK")
      bench.say("AT_OK")
    } else if when == 2 {
      bench.pass(.milliseconds(100))
      bench.say("AT_OK")
      bench.pass(.milliseconds(299))
      bench.say("AT_OK")
    }
    #expect(bench.texts.last == "AT+RATE?")
    bench.say("+RATE: 18")
    bench.say("AT_OK")
    #expect(bench.outcomes[2] == .success(["+RATE: 18", "AT_OK"]))
    #expect(bench.delivered.isEmpty && bench.exchange.stale > 0)
  }

  @Test func `C3 C4 the modem's taking a frame is not its sending it`() {
    var bench = Bench()
    bench.frame(1, [1])
    #expect(bench.texts == ["AT+SENDB=01"])
    bench.say("AT_OK")
    bench.pass(.milliseconds(200))
    #expect(bench.outcomes[1] == nil)
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[1] == .success(["+SEND_FINISH!"]))
    bench.frame(2, [2])
    bench.say("AT_OK")
    bench.pass(.milliseconds(50))
    bench.say("+SEND_FINISH: 1")
    #expect(bench.kind(2) == .sendFailed)
    bench.frame(3, [3])
    bench.say("AT_BUSY_ERROR")
    #expect(bench.kind(3) == .sendFailed)
  }

  @Test func `report 10 a frame of which nothing is said ends after its own time, and is not taken for the next`() {
    var bench = Bench()
    bench.frame(1, [1])
    bench.say("AT_OK")
    bench.pass(.seconds(60))
    #expect(bench.kind(1) == .sendTimedOut)
    // 10 ms of line, 1.5 times 200 ms of air, 1 s.
    #expect(bench.ends[1] == .milliseconds(1_310))
  }

  @Test(arguments: [Duration.milliseconds(100), .milliseconds(900), .milliseconds(1_250)])
  func `a late report of a frame never completes the next`(late: Duration) {
    var bench = Bench()
    bench.frame(1, [1])
    bench.say("AT_OK")
    bench.pass(.milliseconds(1_310))
    #expect(bench.kind(1) == .sendTimedOut)
    bench.frame(2, [2])
    #expect(bench.texts.count == 1, "not before the report has come, or cannot come any more")
    bench.pass(late)
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[2] == nil)
    #expect(bench.texts.last == "AT+SENDB=02")
    bench.say("AT_OK")
    bench.pass(.milliseconds(20))
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[2] == nil, "no frame is over so soon")
    bench.pass(.milliseconds(180))
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[2] == .success(["+SEND_FINISH!"]))
  }

  @Test func `a report that is said twice counts once`() {
    var bench = Bench()
    bench.frame(1, [1])
    bench.say("AT_OK")
    bench.pass(.milliseconds(200))
    bench.say("+SEND_FINISH!")
    bench.frame(2, [2])
    bench.say("+SEND_FINISH!")
    bench.say("AT_OK")
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[2] == nil && bench.exchange.stale == 2)
  }

  @Test func `with room for one frame ahead, the next is handed over while one is on the air`() {
    var dialect = ModemDialect.turMass
    dialect.lookahead = 1
    var bench = Bench(dialect)
    for id in 1...3 { bench.frame(UInt64(id), [UInt8(id)]) }
    bench.say("AT_OK")
    #expect(bench.texts == ["AT+SENDB=01", "AT+SENDB=02"])
    bench.say("AT_OK")
    #expect(bench.texts.count == 2, "one ahead, not two")
    bench.pass(.milliseconds(200))
    bench.say("+SEND_FINISH!")
    #expect(bench.outcomes[1] != nil && bench.outcomes[2] == nil)
    #expect(bench.texts.last == "AT+SENDB=03")
    bench.say("AT_OK")
    for id in 2...3 {
      bench.pass(.milliseconds(200))
      bench.say("+SEND_FINISH!")
      #expect(bench.outcomes[UInt64(id)] == .success(["+SEND_FINISH!"]))
    }
  }

  @Test func `C5 who is cancelled stops waiting, and nothing starts until the modem is done`() {
    var bench = Bench()
    bench.frame(1, [1])
    bench.command(2, "AT+A")
    bench.command(3, "AT+B", .seconds(9))
    bench.say("AT_OK")
    bench.cancel(1)
    bench.cancel(2)
    #expect(bench.outcomes[1] == .cancelled && bench.outcomes[2] == .cancelled)
    #expect(bench.texts == ["AT+SENDB=01"])
    bench.pass(.milliseconds(200))
    bench.say("+SEND_FINISH!")
    #expect(bench.texts == ["AT+SENDB=01", "AT+B"])
    bench.cancel(3)
    bench.command(4, "AT+C")
    #expect(bench.texts.last == "AT+B", "its answer is still to come")
    bench.say("AT_OK")
    #expect(bench.texts.last == "AT+C" && bench.outcomes[4] == nil)
  }

  @Test func `a modem that starts anew fails what is under way, and what waits goes on`() {
    var bench = Bench()
    bench.frame(1, [1])
    bench.say("AT_OK")
    bench.command(2, "AT+RATE?")
    bench.say("TurMass.TurMass.TurMass.P2P AT CMD!")
    #expect(bench.kind(1) == .modemReset && bench.exchange.resets == 1)
    #expect(bench.texts.last == "AT+RATE?")
    bench.say("AT_OK")
    #expect(bench.outcomes[2] == .success(["AT_OK"]))
  }

  @Test func `a recovery proves that the modem answers, or fails`() {
    var bench = Bench()
    bench.frame(1, [1])
    bench.say("AT_OK")
    bench.pass(.milliseconds(1_310))
    bench.recover(2)
    bench.pass(.milliseconds(1_300))
    #expect(bench.texts.last == "AT")
    bench.say("AT_OK")
    #expect(bench.outcomes[2] == .success([]))
    bench.recover(3)
    bench.pass(.seconds(10))
    #expect(bench.kind(3) == .commandTimedOut)
    #expect(bench.texts.filter { $0 == "AT" }.count == 1 + ModemExchange.mostProbes)
  }

  @Test func `C7 what is not to be logged is in no error`() {
    var bench = Bench()
    bench.command(1, "AT+KEY=5ec7e7", isLogged: false)
    bench.say("AT_PARAM_ERROR: 5ec7e7")
    bench.command(2, "AT+KEY=5ec7e7", isLogged: false)
    bench.pass(.seconds(2))
    for id: UInt64 in 1...2 {
      guard case .failure(let error)? = bench.outcomes[id] else {
        Issue.record("no failure")
        continue
      }
      #expect(!error.description.contains("5ec7e7"))
    }
  }

  @Test func `an answer without an end is bounded, and a lost line fails everything`() {
    var bench = Bench()
    bench.command(1, "AT+HELP")
    for index in 0..<1_000 { bench.say("line \(index)") }
    bench.say("AT_OK")
    #expect(bench.kind(1) == .commandFailed)
    bench.command(2, "AT+A")
    bench.command(3, "AT+B")
    bench.exchange.lose(RadioError(.linkLost, "gone"))
    bench.command(4, "AT+C")
    for id: UInt64 in 2...4 { #expect(bench.kind(id) == .linkLost) }
  }
}
