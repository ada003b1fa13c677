import Synchronization
import Weir

/// A modem on a line of bytes: gives commands, sends frames and hears them, in the words of a ``ModemDialect``.
///
/// Works while ``run()`` does. Commands and frames of many tasks wait for each other: one exchange is under way at a time. A task
/// that is cancelled stops waiting at once; what the modem does already goes on, and the next exchange starts after it.
///
/// Memory: the requests that wait, one frame or line in the parser, and ``mostHeard`` frames and notices that nobody has taken;
/// what does not fit is counted.
public final class ATModem: FrameRadio {
  /// Frames, and notices, that are kept for whoever takes them.
  public static let mostHeard = 256

  /// How a modem is used.
  public struct Options: Sendable {
    /// How it is spoken to.
    public var dialect: ModemDialect
    /// Bits a second on the line.
    public var baud: Int
    /// Where and how it sends, as it is set up.
    public var channel: RadioChannel
    /// Commands that set it up for another channel; nil where it has only one.
    public var tuning: (@Sendable (RadioChannel) -> [String])?

    /// How much longer than the line and the air the modem may take to say that a frame was sent: for a host that is often
    /// held up, or a line over a network, more than the second that it is unless said. At least zero.
    public var leeway: Duration = .seconds(1)

    /// A modem that is set up for a channel.
    public init(
      _ dialect: ModemDialect, baud: Int = 115_200, channel: RadioChannel,
      tuning: (@Sendable (RadioChannel) -> [String])? = nil
    ) {
      self.dialect = dialect
      self.baud = baud
      self.channel = channel
      self.tuning = tuning
    }
  }

  /// What was counted.
  public struct Counts: Sendable, Hashable {
    /// Words of the modem that belonged to nothing any more: late, or said twice.
    public internal(set) var stale = 0
    /// Starts of the modem.
    public internal(set) var resets = 0
    /// Bytes that meant nothing.
    public internal(set) var discardedBytes = 0
    /// Frames and notices that nobody took.
    public internal(set) var untaken = 0
  }

  /// Frames that were heard. For one consumer.
  public let received: AsyncStream<ReceivedFrame>
  /// What else the modem says unasked: starts, lines of its own, bytes that mean nothing. For one consumer.
  public let notices: AsyncStream<ModemEvent>

  let clock: GraphClock
  private let port: any BytePort
  private let options: Options
  private let log: (@Sendable (String) -> Void)?
  private let state: Mutex<ModemState>
  private let writing = Bell()
  private let timing = Bell()
  private let frameOutlet: AsyncStream<ReceivedFrame>.Continuation
  private let noticeOutlet: AsyncStream<ModemEvent>.Continuation

  /// - Parameters:
  ///   - port: the line; closed when ``run()`` ends.
  ///   - clock: for every timeout.
  ///   - log: told commands and their answers, save those that are not to be logged; must not wait.
  public init(
    _ port: any BytePort, _ options: Options, clock: GraphClock = .continuous,
    log: (@Sendable (String) -> Void)? = nil
  ) {
    self.port = port
    self.options = options
    self.clock = clock
    self.log = log
    state = Mutex(ModemState(options.dialect, channel: options.channel))
    (received, frameOutlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(ATModem.mostHeard))
    (notices, noticeOutlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(ATModem.mostHeard))
  }

  /// What was counted so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// Where and how the modem sends, as far as is known here. Whoever sets it up otherwise by commands of their own says so here:
  /// how long a frame may take depends on it.
  public var channel: RadioChannel {
    get { state.withLock { $0.channel } }
    set { state.withLock { $0.channel = newValue } }
  }

  /// Whether frames wait for the slots that the modem announces, where its dialect has any. Whoever sets it up to send in slots
  /// says so here.
  public var isSlotted: Bool {
    get { state.withLock { $0.exchange.isSlotted } }
    set { change { $0.exchange.isSlotted = newValue } }
  }

  public var startDelay: Duration {
    state.withLock { state in
      let slot = state.exchange.isSlotted ? options.dialect.slot?.patience : nil
      return (slot ?? .zero) + (state.timing?.longestDelay ?? .zero)
    }
  }

