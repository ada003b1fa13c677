/// How a kind of modem is spoken to, as a table: the parser, the exchange and the simulator read it, none of them knows a modem by
/// name.
public struct ModemDialect: Sendable, Hashable {
  /// How bytes are grouped.
  public enum Framing: Sendable, Hashable {
    /// Lines of text that end in CR LF.
    case lines
    /// KISS frames between 0xC0 bytes, which hold any byte.
    case kiss
  }

  /// A text to look for in a line. Of several that fit, the longest counts.
  public enum Token: Sendable, Hashable {
    /// The whole line.
    case exact(String)
    /// The beginning of the line.
    case prefix(String)
    /// Anywhere in the line, since what a modem sends while it starts may stand before it.
    case contains(String)

    var text: String {
      switch self {
      case .exact(let text), .prefix(let text), .contains(let text): text
      }
    }
  }

  /// How a payload is handed over.
  public enum SendForm: Sendable, Hashable {
    /// The prefix and two hexadecimal digits a byte.
    case hex(prefix: String)
    /// The prefix, the number of bytes, a comma, and the bytes as they are.
    case counted(prefix: String)
    /// A KISS data frame.
    case kiss
  }

  /// How a received payload arrives.
  public enum ReceiveForm: Sendable, Hashable {
    /// A line that holds the mark; after it the bytes as they are, then CR LF and a silence of the line. The form tells no length.
    case raw(mark: String)
    /// Prefix, RSSI, colon, SNR, colon, hexadecimal digits.
    case hex(prefix: String)
    /// Prefix, address, comma, number of bytes, comma, the bytes as they are, comma, RSSI, comma, SNR.
    case counted(prefix: String)
    /// A KISS data frame, and a report of the signal after it.
    case kiss
  }

  /// The kind of modem.
  public var name: String
  /// How bytes are grouped.
  public var framing: Framing
  /// Lines that end a command well.
  public var success: [Token] = []
  /// Lines that end a command badly.
  public var failure: [Token] = []
  /// Lines that say that a frame was sent; none where the end of the command says it.
  public var sent: [Token] = []
  /// Lines that say that a frame was not sent.
  public var notSent: [Token] = []
  /// Lines of a modem that has started.
  public var banners: [Token] = []
  /// Other lines that no command asked for.
  public var unsolicited: [Token] = []
  /// How a payload is handed over.
  public var send: SendForm
  /// How a payload arrives.
  public var receive: ReceiveForm
  /// A command without effect that the modem always answers.
  public var probe: String
  /// A command that tells whether somebody else is on the air, and the answers for yes and no; nil where there is none.
  public var listen: Listen?
  /// Whether the answer to a query `AT+NAME?` is the line `+NAME=value` alone, without an end of its own.
  public var answersQueriesByOneLine = false
  /// Frames that it takes while one is on the air, 0 or 1.
  public var lookahead = 0
  /// Most bytes of a payload.
  public var maximumPayload: Int
  /// Silence of the line that ends what has no length of its own.
  public var receiveGap: Duration = .milliseconds(10)
  /// The longest time in which a modem that is in order answers the probe.
  public var answerTime: Duration = .milliseconds(300)

  /// How a modem says that a slot for sending has come, and how long that may take; nil where it has none.
  public var slot: Slot?

  /// A slot for sending (radio study, section 0).
  public struct Slot: Sendable, Hashable {
    /// The line of its coming.
    public var notice: Token
    /// The longest time between two.
    public var patience: Duration

    /// A notice, and how long to wait for it.
    public init(notice: Token, patience: Duration) {
      self.notice = notice
      self.patience = patience
    }
  }

  /// How to ask whether the channel is taken.
  public struct Listen: Sendable, Hashable {
    /// The command.
    public var command: String
    /// The answer when it is taken.
    public var busy: String

    /// A question and its answer.
    public init(command: String, busy: String) {
      self.command = command
      self.busy = busy
    }
  }

  /// A table to fill in.
  public init(
    name: String, framing: Framing, send: SendForm, receive: ReceiveForm, probe: String, maximumPayload: Int
  ) {
    self.name = name
    self.framing = framing
    self.send = send
    self.receive = receive
    self.probe = probe
    self.maximumPayload = maximumPayload
  }

  /// Whether the end of the command says that the frame was sent.
  var isSentByResult: Bool { sent.isEmpty && framing == .lines }

  /// Whether sending has a result of its own before the report that the frame was sent.
  var hasSendResult: Bool { framing == .lines }

  /// Most bytes of a line of text.
  var maximumLine: Int { 256 + 2 * maximumPayload }

  /// What a line means.
  enum Meaning: Sendable, Hashable {
    case success, failure, sent, notSent, banner, unsolicited
  }

  /// The meaning of the longest token that fits a line; nil for a line that belongs to an answer.
  func meaning(of line: String) -> Meaning? {
    var best: (length: Int, meaning: Meaning)?
    let tables: [(Meaning, [Token])] = [
      (.success, success), (.failure, failure), (.sent, sent), (.notSent, notSent), (.banner, banners),
      (.unsolicited, unsolicited),
    ]
    for (meaning, tokens) in tables {
      for token in tokens where token.fits(line) && token.text.utf8.count > best?.length ?? -1 {
        best = (token.text.utf8.count, meaning)
      }
    }
    return best?.meaning
  }

  /// Whether a line is the whole answer to a query.
  func isWholeAnswer(_ line: String, to command: String) -> Bool {
    answersQueriesByOneLine && command.hasPrefix("AT+") && command.hasSuffix("?")
      && line.hasPrefix("+\(command.dropFirst(3).dropLast())=")
  }

  /// The bytes that carry a command.
  func encode(command: String) -> [UInt8] {
    switch framing {
    case .lines: Array(command.utf8) + [0x0D, 0x0A]
    case .kiss: KissFraming.frame(type: 6, HexText.bytes(command.utf8) ?? [])
    }
  }

  /// What is wrong with a command: bytes that would end it early, or digits that are none; nil when it can be given.
  func fault(ofCommand command: String) -> String? {
    switch framing {
    case .lines:
      if command.isEmpty { return "an empty command" }
      if command.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "a command with control characters" }
      return nil
    case .kiss:
      guard let bytes = HexText.bytes(command.utf8), !bytes.isEmpty else {
        return "commands of \(name) are the hexadecimal digits of a SetHardware frame"
      }
      return nil
    }
  }

  /// The bytes that hand a payload over.
  func encode(payload: [UInt8]) -> [UInt8] {
    switch send {
    case .hex(let prefix): Array(prefix.utf8) + HexText.digits(payload) + [0x0D, 0x0A]
    case .counted(let prefix): Array((prefix + "\(payload.count),").utf8) + payload + [0x0D, 0x0A]
    case .kiss: KissFraming.frame(type: 0, payload)
    }
  }

  /// Bytes on the line for a payload of `bytes`, at most.
  func lineBytes(payload bytes: Int) -> Int {
    switch send {
    case .hex(let prefix): prefix.utf8.count + 2 * bytes + 2
    case .counted(let prefix): prefix.utf8.count + bytes + 8
    case .kiss: 2 * bytes + 3
    }
  }
}

extension ModemDialect.Token {
  func fits(_ line: String) -> Bool {
    switch self {
    case .exact(let text): line == text
    case .prefix(let text): line.utf8.starts(with: text.utf8)
    case .contains(let text): HexText.holds(line.utf8, text.utf8)
    }
  }
}
