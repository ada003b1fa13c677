/// What a simulated modem answers.
extension ModemSimulator {
  func answer(_ request: HostParser.Request, _ port: any BytePort) async throws {
    switch request {
    case .badPayload: say(words.failure(.tooLong))
    case .timing(let number, let value): state.withLock { $0.timing[number] = Int(value) }
    case .payload(let payload):
      guard isInSlot, take(payload) else {
        say(words.failure(.busy))
        return
      }
      if options.dialect.hasSendResult, !options.dialect.isSentByResult { say(words.success) }
      startSending()
    case .command(let text):
      let fault = state.withLock { state -> CommandFault? in
        defer { state.commandCount += 1 }
        state.commands.append(text)
        if state.commands.count > ModemSimulator.mostCommands { state.commands.removeFirst() }
        if options.faults.sparesProbe, text == options.dialect.probe { return nil }
        return options.faults.commands[state.commandCount]
      }
      if options.faults.echoes, options.dialect.framing == .lines { say(words.text(text)) }
      try await answer(text, fault, port)
    }
  }

  private func answer(_ text: String, _ fault: CommandFault?, _ port: any BytePort) async throws {
    switch fault {
    case .refuses: say(words.failure(.parameter))
    case .isSilent: break
    case .isLate(let time):
      // A modem does one thing after the other: what comes after waits.
      try await clock.sleep(for: time)
      say(Array(reply(to: text, nil).joined()))
    case .unsolicited(let line):
      var parts = reply(to: text, nil)
      parts.insert(words.text(line), at: parts.count / 2)
      say(Array(parts.joined()))
    case .wrongValue(let value): say(Array(reply(to: text, value).joined()))
    case .resets: reset()
    case .closesLine: port.close()
    case nil:
      say(Array(reply(to: text, nil).joined()))
      if isReset(text) { reset() }
    }
  }

  private func isReset(_ text: String) -> Bool { ["AT+RST", "AT+RESET", "ATZ"].contains(text) }

  /// The lines of an answer; none where the modem is silent.
  private func reply(to text: String, _ wrongValue: String?) -> [[UInt8]] {
    if options.dialect.framing == .kiss { return [replyToKiss(text)] }
    if text == "AT" { return [words.success] }
    if isReset(text) {
      return options.dialect.name == "TurMass" ? [words.text("+RST: ok"), words.success] : [words.success]
    }
    guard text.hasPrefix("AT+") else { return unknown }
    let body = text.dropFirst(3)
    let name = String(body.prefix { $0 != "=" && $0 != "?" })
    let rest = body.dropFirst(name.count)
    guard let value = settings[name] else { return unknown }
    if rest == "?" || rest == "=?" {
      if options.unreadable.contains(name) { return unknown }
      let shown = wrongValue ?? value
      if options.dialect.answersQueriesByOneLine { return [words.text("+\(name)=\(shown)")] }
      return [words.text("+\(name): \(shown)"), words.success]
    }
    guard rest.hasPrefix("="), rest.count > 1 else { return [words.failure(.parameter)] }
    let new = String(rest.dropFirst())
    // Leaving the transparent mode twice is answered like this by the firmware.
    if name == "WORKMODE", new == "82", value == "82" { return [words.failure(.parameter)] }
    state.withLock { $0.settings[name] = new }
    changedSettings()
    return [words.success]
  }

  private var unknown: [[UInt8]] { options.faults.ignoresUnknown ? [] : [words.failure(.unknown)] }

  private func replyToKiss(_ text: String) -> [UInt8] {
    guard let body = HexText.bytes(text.utf8), let code = body.first else { return words.failure(.parameter) }
    switch code {
    case 0x0E:
      let isBusy = medium.isBusy(at: radio, on: options.channel(settings))
      return KissFraming.frame(type: 6, [0x8E, isBusy ? 1 : 0])
    case 0x17: return KissFraming.frame(type: 6, [0x97])
    case 0x09 where body.count == 11:
      state.withLock { $0.settings["RADIO"] = text }
      return words.success
    case 0x0B:
      let radio = settings["RADIO"].flatMap { HexText.bytes($0.utf8) }?.dropFirst() ?? []
      return KissFraming.frame(type: 6, [0x8B] + radio)
    default: return words.failure(.unknown)
    }
  }
}
