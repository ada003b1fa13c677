/// What a consumer saw. A pure value.
struct MarbleRecording: Sendable {
  private(set) var entries: [MarbleDiagram.Entry] = []
  /// The text of the error that ended the sequence.
  private(set) var error: String?
  /// Breaches of the rule that nothing follows an end, one sentence each.
  private(set) var violations: [String] = []
  private(set) var hasEnded = false
  private var isClosed = false

  mutating func add(_ event: MarbleDiagram.Event, at instant: VirtualClock.Instant) {
    guard !isClosed else { return }
    let tick = Marble.tick(at: instant)
    if hasEnded {
      violations.append("tick \(tick): received \(event.notation) after the end")
      return
    }
    if event == .finish || event == .failure { hasEnded = true }
    entries.append(MarbleDiagram.Entry(tick: tick, event: event))
  }

  mutating func addFailure(_ error: String, at instant: VirtualClock.Instant) {
    if !hasEnded, !isClosed { self.error = error }
    add(.failure, at: instant)
  }

  /// The diagram is over: what the consumer sees from now on comes from being stopped.
  mutating func close() {
    isClosed = true
  }
}