  /// Moves the bytes until the line is lost or the task cancelled; then everything that waits fails, and the line is closed.
  /// - Throws: ``RadioError`` `linkLost`; `CancellationError`.
  public func run() async throws {
    var failure: any Error = CancellationError()
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.readBytes() }
        group.addTask { try await self.writeBytes() }
        group.addTask { try await self.watchTime() }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      failure = error
    }
    port.close()
    let error = failure as? RadioError ?? RadioError(.linkLost, "the modem is not served any more: \(failure)")
    change { $0.exchange.lose(error) }
    frameOutlet.finish()
    noticeOutlet.finish()
    throw failure
  }

  /// Gives a command; returns the lines of the answer, the last of which says that it went well.
  /// - Parameters:
  ///   - command: without its line end; for KISS, the hexadecimal digits of a SetHardware frame.
  ///   - timeout: until it throws, also while earlier requests are under way.
  ///   - isLogged: false to keep the command and its answer out of logs and errors.
  /// - Throws: ``RadioError`` `commandFailed`, `commandTimedOut`, `badCommand`, `linkLost`, `modemReset`; `CancellationError`.
  @discardableResult
  public func run(_ command: String, timeout: Duration, isLogged: Bool = true) async throws -> [String] {
    if let fault = options.dialect.fault(ofCommand: command) { throw RadioError(.badCommand, fault) }
    let lines = try await ask(.command(command), timeout: timeout, isLogged: isLogged)
    if isLogged { log?("\(command) -> \(lines.joined(separator: " | "))") }
    return lines
  }

  /// Sends a frame; returns when the modem has confirmed this very frame.
  /// - Parameter timeout: until it throws; nil for as long as the modem may need for it.
  /// - Throws: ``RadioError`` `frameTooLong`, `sendFailed`, `sendTimedOut`, `linkLost`, `modemReset`; `CancellationError`.
  public func send(_ payload: [UInt8], timeout: Duration?) async throws {
    guard (1...options.dialect.maximumPayload).contains(payload.count) else {
      throw RadioError(
        .frameTooLong, "\(payload.count) bytes are not within 1 and \(options.dialect.maximumPayload)")
    }
    let timing = state.withLock { $0.timing }
    let times = FrameTimes(
      transfer: transferTime(bytes: payload.count) + (timing?.longestDelay ?? .zero),
      airtime: channel.modulation.timeOnAir(bytes: payload.count), leeway: max(.zero, options.leeway))
    _ = try await ask(.payload(payload, times: times), timeout: timeout)
    log?("\(payload.count) bytes sent")
  }

  public func send(_ payload: [UInt8], on channel: RadioChannel) async throws {
    try await tune(to: channel)
    try await send(payload, timeout: nil)
  }

  public func transferTime(bytes: Int) -> Duration {
    lineTime(bytes: options.dialect.lineBytes(payload: bytes), baud: options.baud)
  }

  /// Tells a KISS modem how to access the channel. It gives no answer to this.
  /// - Throws: ``RadioError`` `badCommand` when its dialect is not KISS, `linkLost`; `CancellationError`.
  public func set(_ timing: KissTiming) async throws {
    guard options.dialect.framing == .kiss else {
      throw RadioError(.badCommand, "\(options.dialect.name) has no TXDELAY, P and SLOTTIME")
    }
    _ = try await ask(.note(timing.frames), timeout: .seconds(2))
    state.withLock { $0.timing = timing }
  }

  /// Asks the modem whether somebody is on the air, where its dialect has a question for it; else false.
  public func isChannelBusy(_ channel: RadioChannel) async throws -> Bool {
    guard let listen = options.dialect.listen else { return false }
    try await tune(to: channel)
    return try await run(listen.command, timeout: .seconds(2)).contains(listen.busy)
  }

  /// Waits out what the modem may still be doing, and brings both sides in step by a probe.
  /// - Throws: ``RadioError`` `commandTimedOut` when the modem does not answer; `linkLost`.
  public func recover() async throws { _ = try await ask(.recovery, timeout: nil) }

  private func tune(to channel: RadioChannel) async throws {
    guard channel != self.channel else { return }
    guard let tuning = options.tuning else {
      throw RadioError(.badFrequency, "the modem is set up for another channel, and nobody said how to change it")
    }
    for command in tuning(channel) { try await run(command, timeout: .seconds(2)) }
    self.channel = channel
  }
}

extension ATModem {
  private func ask(_ kind: ModemRequest.Kind, timeout: Duration?, isLogged: Bool = true) async throws -> [String] {
    let id = state.withLock { $0.takeID() }
    // Without a timeout the exchange's own bounds hold.
    let deadline = clock.now + (timeout ?? .seconds(86_400))
    let outcome: ModemExchange.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { state in
          state.waiters[id] = continuation
          state.exchange.begin(ModemRequest(id: id, kind: kind, deadline: deadline, isLogged: isLogged), at: clock.now)
          if Task.isCancelled { state.exchange.cancel(id, at: clock.now) }
        }
      }
    } onCancel: {
      change { $0.exchange.cancel(id, at: clock.now) }
    }
    switch outcome {
    case .success(let lines): return lines
    case .failure(let error): throw error
    case .cancelled: throw CancellationError()
    }
  }

  private func readBytes() async throws {
    while true {
      let bytes = try await port.read()
      change { state in
        state.heardAt = clock.now
        state.feed(bytes, at: clock.now)
      }
    }
  }

  private func writeBytes() async throws {
    while true {
      await writing.wait()
      try Task.checkCancellation()
      for bytes in state.withLock({ $0.takeOutbox() }) { try await port.write(bytes) }
    }
  }

  private func watchTime() async throws {
    while true {
      try Task.checkCancellation()
      let wake = state.withLock { $0.wake(gap: options.dialect.receiveGap) }
      await timing.wait(until: wake, clock)
      change { state in
        let now = clock.now
        if let silence = state.silence(gap: options.dialect.receiveGap), now >= silence { state.endSilence(at: now) }
        state.exchange.advance(at: now)
      }
    }
  }

  /// Changes what is under the lock, then tells whom it concerns.
  private func change(_ body: (inout ModemState) -> Void) {
    let (effects, hasWork, wakeMoved) = state.withLock { state in
      let before = state.wake(gap: options.dialect.receiveGap)
      body(&state)
      let effects = state.takeEffects()
      return (effects, !state.outbox.isEmpty, before != state.wake(gap: options.dialect.receiveGap))
    }
    deliverEvents()
    for (waiter, outcome) in effects { waiter.resume(returning: outcome) }
    if hasWork { writing.ring() }
    if wakeMoved { timing.ring() }
  }

  /// Hands events on in their order, whichever task found them.
  private func deliverEvents() {
    while let events = state.withLock({ $0.takeEvents() }) {
      for event in events { deliver(event) }
      state.withLock { $0.isDelivering = false }
    }
  }

  private func deliver(_ event: ModemEvent) {
    let isTaken: Bool
    if case .received(let frame) = event {
      if case .enqueued = frameOutlet.yield(frame) { isTaken = true } else { isTaken = false }
    } else {
      if case .enqueued = noticeOutlet.yield(event) { isTaken = true } else { isTaken = false }
    }
    if !isTaken { state.withLock { $0.counts.untaken &+= 1 } }
  }
}
