import Synchronization
import Weir

/// A modem that is not there: speaks a dialect on a line, sends and hears over a ``Medium``, takes as long as a real one, and
/// fails as a script says. The host sees only bytes, in process or through a ``PseudoTerminal``.
///
/// Frames of a dialect whose payloads have no length are followed by a silence of the line, as behind a real modem, whose air is
/// slower than its line.
///
/// Memory: 64 frames that the line has not taken yet (further ones are lost, as on a line without flow control), the answers to what
/// the host asks, and the frames that the dialect lets wait.
public final class ModemSimulator: Sendable {
  /// What kind of modem it is.
  public struct Options: Sendable {
    /// How it speaks.
    public var dialect: ModemDialect
    /// Bits a second on the line; nil for a line that takes no time.
    public var baud: Int?
    /// Settings of a modem that was just switched on.
    public var settings: [String: String]
    /// Names of settings that can be written and not asked for.
    public var unreadable: Set<String>
    /// Where and how it sends, by its settings.
    public var channel: @Sendable ([String: String]) -> RadioChannel
    /// What goes wrong.
    public var faults = FaultScript()
    /// Time between two slots, where it is set up to send in slots.
    public var slotPeriod: Duration = .seconds(1)

    /// A modem with the settings that file transfer changes.
    public init(
      _ dialect: ModemDialect, baud: Int? = 115_200,
      settings: [String: String] = [
        "WORKMODE": "81", "ADDTL": "0", "RATE": "18", "FREQ": "470500000", "ANYRATELEN": "0",
      ],
      unreadable: Set<String> = ["ANYRATELEN"], channel: @escaping @Sendable ([String: String]) -> RadioChannel
    ) {
      self.dialect = dialect
      self.baud = baud
      self.settings = settings
      self.unreadable = unreadable
      self.channel = channel
    }
  }

  struct State: Sendable {
    var settings: [String: String]
    var commands: [String] = []
    var commandCount = 0
    var sendCount = 0
    var sent: [[UInt8]] = []
    var outbox: [[UInt8]] = []
    var sentCount = 0
    var overruns = 0
    /// Frames taken and not reported, the one on the air included.
    var taken = 0
    var waiting: [(payload: [UInt8], fault: SendFault?)] = []
    /// TXDELAY, P and SLOTTIME by their numbers, as far as they were told.
    var timing: [Int: Int] = [:]
    /// Until when frames are taken, where it sends in slots.
    var slotEnd: Duration?
    var generator: SimulatorGenerator
    /// Counts the starts: what belongs to an earlier one is void.
    var starts = 0
  }

  /// Commands that are remembered.
  static let mostCommands = 1_024
  /// Frames that are remembered.
  static let mostSent = 16_384
  /// Frames for a host that does not read.
  static let mostUnsaid = 64

  let options: Options
  let words: ModemWords
  let medium: Medium
  let radio: Int
  let state: Mutex<State>
  let writing = Bell()
  private let sending = Bell()
  let slotting = Bell()
  private let requests: AsyncStream<(HostParser.Request, bytes: Int)>
  private let requestInlet: AsyncStream<(HostParser.Request, bytes: Int)>.Continuation
  private let delays: AsyncStream<(Duration, [UInt8])>
  private let delayInlet: AsyncStream<(Duration, [UInt8])>.Continuation

  var clock: GraphClock { medium.clock }

  /// - Parameter radio: which radio of the medium it is.
  public init(_ options: Options, radio: Int, on medium: Medium) {
    self.options = options
    self.radio = radio
    self.medium = medium
    words = ModemWords(dialect: options.dialect)
    let generator = SimulatorGenerator(seed: 0, stream: UInt64(truncatingIfNeeded: radio))
    state = Mutex(State(settings: options.settings, generator: generator))
    (requests, requestInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(256))
    (delays, delayInlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(256))
    medium.tune(radio, to: options.channel(options.settings))
  }

  /// The settings as they are.
  public var settings: [String: String] { state.withLock { $0.settings } }

  /// Commands that came, the newest at the end, at most 1,024; frames are not among them.
  public var commands: [String] { state.withLock { $0.commands } }

  /// Frames that were on the air to their end.
  public var sentCount: Int { state.withLock { $0.sentCount } }

  /// Frames that were heard and lost, since the host did not read.
  public var overruns: Int { state.withLock { $0.overruns } }

  /// Payloads that were on the air to their end, the newest at the end, at least 16,384 where there were as many.
  public var sent: [[UInt8]] { state.withLock { $0.sent } }

  /// The modem loses its settings and says nothing, as after a short loss of power.
  public func loseSettings() {
    state.withLock { $0.settings = options.settings }
    changedSettings()
  }

