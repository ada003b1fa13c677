/// What an ``ATModem`` knows, under its lock.
struct ModemState {
  var exchange: ModemExchange
  var channel: RadioChannel
  var timing: KissTiming?
  var waiters: [UInt64: CheckedContinuation<ModemExchange.Outcome, Never>] = [:]
  var counted = ATModem.Counts()
  /// When the last byte came.
  var heardAt = Duration.zero
  private(set) var outbox: [[UInt8]] = []
  private var events: [ModemEvent] = []
  var isDelivering = false
  private var parser: ModemParser
  private var nextID: UInt64 = 0

  init(_ dialect: ModemDialect, channel: RadioChannel) {
    exchange = ModemExchange(dialect)
    parser = ModemParser(dialect)
    self.channel = channel
  }

  var counts: ATModem.Counts {
    get {
      var counts = counted
      (counts.stale, counts.resets) = (exchange.stale, exchange.resets)
      return counts
    }
    set { counted = newValue }
  }

  mutating func takeID() -> UInt64 {
    nextID += 1
    return nextID
  }

  mutating func feed(_ bytes: [UInt8], at now: Duration) {
    var events: [ModemEvent] = []
    parser.feed(bytes) { events.append($0) }
    handle(events, at: now)
  }

  /// When what the parser holds is complete; nil when it holds nothing.
  func silence(gap: Duration) -> Duration? { parser.needsSilence ? heardAt + gap : nil }

  mutating func endSilence(at now: Duration) {
    var events: [ModemEvent] = []
    parser.silence { events.append($0) }
    handle(events, at: now)
  }

  func wake(gap: Duration) -> Duration? {
    guard let silence = silence(gap: gap) else { return exchange.wake }
    return exchange.wake.map { min($0, silence) } ?? silence
  }

  mutating func takeOutbox() -> [[UInt8]] {
    defer { outbox = [] }
    return outbox
  }

  typealias Effects = [(CheckedContinuation<ModemExchange.Outcome, Never>, ModemExchange.Outcome)]

  mutating func takeEffects() -> Effects {
    var effects = Effects()
    for action in exchange.takeActions() {
      switch action {
      case .write(let bytes): outbox.append(bytes)
      case .deliver(let event): events.append(event)
      case .finish(let id, let outcome):
        if let waiter = waiters.removeValue(forKey: id) { effects.append((waiter, outcome)) }
      }
    }
    return effects
  }

  /// Events for one task to hand on; nil when there are none, or another task is at it and comes back for these.
  mutating func takeEvents() -> [ModemEvent]? {
    guard !isDelivering, !events.isEmpty else { return nil }
    isDelivering = true
    defer { events = [] }
    return events
  }

  private mutating func handle(_ events: [ModemEvent], at now: Duration) {
    for event in events {
      if case .discarded(let bytes) = event { counted.discardedBytes &+= bytes }
      exchange.handle(event, at: now)
    }
  }
}