  /// Serves a line until it is lost or the task cancelled. Once.
  /// - Throws: ``RadioError`` `linkLost`; `CancellationError`.
  public func run(on port: any BytePort) async throws {
    medium.setHearer(of: radio) { [weak self] frame in self?.hear(frame) }
    defer { medium.setHearer(of: radio, nil) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.listen(to: port) }
      group.addTask { try await self.write(to: port) }
      group.addTask { try await self.transmit() }
      group.addTask { try await self.announceSlots() }
      group.addTask {
        for await (request, bytes) in self.requests {
          if let baud = self.options.baud { try await self.clock.sleep(for: lineTime(bytes: bytes, baud: baud)) }
          try await self.answer(request, port)
        }
      }
      group.addTask {
        await withDiscardingTaskGroup { group in
          for await (time, bytes) in self.delays {
            // What was still to be said is forgotten by a modem that starts anew.
            let start = self.state.withLock { $0.starts }
            group.addTask {
              guard (try? await self.clock.sleep(for: time)) != nil else { return }
              if self.state.withLock({ $0.starts == start }) { self.say(bytes) }
            }
          }
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  func say(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    state.withLock { $0.outbox.append(bytes) }
    writing.ring()
  }

  func say(_ bytes: [UInt8], after time: Duration) {
    if time > .zero { delayInlet.yield((time, bytes)) } else { say(bytes) }
  }

  /// Makes the settings hold.
  func changedSettings() {
    medium.tune(radio, to: options.channel(settings))
    slotting.ring()
  }

  /// Starts anew: what it was set to is gone, and so is what it was doing.
  func reset() {
    state.withLock { state in
      state.settings = options.settings
      state.starts += 1
      (state.taken, state.waiting) = (0, [])
      (state.timing, state.slotEnd) = ([:], nil)
    }
    changedSettings()
    say(words.banner)
  }

  /// Takes a frame to send; false when there is no room for it.
  func take(_ payload: [UInt8]) -> Bool {
    let isTaken = state.withLock { state in
      guard state.taken <= options.dialect.lookahead else { return false }
      state.taken += 1
      state.waiting.append((payload, options.faults.sends[state.sendCount]))
      state.sendCount += 1
      return true
    }
    return isTaken
  }

  func startSending() { sending.ring() }

  private func hear(_ frame: ReceivedFrame) {
    let hasRoom = state.withLock { state in
      if state.outbox.count >= ModemSimulator.mostUnsaid { state.overruns += 1 }
      return state.outbox.count < ModemSimulator.mostUnsaid
    }
    if hasRoom { say(words.received(frame)) }
  }

  private func listen(to port: any BytePort) async throws {
    var parser = HostParser(options.dialect)
    while true {
      for byte in try await port.read() {
        if let request = parser.feed(byte) { requestInlet.yield((request, parser.takeLineBytes())) }
      }
    }
  }

  private func write(to port: any BytePort) async throws {
    let paced: any BytePort = options.baud.map { PacedPort(port, baud: $0, clock: clock) } ?? port
    while true {
      await writing.wait()
      try Task.checkCancellation()
      let parts = state.withLock { state in
        defer { state.outbox = [] }
        return state.outbox
      }
      for part in parts {
        if options.faults.splitsBytes {
          for byte in part { try await paced.write([byte]) }
        } else {
          try await paced.write(part)
        }
        if case .raw(let mark) = options.dialect.receive, HexText.holds(part, mark.utf8) {
          try await clock.sleep(for: options.dialect.receiveGap * 2)
        }
      }
    }
  }

  private func transmit() async throws {
    while true {
      let next = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.starts, state.settings)
      }
      guard let frame = next.0 else {
        await sending.wait()
        try Task.checkCancellation()
        continue
      }
      try await transmit(frame.payload, frame.fault, start: next.1, on: options.channel(next.2))
    }
  }

  private func transmit(
    _ payload: [UInt8], _ fault: SendFault?, start: Int, on channel: RadioChannel
  ) async throws {
    switch fault {
    case .fails:
      finish(start) { self.say(self.words.report(false)) }
      return
    case .resets:
      try await clock.sleep(for: channel.modulation.timeOnAir(bytes: payload.count) / 2)
      reset()
      return
    case .sticks:
      try await medium.transmit(from: radio, payload, on: channel) { true }
      return
    default: break
    }
    try await accessChannel(channel)
    try await medium.transmit(from: radio, payload, on: channel) { self.state.withLock { $0.starts != start } }
    finish(start) {
      self.state.withLock { state in
        state.sentCount += 1
        state.sent.append(payload)
        if state.sent.count > 2 * ModemSimulator.mostSent { state.sent.removeFirst(ModemSimulator.mostSent) }
      }
      let report = self.words.report(true)
      switch fault {
      case .noReport: break
      case .lateReport(let time): self.say(report, after: time)
      case .doubleReport: self.say(report + report)
      default: self.say(report)
      }
    }
  }

  /// A frame is over, unless the modem has started anew since.
  private func finish(_ start: Int, _ body: () -> Void) {
    let isValid = state.withLock { state in
      guard state.starts == start else { return false }
      state.taken -= 1
      return true
    }
    if isValid { body() }
  }
}
